import { CORE_SCHEMA, load, YAMLException } from 'js-yaml'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/json.js'
import type { RuleName } from '../diagnostics.js'
import { limits } from '../limits.js'
import { yamlPackages } from './yaml-packages.js'

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
    const { data } = yamlPackages.grayMatter(
      { content: `---\n${source}\n---\n` },
      { language: 'yaml', engines: ENGINES },
    )
    const problem = problemInValue(source, data)
    return problem ? { problem } : { value: data as JsonObject }
  } catch (error) {
    if (error instanceof YAMLException) return { problem: problemOfException(error) }
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

function problemOfException(exception: YAMLException): YamlProblem {
  const { reason = exception.message, mark } = exception as YAMLException & { reason?: string }
  const offset = mark?.position ?? 0
  const tag = /^unknown tag !<(.*)>/.exec(reason)?.[1]
  if (tag !== undefined) return { rule: 'yaml-tag', offset, found: [tag] }
  if (reason.startsWith('duplicated mapping key')) return { rule: 'yaml-duplicate-key', offset, found: [''] }
  if (reason.startsWith('nesting exceeded')) return { rule: 'yaml-too-deep', offset, found: [] }
  return { rule: 'yaml-syntax', offset, found: [reason] }
}

const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype']
/** What an alias could look like. Most texts have none, so that few are parsed a second time to be sure. */
const MAYBE_ALIAS = /(?:^|[\s[{,:?-])\*[^\s,[\]{}*]/

/** What a value holds that frontmatter may not: found by walking it, and only then looked up in the text. */
function problemInValue(source: string, value: JsonObject): YamlProblem | null {
  let keys = 0
  const walk = (node: JsonValue, depth: number): RuleName | [RuleName, string] | null => {
    if (typeof node !== 'object' || node === null) return null
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
  const { parseDocument, visit } = yamlPackages.yaml
  let problem: YamlProblem | null = null
  visit(parseDocument(source), {
    Alias(_, alias) {
      problem = { rule: 'yaml-alias', offset: alias.range?.[0] ?? 0, found: [`*${alias.source}`] }
      return visit.BREAK
    },
  })
  return problem
}

/** The offset in frontmatter's text at which a value begins, by its path of keys; null where there is none. */
export function locate(source: string, path: readonly (string | number)[]): number | null {
  const { isNode, parseDocument } = yamlPackages.yaml
  const node = parseDocument(source).getIn(path, true)
  return isNode(node) ? (node.range?.[0] ?? null) : null
}

/** The text of a scalar as its author wrote it, where YAML reads it as something else: `0123`, `yes`, `2024-01-01`. */
export function scalarSource(source: string, key: string): string {
  const { isScalar, parseDocument } = yamlPackages.yaml
  const node = parseDocument(source).get(key, true)
  return isScalar(node) && typeof node.source === 'string' ? node.source : ''
}
