import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.js'
import { nearest } from '../base/nearest.js'
import { type KeyPattern, readKeyPattern } from '../patterns/key-patterns.js'
import { HOOK_TRIGGERS, type HookTrigger, isMetaKey } from '../skill/metadata-keys.js'
import { quoted } from '../skill/skill-faults.js'
import { MERGE_MODES, type MergeMode } from '../values/join-values.js'
import { annotationInvalid, annotationUnknown } from './problems.js'
import type { CascadeProblem, CascadeTool } from './types.js'

/** The values of a tool's annotations, read once. Absent annotations are undefined. */
export interface Annotations {
  /** False: no promotions either. */
  inherit?: Inheritance[] | false
  private?: KeyPattern[]
  public?: KeyPattern[]
  local?: Promotion[]
  global?: Promotion[]
  remove?: KeyPattern[]
  merge?: Map<string, MergeMode>
  order?: string[]
  static?: Set<string>
  /** Each key with its position in the array. */
  dynamic?: Map<string, (string | number)[]>
  self?: JsonObject
  hook?: HookTrigger[]
}

/** A reference in `$inherit`. */
export interface Inheritance {
  ref: string
  path: (string | number)[]
}

/** A value that a main skill promotes to others. */
export interface Promotion {
  key: string
  value: JsonValue
  /** The path in the metadata: `['timeout']`, or `['$local', 'timeout']`. */
  path: string[]
}

/** The keys that belong to one tool and are neither promoted nor inherited. */
export const NEVER_CASCADING: ReadonlySet<string> = new Set([
  'role',
  'visibility',
  'tags',
  'enabled',
  'permissions',
  'gated',
  'trust',
  'approval-key',
  'lifecycle',
  'approval-preview',
  'catalog',
  'requires',
  'requires-tools',
  'config',
  'contract-version',
  'description-path',
  'env',
  'executor',
  'state-slot',
])

/** A tool's schemas, which others inherit only if `$public` names them. */
export const SCHEMA_KEYS = ['params', 'returns'] as const

/** The tool whose annotations are read, and where problems are reported. */
interface Reader {
  tool: CascadeTool
  annotations: Annotations
  problems: CascadeProblem[]
}

type Read = (value: JsonValue, reader: Reader) => void

const READERS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['$inherit', readInherit],
  ['$private', (value, reader) => void set(reader, 'private', readPatterns(value, '$private', reader))],
  ['$public', (value, reader) => void set(reader, 'public', readPatterns(value, '$public', reader))],
  ['$local', (value, reader) => void set(reader, 'local', readPromotions(value, '$local', reader))],
  ['$global', (value, reader) => void set(reader, 'global', readPromotions(value, '$global', reader))],
  ['$remove', (value, reader) => void set(reader, 'remove', readPatterns(value, '$remove', reader))],
  ['$merge', readMerge],
  ['$order', (value, reader) => void set(reader, 'order', keysOf(readTexts(value, '$order', KEYS, reader)))],
  ['$static', readStatic],
  ['$dynamic', readDynamic],
  ['$self', readSelf],
  ['$hook', readHook],
])

/** Reads a tool's annotations. A faulty one is reported, and the parts of it that can be read are used. */
export function readAnnotations(tool: CascadeTool): { annotations: Annotations; problems: CascadeProblem[] } {
  const reader: Reader = { tool, annotations: {}, problems: [] }
  for (const [key, value] of Object.entries(tool.metadata)) {
    if (!isMetaKey(key) || value === undefined) continue
    const read = READERS.get(key)
    if (read) read(value, reader)
    else reader.problems.push(annotationUnknown(tool, key, nearest(key, READERS.keys())))
  }
  refuseBothModes(reader)
  return reader
}

function set<Key extends keyof Annotations>(
  { annotations }: Reader,
  key: Key,
  value: Annotations[Key] | undefined,
): void {
  if (value !== undefined) annotations[key] = value
}

function report({ tool, problems }: Reader, path: (string | number)[], message: string, hint: string): void {
  problems.push(annotationInvalid(tool, path, message, hint))
}

const REFERENCES = 'a reference, a list of them, or false'
const PATTERNS = 'a list of keys, patterns of keys or path expressions'
const KEYS = 'a list of keys'

interface ListedText {
  text: string
  path: (string | number)[]
}

/**
 * Returns the strings of an array. A single string counts as an array, and is reported unless it is allowed.
 */
function readTexts(
  value: JsonValue,
  key: string,
  expected: string,
  reader: Reader,
  mayStandAlone = false,
): ListedText[] | undefined {
  const isAlone = typeof value === 'string'
  if (!Array.isArray(value) && !(isAlone && mayStandAlone))
    report(reader, [key], `${key} is ${shown(value)}, not ${expected}`, `Write ${expected}.`)
  if (isAlone) return [{ text: value, path: [key] }]
  if (!Array.isArray(value)) return undefined
  return value.flatMap((text, index) => {
    if (typeof text === 'string') return [{ text, path: [key, index] }]
    report(reader, [key, index], `${shown(text)} stands in ${key}, not a text`, `Write ${expected}.`)
    return []
  })
}

function keysOf(texts: ListedText[] | undefined): string[] | undefined {
  return texts?.map(({ text }) => text)
}

function readInherit(value: JsonValue, reader: Reader): void {
  if (value === false) {
    reader.annotations.inherit = false
    return
  }
  const texts = readTexts(value, '$inherit', REFERENCES, reader, true) ?? []
  reader.annotations.inherit = texts.flatMap(({ text, path }) => {
    if (text.trim() !== '') return [{ ref: text, path }]
    report(reader, path, 'an empty text is not a reference', 'Name a tool, or write [] to inherit from none.')
    return []
  })
}

function readPatterns(value: JsonValue, key: string, reader: Reader): KeyPattern[] | undefined {
  return readTexts(value, key, PATTERNS, reader)?.flatMap(({ text, path }) => {
    const pattern = readKeyPattern(text)
    if (typeof pattern !== 'string') return [pattern]
    const message = `${quoted(text)} is neither a pattern of keys nor a path expression: ${pattern}`
    report(reader, path, message, 'Write a key, a glob like cache-*, or a path like retry.codes[0].')
    return []
  })
}

function readPromotions(
  value: JsonValue,
  key: '$local' | '$global',
  reader: Reader,
): Promotion[] | undefined {
  if (!isJsonObject(value)) {
    const texts = readTexts(value, key, 'a list of own keys, or a mapping', reader)
    return texts?.flatMap(text => ownPromotion(text, key, reader))
  }
  return Object.entries(value).flatMap(([name, promoted]) => {
    const path = [key, name]
    if (isMetaKey(name) || !mayCascade(name, path, reader)) return []
    if (name !== 'delegate') return [{ key: name, value: promoted, path }]
    // Only a tool's own delegate is compiled.
    const message = `delegate stands in ${key}, where it has no effect`
    report(reader, path, message, `Write it beside ${key}, and name it in a list: ${key}: [delegate].`)
    return []
  })
}

function ownPromotion({ text: name, path }: ListedText, key: string, reader: Reader): Promotion[] {
  if (!mayCascade(name, path, reader)) return []
  const { metadata } = reader.tool
  const value = Object.hasOwn(metadata, name) && !isMetaKey(name) ? metadata[name] : undefined
  if (value !== undefined) return [{ key: name, value, path: [name] }]
  const plainKeys = Object.keys(metadata).filter(one => !isMetaKey(one))
  const meant = nearest(name, plainKeys)
  const hint = meant
    ? `Did you mean ${meant}?`
    : `Write the key into metadata, or make ${key} a mapping with values.`
  report(reader, path, `${quoted(name)} is none of the tool's own keys`, hint)
  return []
}

function mayCascade(key: string, path: (string | number)[], reader: Reader): boolean {
  if (!NEVER_CASCADING.has(key) && !isSchemaKey(key)) return true
  const message = `${key} belongs to one tool and is never promoted`
  report(reader, path, message, 'Write policy for a whole project into its configuration.')
  return false
}

function isSchemaKey(key: string): boolean {
  return SCHEMA_KEYS.some(known => known === key)
}

function readMerge(value: JsonValue, reader: Reader): void {
  const modes = MERGE_MODES.join(', ')
  if (!isJsonObject(value)) {
    const message = `$merge is ${shown(value)}, not a mapping of keys`
    report(reader, ['$merge'], message, `Write a key with one of ${modes}.`)
    return
  }
  const merge = new Map<string, MergeMode>()
  for (const [key, written] of Object.entries(value)) {
    const mode = MERGE_MODES.find(known => known === written)
    if (mode) merge.set(key, mode)
    else if (!isMetaKey(key)) {
      const meant = typeof written === 'string' ? nearest(written, MERGE_MODES) : null
      const message = `${shown(written)} is not a way to merge ${key}`
      report(reader, ['$merge', key], message, meant ? `Did you mean ${meant}?` : `Write one of ${modes}.`)
    }
  }
  reader.annotations.merge = merge
}

function readStatic(value: JsonValue, reader: Reader): void {
  const keys = keysOf(readTexts(value, '$static', KEYS, reader))
  if (keys) reader.annotations.static = new Set(keys)
}

function readDynamic(value: JsonValue, reader: Reader): void {
  const texts = readTexts(value, '$dynamic', KEYS, reader)
  if (texts) reader.annotations.dynamic = new Map(texts.map(({ text, path }) => [text, path]))
}

function refuseBothModes(reader: Reader): void {
  const { static: staticKeys, dynamic } = reader.annotations
  for (const [key, path] of dynamic ?? []) {
    if (staticKeys?.has(key))
      report(reader, path, `${key} is also in $static, which takes precedence`, 'Leave it in one of them.')
  }
}

function readSelf(value: JsonValue, reader: Reader): void {
  if (isJsonObject(value)) reader.annotations.self = value
  else {
    const message = `$self is ${shown(value)}, not a mapping of arguments`
    report(reader, ['$self'], message, "Write the tool's default arguments by name.")
  }
}

function readHook(value: JsonValue, reader: Reader): void {
  const expected = `${HOOK_TRIGGERS.join(', ')} or a list of them`
  const triggers = (readTexts(value, '$hook', expected, reader, true) ?? []).flatMap(({ text, path }) => {
    const trigger = HOOK_TRIGGERS.find(known => known === text)
    if (trigger) return [trigger]
    const meant = nearest(text, HOOK_TRIGGERS)
    const hint = meant ? `Did you mean ${meant}?` : `Write ${expected}.`
    report(reader, path, `${quoted(text)} is nothing to hook into`, hint)
    return []
  })
  if (triggers.length > 0)
    reader.annotations.hook = HOOK_TRIGGERS.filter(trigger => triggers.includes(trigger))
}

/** Describes a value in a few words. */
function shown(value: JsonValue): string {
  if (Array.isArray(value)) return 'a list'
  if (isJsonObject(value)) return 'a mapping'
  return typeof value === 'string' ? quoted(value) : String(value)
}
