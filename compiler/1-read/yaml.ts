import matter from 'gray-matter'
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml'
import { type Document, isNode, isScalar, parseDocument, visit } from 'yaml'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/json.js'
import type { RuleName } from '../diagnostics.js'
import { limits } from '../limits.js'

/** Why a text is not frontmatter: a rule, what was found, and an offset into the text. */
export interface YamlProblem {
  rule: RuleName
  offset: number
  found: string[]
}

export type YamlResult = { value: JsonObject; problem?: never } | { problem: YamlProblem; value?: never }

/**
 * Reads frontmatter's YAML as YAML 1.2's core schema has it: no dates, no binary, no code, nothing shared.
 *
 * gray-matter is handed one thing only, a document that we fenced ourselves and with its engines replaced:
 * left to itself it runs `---js` as code, keeps what it parsed in a cache and closes a block at `---foo`.
 */
export function readYaml(source: string): YamlResult {
  try {
    const { data } = matter({ content: `---\n${source}\n---\n` }, { language: 'yaml', engines: ENGINES })
    const problem = problemInValue(source, data)
    return problem ? { problem } : { value: data as JsonObject }
  } catch (error) {
    if (error instanceof YAMLException) return { problem: problemOfException(source, error) }
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

const ENGINES = {
  yaml: { parse: parseMapping, stringify: refuse },
  json: { parse: refuse, stringify: refuse },
  javascript: { parse: refuse, stringify: refuse },
  coffee: { parse: refuse, stringify: refuse },
}

function parseMapping(source: string): JsonObject {
  const value: unknown = load(source, { schema: CORE_SCHEMA })
  if (value === null || value === undefined) return {}
  if (!isJsonObject(value)) throw new NotMapping(Array.isArray(value) ? 'a list' : 'a single value')
  return value
}

function problemOfException(source: string, exception: YAMLException): YamlProblem {
  const { reason = exception.message, mark } = exception as YAMLException & { reason?: string }
  // gray-matter hands on the newline after its fence; and what ends too early ends with the last thing written.
  const offset = Math.max(0, Math.min((mark?.position ?? 0) - 1, source.trimEnd().length - 1))
  const tag = /^unknown tag !<(.*)>/.exec(reason)?.[1]?.replace(/^tag:yaml\.org,2002:/, '!!')
  if (tag !== undefined) {
    return { rule: 'yaml-tag', offset: Math.max(0, source.lastIndexOf(tag, offset)), found: [tag] }
  }
  if (reason.startsWith('duplicated mapping key')) {
    const key = /^[^:\n]{0,80}/.exec(source.slice(offset))?.[0] ?? ''
    return { rule: 'yaml-duplicate-key', offset, found: [key.trim()] }
  }
  if (reason.startsWith('expected a single document')) {
    return { rule: 'yaml-syntax', offset: Math.max(0, source.search(/^(?:\.\.\.|---)/m)), found: [reason] }
  }
  if (reason.startsWith('nesting exceeded')) return { rule: 'yaml-too-deep', offset, found: [] }
  return { rule: 'yaml-syntax', offset, found: [reason] }
}

const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype']
/** What an alias could look like. Most texts have none, so that few are parsed a second time to be sure. */
const MAYBE_ALIAS = /(?:^|[\s[{,:?-])\*[^\s,[\]{}*]/

/** What a value holds that frontmatter may not: found by walking it, and only then looked up in the text. */
function problemInValue(source: string, value: JsonObject): YamlProblem | null {
  let keys = 0
  // Aliases share a node, and may share it a billion times over: each is looked at once.
  const seen = new Set<JsonValue>()
  const walk = (node: JsonValue, depth: number): RuleName | [RuleName, string] | null => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return null
    seen.add(node)
    if (depth > limits.frontmatterDepth) return 'yaml-too-deep'
    for (const [key, child] of Object.entries(node)) {
      if (!Array.isArray(node)) {
        if (++keys > limits.frontmatterKeys) return 'yaml-too-many-keys'
        if (FORBIDDEN_KEYS.includes(key)) return ['forbidden-key', key]
        if (key === '<<') return ['yaml-merge-key', key]
      }
      const problem = walk(child, depth + 1)
      if (problem !== null) return problem
    }
    return null
  }
  const problem = walk(value, 1)
  if (Array.isArray(problem)) {
    const [rule, key] = problem
    return { rule, offset: Math.max(0, source.indexOf(key)), found: [key] }
  }
  if (problem !== null) return { rule: problem, offset: 0, found: [] }
  return MAYBE_ALIAS.test(source) ? aliasIn(source) : null
}

function aliasIn(source: string): YamlProblem | null {
  let problem: YamlProblem | null = null
  visit(parseDocument(source), {
    Alias(_, alias) {
      problem = { rule: 'yaml-alias', offset: alias.range?.[0] ?? 0, found: [`*${alias.source}`] }
      return visit.BREAK
    },
  })
  return problem
}

/**
 * Finds the offset in frontmatter's text at which a value begins, by its path of keys; null where there is none.
 * The text is parsed for its places once, when the first is wanted.
 */
export function valueOffsets(source: string): (path: readonly (string | number)[]) => number | null {
  let document: Document.Parsed | undefined
  return path => {
    document ??= parseDocument(source)
    const node = document.getIn(path, true)
    return isNode(node) ? (node.range?.[0] ?? null) : null
  }
}

/** The text of a scalar as its author wrote it, where YAML reads it as something else: `0123`, `yes`, `2024-01-01`. */
export function scalarSource(source: string, key: string): string {
  const node = parseDocument(source).get(key, true)
  return isScalar(node) && typeof node.source === 'string' ? node.source : ''
}
