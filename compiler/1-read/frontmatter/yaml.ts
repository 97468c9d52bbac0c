import { createRequire } from 'node:module'
import type { GrayMatterFile } from 'gray-matter'
import type { Schema, State, YAMLException } from 'js-yaml'
import type { Document } from 'yaml'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.js'
import { notJson } from '../../../src/values/not-json.js'
import type { RuleName } from '../../diagnostics/diagnostics.js'
import { FORBIDDEN_KEYS } from '../../diagnostics/forbidden-keys.js'
import { limits } from '../../files/limits.js'
import { readPlainYaml } from './plain-yaml.js'

/** Why YAML cannot be frontmatter: the broken rule, its offset, and the value found there. */
export interface YamlProblem {
  rule: RuleName
  offset: number
  found: string[]
}

export type YamlResult = { value: JsonObject; problem?: never } | { problem: YamlProblem; value?: never }

/** In such a run of line breaks, gray-matter's search for comments takes quadratic time. */
const BLANK_RUN = /(\s{32})\s+/g

/**
 * Reads frontmatter's YAML by the core schema of YAML 1.2: no dates, no binary, no code, nothing shared. Most
 * needs no parser.
 *
 * For one, the frontmatter is fenced again for gray-matter, and all its engines are replaced: by default it runs
 * `---js` as code, caches what it parsed, and closes a block at `---foo`.
 */
export function readYaml(source: string): YamlResult {
  const plain = readPlainYaml(source)
  if (plain === null) return parseYaml(source)
  const problem = problemInValue(source, plain)
  return problem ? { problem } : { value: plain }
}

/** Reads any YAML, with the parser that `readYaml` uses for all but plain YAML. */
export function parseYaml(source: string): YamlResult {
  let alias: YamlProblem | null = null
  const shortened = source.replace(BLANK_RUN, '$1')
  const parse = (matter: string): JsonObject =>
    // The blank lines that were taken out may belong to a value.
    parseMapping(shortened === source ? matter : `\n${source}`, (name, end) => {
      alias ??= { rule: 'yaml-alias', offset: end - name.length - 2, found: [`*${name.slice(0, 80)}`] }
    })
  try {
    const file: GrayMatterFile<string> & { isEmpty?: boolean } = yamlPackages.grayMatter(
      { content: `---\n${shortened}\n---\n` },
      { engines: { ...REFUSED, yaml: parse }, excerpt: noExcerpt },
    )
    // gray-matter takes some YAML for empty.
    const value: JsonObject = file.isEmpty ? parse(file.matter) : file.data
    const problem = problemInValue(source, value) ?? alias
    return problem ? { problem } : { value }
  } catch (error) {
    if (error instanceof yamlPackages.jsYaml.YAMLException)
      return { problem: problemOfException(source, error) }
    if (error instanceof NotMapping) {
      return { problem: { rule: 'frontmatter-not-mapping', offset: 0, found: [error.found] } }
    }
    throw error
  }
}

class NotMapping extends Error {
  constructor(readonly found: string) {
    super(found)
  }
}

function refuse(): never {
  throw new Error('Only YAML is read.')
}

const REFUSED = { json: refuse, javascript: refuse, coffee: refuse }

/** Without it, gray-matter makes a string of the author's `excerpt_separator`, of any type. */
function noExcerpt(): string {
  return ''
}

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/

let madeSchema: Schema | undefined

/** The core schema, with numbers that are too large for JSON. The parser's own types would make strings of them. */
function schema(): Schema {
  const { CORE_SCHEMA, Type } = yamlPackages.jsYaml
  madeSchema ??= CORE_SCHEMA.extend({
    implicit: [
      new Type('!too-large', {
        kind: 'scalar',
        resolve: (text: unknown) => NUMBER.test(String(text)) && !Number.isFinite(Number(text)),
        construct: Number,
      }),
    ],
  })
  return madeSchema
}

/** Called for each alias, with its name and the offset of its end. */
type OnAlias = (name: string, end: number) => void

function parseMapping(source: string, onAlias: OnAlias): JsonObject {
  const value: unknown = yamlPackages.jsYaml.load(source, {
    schema: schema(),
    listener: aliasListener(onAlias),
  })
  if (value === null || value === undefined) return {}
  if (!isJsonObject(value)) throw new NotMapping(Array.isArray(value) ? 'a list' : 'a single value')
  return value
}

/**
 * Makes the parser read every alias as null, so that short YAML cannot expand to a huge value. The parser
 * looks aliases up in a map that it makes for each document; when a node begins, ours replaces that map.
 */
function aliasListener(onAlias: OnAlias): (event: string, state: State) => void {
  let parser: ParserState | undefined
  const anchors = new Proxy(
    {},
    {
      getOwnPropertyDescriptor(_, name) {
        // A node with an anchor looks up that anchor's name before it sets it, which is not an alias.
        if (parser?.anchor === null) onAlias(String(name), parser.position)
        return { value: null, configurable: true }
      },
      get: () => null,
      set: () => true,
    },
  )
  return (_event, state) => {
    parser = state as ParserState
    parser.anchorMap = anchors
  }
}

/** The parser's state, with fields that its types leave out. */
interface ParserState extends State {
  /** The anchor of the node that is being read. */
  anchor: string | null
  anchorMap: object
}

function problemOfException(source: string, exception: YAMLException): YamlProblem {
  const { reason = exception.message, mark } = exception as YAMLException & { reason?: string }
  // The engine's text begins with the newline after the fence. An unexpected end is reported at the last
  // character.
  const offset = Math.max(0, Math.min((mark?.position ?? 0) - 1, source.trimEnd().length - 1))
  const tag = /^unknown tag !<(.*)>/.exec(reason)?.[1]
  if (tag !== undefined) return tagBefore(source, offset, tag)
  if (reason.startsWith('duplicated mapping key')) {
    return { rule: 'yaml-duplicate-key', offset, found: [keyAt(source, offset)] }
  }
  if (reason.startsWith('expected a single document')) {
    return { rule: 'yaml-syntax', offset: Math.max(0, source.search(/^(?:\.\.\.|---)/m)), found: [reason] }
  }
  if (reason.startsWith('nesting exceeded')) return { rule: 'yaml-too-deep', offset, found: [] }
  const unclosed = reason.endsWith('quoted scalar') ? lastQuote(source) : null
  return { rule: 'yaml-syntax', offset: unclosed ?? offset, found: [reason] }
}

/** The problem of a tag, as it was written. The parser fails only after the tagged value. */
function tagBefore(source: string, offset: number, tag: string): YamlProblem {
  const short = tag.replace(/^tag:yaml\.org,2002:/, '!!')
  const written = [`!<${tag}>`, short].find(text => source.lastIndexOf(text, offset) !== -1) ?? short
  const at = source.lastIndexOf(written, offset)
  return { rule: 'yaml-tag', offset: at === -1 ? offset : at, found: [written] }
}

function keyAt(source: string, offset: number): string {
  const [, double, single, plain] =
    /^(?:"([^"\n]*)"|'([^'\n]*)'|([^:\n]+?)[ \t]*:)/.exec(source.slice(offset)) ?? []
  return double ?? single ?? plain ?? ''
}

/** The offset of the quote that opens a value and is never closed; null where all are closed. */
function lastQuote(source: string): number | null {
  let open: number | null = null
  for (const { 0: quote, index } of source.matchAll(/\\.|["']/g)) {
    if (quote.length > 1) continue
    if (open !== null && quote === source[open]) open = null
    else if (open === null && /[\s,:[{]/.test(source[index - 1] ?? ' ')) open = index
  }
  return open
}

const BOUNDS: readonly RuleName[] = ['yaml-too-deep', 'yaml-too-many-keys']

/** A broken rule in a value: the path of keys to it, and the value found. */
interface Breach {
  rule: RuleName
  path: (string | number)[]
  found: string[]
}

/** The first rule that a value breaks. Its offset is looked up only then. */
function problemInValue(source: string, value: JsonObject): YamlProblem | null {
  const breach = breachIn(value)
  if (breach === null) return null
  const { rule, path, found } = breach
  // A value that is too large is not parsed again for offsets, which could take seconds.
  if (BOUNDS.includes(rule))
    return { rule, offset: topLevelKeys(source).get(String(path[0]))?.key ?? 0, found }
  const offsets = offsetsIn(source)
  const key = rule === 'value-not-json' ? null : offsets.key(path)
  return { rule, offset: key ?? offsets.value(path) ?? 0, found }
}

/** The bound that a value exceeds; null where it is within all of them. */
export function boundBroken(value: JsonObject): RuleName | null {
  const { rule } = breachIn(value) ?? {}
  return rule !== undefined && BOUNDS.includes(rule) ? rule : null
}

/** The fields that are strings for any type in YAML. */
const TEXTS: readonly string[] = ['name', 'description']

function breachIn(value: JsonObject): Breach | null {
  let keys = 0
  const ofKey = (key: string): Breach | null => {
    if (++keys > limits.frontmatterKeys) return { rule: 'yaml-too-many-keys', path: [], found: [] }
    if (FORBIDDEN_KEYS.includes(key)) return { rule: 'forbidden-key', path: [], found: [key] }
    return key === '<<' ? { rule: 'yaml-merge-key', path: [], found: [] } : null
  }
  const walk = (node: JsonValue | undefined, depth: number, isText: boolean): Breach | null => {
    const what = notJson(node)
    if (what !== null && !isText) return { rule: 'value-not-json', path: [], found: [what] }
    if (typeof node !== 'object' || node === null) return null
    if (depth >= limits.frontmatterDepth) return { rule: 'yaml-too-deep', path: [], found: [] }
    const isList = Array.isArray(node)
    for (const key of Object.keys(node)) {
      const child = isList ? node[Number(key)] : node[key]
      const breach =
        (isList ? null : ofKey(key)) ?? walk(child, depth + 1, depth === 0 && TEXTS.includes(key))
      // Only where there is a fault, its path is put together.
      if (breach !== null) return { ...breach, path: [isList ? Number(key) : key, ...breach.path] }
    }
    return null
  }
  return walk(value, 0, false)
}

/** Joins runs of blank lines to one line of the same length: `yaml` takes quadratic time for them. */
function withoutBlankRuns(source: string): string {
  return source.replace(/\n(?:[ \t]*\n){100,}/g, run => `${' '.repeat(run.length - 1)}\n`)
}

/** Looks up the offset of a key or value in frontmatter by its path; null if it is missing. */
interface Offsets {
  key: (path: readonly (string | number)[]) => number | null
  value: (path: readonly (string | number)[]) => number | null
}

/** Finds offsets in frontmatter, which is parsed on the first call. */
export function offsetsIn(source: string): Offsets {
  let parsed: Document | undefined
  const document = (): Document => {
    parsed ??= yamlPackages.yaml.parseDocument(withoutBlankRuns(source))
    return parsed
  }
  return {
    value: path => startOf(document().getIn(path, true)),
    key: path => {
      const { isMap, isScalar } = yamlPackages.yaml
      const mapping = path.length > 1 ? document().getIn(path.slice(0, -1), true) : document().contents
      if (!isMap(mapping)) return null
      return startOf(mapping.items.find(({ key }) => isScalar(key) && String(key.value) === path.at(-1))?.key)
    },
  }
}

function startOf(node: unknown): number | null {
  return yamlPackages.yaml.isNode(node) ? (node.range?.[0] ?? null) : null
}

/** A scalar as its author wrote it, which YAML may read as another value: `0123`, `yes`, `2024-01-01`. */
export function scalarSource(source: string, key: string): string {
  const { isScalar, parseDocument } = yamlPackages.yaml
  const node = parseDocument(source).get(key, true)
  return isScalar(node) && typeof node.source === 'string' ? node.source : ''
}

const require = createRequire(import.meta.url)

/**
 * The YAML packages, each loaded when it is first needed. Loading all of them takes as long as reading some
 * hundred skills; plain frontmatter needs none, and `yaml` is needed only for the positions of faults.
 */
export const yamlPackages = {
  get grayMatter(): typeof import('gray-matter') {
    return require('gray-matter')
  },
  get jsYaml(): typeof import('js-yaml') {
    return require('js-yaml')
  },
  get yaml(): typeof import('yaml') {
    return require('yaml')
  },
}

/** The offsets at which a key and its value begin. */
interface KeyOffsets {
  key: number
  /** Offset of the value's first character, or of the line's end where the value begins below. */
  value: number
}

/** Finds single keys of frontmatter's top-level mapping, most without looking at the others. */
export function keyFinder(source: string): (name: string) => KeyOffsets | undefined {
  const found = new Map<string, KeyOffsets | undefined>()
  let all: Map<string, KeyOffsets> | undefined
  return name => {
    if (!found.has(name)) {
      const plain = plainKey(source, name)
      if (plain === undefined) all ??= topLevelKeys(source)
      found.set(name, plain ?? all?.get(name))
    }
    return found.get(name)
  }
}

/** A key that is written without quotes, and with nothing before its colon. */
function plainKey(source: string, name: string): KeyOffsets | undefined {
  const plain = `${name}:`
  for (let key = source.indexOf(plain); key !== -1; key = source.indexOf(plain, key + 1)) {
    BLANKS.lastIndex = key + plain.length
    const beginsLine = key === 0 || source.charAt(key - 1) === '\n'
    if (beginsLine && BLANKS.test(source)) return { key, value: BLANKS.lastIndex }
  }
  return undefined
}

const BLANKS = /(?=[ \t]|\r?(?:\n|$))[ \t]*/y

/**
 * Finds the offsets of the keys of frontmatter's top-level mapping. In a block mapping exactly
 * these begin a line, so no parser is needed. A mapping in braces gives none.
 */
export function topLevelKeys(source: string): Map<string, KeyOffsets> {
  const offsets = new Map<string, KeyOffsets>()
  // A line begins only after a newline; `^` would also match after a CR or U+2028 inside a line.
  for (const match of source.matchAll(
    /(?<![^\n])(?:"([^"\n]*)"[ \t]*|'([^'\n]*)'[ \t]*|([^\s#"'[\]{}&*!|>%@`-][^:\n]*|-[^\s:][^:\n]*)):(?=[ \t]|\r?(?:\n|$))[ \t]*/g,
  )) {
    const name = match[1] ?? match[2] ?? match[3]?.trimEnd() ?? ''
    if (!offsets.has(name)) offsets.set(name, { key: match.index, value: match.index + match[0].length })
  }
  return offsets
}
