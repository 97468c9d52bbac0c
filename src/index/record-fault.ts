import { isJsonObject, isStringArray, type JsonObject } from '../base/json.js'
import { ROLES } from '../skill/frontmatter.js'
import { isName, isQualifiedName, labelOf } from '../skill/names.js'
import type { Section } from './index-format.js'
import { isInside } from './inside-path.js'

/**
 * Why something is not a record that a compiler of ours wrote, or reaches outside of its directory; null where it is one. An index comes with
 * other people's packages: nothing in it is believed that was not looked at.
 */
export function recordFault(section: Section, key: string, record: unknown): string | null {
  return isJsonObject(record) ? FAULTS[section](key, record) : notOurs(key)
}

const FAULTS: Record<Section, (key: string, record: JsonObject) => string | null> = {
  tools(name, record) {
    if ('names' in record) return areNamesakes(name, record.names) ? null : notOurs(name)
    if (!isInside(record.file)) return outside(name)
    const isOurs = 'broken' in record ? isDiagnostic(record.broken) : isTool(name, record)
    return isName(name) && isOurs ? null : notOurs(name)
  },
  details(name, { resources, verbatim }) {
    if (!Array.isArray(resources) || !isShallowObject(verbatim)) return notOurs(name)
    if (!resources.every(hasFields({ path: isInside }))) return outside(name)
    return resources.every(hasFields({ size: Number.isInteger })) ? null : notOurs(name)
  },
  files(path, record) {
    if (!isInside(path)) return `${JSON.stringify(path)} lies outside the directory`
    return isFile(record) ? null : notOurs(path)
  },
  // Running the tool, or rendering the content, checks these.
  cascades: () => null,
  contents: () => null,
}

/** True for the qualified names that a bare one may mean: each its own with a namespace. */
function areNamesakes(name: string, names: unknown): boolean {
  return isStringArray(names) && names.every(one => isQualifiedName(one) && labelOf(one) === name)
}

function notOurs(key: string): string {
  return `the record of ${JSON.stringify(key)} is invalid`
}

function outside(key: string): string {
  return `${JSON.stringify(key)} names a file outside the directory`
}

/** True for the header of an index as a compiler of ours writes it, whatever its version. */
export const isHeader = hasFields({
  hash: isString,
  listing: isString,
  cascadeInput: isString,
  cascadeKey: isString,
  ownCascadeKey: optional(isString),
  ignore: isStringArray,
  listed: optional(isStringArray),
  folders: optional(isStringArray),
  units: optional(arrayOf(isJsonObject)),
  plugins: optional(
    arrayOf(hasFields({ name: isString, version: optional(isString), description: optional(isString) })),
  ),
  manifests: optional(arrayOf(isJsonObject)),
  shards: optional(value => Array.isArray(value) && value.length > 0),
})

export const isDiagnostic = hasFields({
  file: isInside,
  reason: isString,
  note: isString,
  rule: isString,
  severity: isString,
  line: Number.isInteger,
  column: Number.isInteger,
})

const isFile = hasFields({ tools: isStringArray, diagnostics: arrayOf(isDiagnostic) })

export const isFrontmatter = hasFields({
  title: optional(isString),
  description: optional(isString),
  visibility: optional(isString),
  'allowed-tools': optional(isString),
  license: optional(isString),
  compatibility: optional(isString),
  role: optional(role => ROLES.some(known => known === role)),
  tags: isStringArray,
  metadata: isShallowObject,
  extra: isShallowObject,
  params: optional(isShallowObject),
  returns: optional(isShallowObject),
})

const MODULE_FILE = /^\.agent-apps\/module-[0-9A-Z]{8}\.mjs$/
const isModuleFile: Check = file => isString(file) && MODULE_FILE.test(file)
const isModule = hasFields({ file: isModuleFile, inputs: arrayOf(isInside) })
const isInline = hasFields({ markdown: isString })

const hasToolFields = hasFields({
  frontmatter: isFrontmatter,
  // A record that depends on running code is never in an index.
  dynamic: value => value === undefined,
  fragment: optional(isString),
  directives: optional(isStringArray),
  module: optional(isModule),
  delegate: optional(value => isInline(value) || isModule(value)),
  validators: optional(value => isJsonObject(value) && Object.values(value).every(isModuleFile)),
})

/**
 * Only these are ever read by an index's word, so that a poisoned one cannot have other files of the directory
 * served as content, or a single file's neighbours as its resources.
 */
const SKILL_FILES = new Map<unknown, RegExp>([
  ['folder', /(?:^|\/)skill\.md$/i],
  ['file', /[^/]\.skill\.md$/],
  ['code', /[^/]\.skill\.(?:ts|js|mts|mjs)$/],
])

export function isSkillFile(kind: unknown, file: unknown): boolean {
  return isString(file) && SKILL_FILES.get(kind)?.test(file) === true
}

function isTool(name: string, record: JsonObject): boolean {
  const { kind, file, frontmatter, exported, content, size } = record
  if (!isSkillFile(kind, file) || !hasToolFields(record)) return false
  const isNamed = isJsonObject(frontmatter) && frontmatter.name === name
  if (kind === 'code') return isNamed && isString(exported)
  return isNamed && Array.isArray(content) && content.length === 2 && isRange(content[0], content[1], size)
}

/** The most bytes of a skill file. The compiler's own limit is lower. */
const SIZE_MAX = 2 ** 24

/** True for the place of a content in a file of so many bytes. */
export function isRange(start: unknown, end: unknown, size: unknown): boolean {
  const ascending = [0, start, end, size, SIZE_MAX] as number[]
  return ascending.every((bytes, at) => Number.isInteger(bytes) && !((ascending[at - 1] as number) > bytes))
}

/** True for a value of a kind. */
export type Check = (value: unknown) => boolean

/** A check for objects whose fields each pass their own check; other fields may be anything. */
export function hasFields(fields: Record<string, Check>): Check {
  const checks = Object.entries(fields)
  return value => isJsonObject(value) && checks.every(([key, isValid]) => isValid(value[key]))
}

export function arrayOf(isItem: Check): Check {
  return value => Array.isArray(value) && value.every(isItem)
}

export function optional(isValid: Check): Check {
  return value => value === undefined || isValid(value)
}

/** Deeper values could overflow the stack. The compiler's own limit is lower. */
const DEPTH_MAX = 500

/** True for a plain object that is not nested too deeply. */
function isShallowObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && isShallow(value, DEPTH_MAX)
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every(inner => isShallow(inner, depth - 1))
}

export function isString(value: unknown): value is string {
  return typeof value === 'string'
}
