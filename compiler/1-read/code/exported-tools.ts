import type { Identifier, Node, ObjectExpression } from 'acorn'
import type { JsonObject } from '../../../src/base/json.js'
import { nearest } from '../../../src/base/nearest.js'
import {
  FIELD_OF,
  fieldGivenTwice,
  fieldsByOwnNames,
  frontmatterOf,
  ownFieldName,
} from '../../../src/own/defined-tool.js'
import { DEFINITION_FIELDS, FUNCTION_FIELDS } from '../../../src/skill/define-tool.js'
import { CORE_METADATA_KEYS } from '../../../src/skill/metadata-keys.js'
import { FORBIDDEN_KEYS } from '../../diagnostics/forbidden-keys.js'
import { type CodeProblem, literal, literalObject, newReader } from './literals.js'
import {
  assignedTo,
  type Definition,
  definitionIn,
  nameOf,
  type Scope,
  withoutTypes,
} from './module-scope.js'

/** The part of an exported tool that is known without running its module. */
export interface CodeTool {
  exported: string
  frontmatter: JsonObject
  /** The values that are not literal: paths into the frontmatter, with offsets into the text. */
  dynamic: { path: string; offset: number }[]
  /** The offset in the text of its name, or of the tool where the name is not literal. */
  offset: number
  /** The offsets of the values of its frontmatter, by path. */
  offsets: Map<string, number>
  /** True for a plain function in a module without an export `frontmatter`: it takes its file's name. */
  isBare?: true
  /** Why it cannot be used as a tool. */
  problems: CodeProblem[]
}

/** A field of a definition, with the offset of its key. */
interface FieldOffset {
  field: string
  offset: number
}

/** The tool that an export is, in an array; an empty array where it is none. */
export function toolOf(exported: string, value: Node, scope: Scope): CodeTool[] {
  const node = assignedTo(value, scope.constants)
  const definition = definitionIn(node, scope)
  if (definition) return [definedTool(exported, definition, scope)]
  return exported === 'default' ? plainTool(node, scope) : []
}

/** Nodes whose values are certainly not functions, with a description of each. */
export const NO_FUNCTIONS = new Map<string, string>([
  ['Literal', 'a single value'],
  ['TemplateLiteral', 'a string'],
  ['ArrayExpression', 'an array'],
  ['ObjectExpression', 'an object'],
])

function definedTool(exported: string, { call, name, fields }: Definition, scope: Scope): CodeTool {
  const reader = newReader(scope, frontmatterPath)
  const written = fields ? writtenFields(fields) : []
  // Keys that could reach an object's prototype are reported by `literalObject`.
  const unknown = written.filter(({ field }) => !isFieldOfFiles(field) && !FORBIDDEN_KEYS.includes(field))
  const skipped = new Set([...FUNCTION_FIELDS, ...unknown.map(({ field }) => field)])
  const read = fields ? literalObject(fields, '', reader, skipped) : {}
  const literalName = name ? literal(name, 'name', reader) : undefined
  if (!fields) reader.dynamic.push({ path: '', offset: call.start })
  const all = { ...read, ...(literalName !== undefined && { name: literalName }) }
  const { dynamic, offsets, problems } = reader
  if (fields && !mayExecute(fields))
    problems.push({ rule: 'execute-missing', offset: fields.start, found: nearExecute(unknown) })
  for (const { field, offset } of unknown)
    problems.push({ rule: 'definition-field', offset, found: [field, ...fieldMeant(field)] })
  problems.push(...fieldsTwice(written))
  return {
    exported,
    frontmatter: frontmatterOf(fieldsByOwnNames({ ...all, ...functionsIn(written) })),
    dynamic,
    offsets,
    problems,
    offset: offsets.get('name') ?? call.start,
  }
}

/** A skill file imports its text; only a program that registers a tool names a file. */
function isFieldOfFiles(field: string): boolean {
  return field !== 'descriptionPath' && DEFINITION_FIELDS.includes(field)
}

function writtenFields({ properties }: ObjectExpression): FieldOffset[] {
  return properties.flatMap(property =>
    property.type === 'SpreadElement' || property.computed
      ? []
      : [{ field: nameOf(property.key), offset: property.key.start }],
  )
}

/** The functions of a definition: that they are there is known without running them. */
function functionsIn(written: readonly FieldOffset[]): Record<string, true> {
  const functions = written.filter(({ field }) => FUNCTION_FIELDS.includes(field))
  return Object.fromEntries(functions.map(({ field }) => [field, true]))
}

function fieldsTwice(written: readonly FieldOffset[]): CodeProblem[] {
  const twice = fieldGivenTwice(written.map(({ field }) => field))
  const second = written.find(({ field }) => field === twice?.field)
  return twice && second
    ? [{ rule: 'definition-duplicate', offset: second.offset, found: [twice.field, twice.first] }]
    : []
}

/** The known name nearest to an unknown field, and `metadata` if the field belongs there. */
function fieldMeant(field: string): string[] {
  const isOfMetadata = field.startsWith('$') || CORE_METADATA_KEYS.includes(field)
  return [nearest(field, DEFINITION_FIELDS) ?? '', ...(isOfMetadata ? ['metadata'] : [])]
}

function nearExecute(unknown: readonly FieldOffset[]): string[] {
  const near = unknown.find(({ field }) => nearest(field, ['execute']) !== null)
  return near ? [near.field] : []
}

/** False where a definition certainly has no function `execute`. */
function mayExecute({ properties }: ObjectExpression): boolean {
  return properties.some(
    property =>
      property.type === 'SpreadElement' ||
      property.computed ||
      (nameOf(property.key) === 'execute' && !NO_FUNCTIONS.has(withoutTypes(property.value).type)),
  )
}

/** The fields of a definition whose keys under `metadata` have other names. */
const METADATA_KEYS = new Map([...FIELD_OF].map(([key, field]) => [field, key]))

/** The path in frontmatter of a path in a definition: all other fields are under `metadata`. */
function frontmatterPath(written: string): string {
  const field = written.replace(/^\w+/, ownFieldName)
  if (/^(?:$|name\b|description\b|metadata\b)/.test(field)) return field
  const [, first = ''] = /^(\w+)/.exec(field) ?? []
  const key = METADATA_KEYS.get(first)
  if (key !== undefined) return `metadata.${key}${field.slice(first.length)}`
  return field.startsWith('allowedTools')
    ? field.replace('allowedTools', 'allowed-tools')
    : `metadata.${field}`
}

/**
 * The tool of a default export that was not made with `defineTool`: a function, with its metadata in the
 * export `frontmatter`. A value that is not a function is at fault where there is such an export, and else is
 * ignored.
 */
function plainTool(node: Node, scope: Scope): CodeTool[] {
  const reader = newReader(scope)
  const exported = scope.exports.find(({ name }) => name === 'frontmatter')?.value
  const what = NO_FUNCTIONS.get(node.type)
  if (what !== undefined && !exported) return []
  const value = exported && assignedTo(exported, scope.constants)
  const isObject = value?.type === 'ObjectExpression'
  const frontmatter = isObject ? literalObject(value as ObjectExpression, '', reader) : {}
  if (value && !isObject) reader.dynamic.push({ path: '', offset: value.start })
  const maker = exported ? null : nearDefineTool(node)
  if (what !== undefined) reader.problems.push({ rule: 'no-tool', offset: node.start, found: [what] })
  if (maker !== null)
    reader.problems.push({ rule: 'no-tool', offset: node.start, found: [`made by \`${maker}\``, maker] })
  const { dynamic, offsets, problems } = reader
  const shown = assignedTo(node, scope.functions)
  const isBare = !exported && !scope.mayHideFrontmatter && FUNCTIONS.has(shown.type)
  const offset = offsets.get('name') ?? (isBare ? shown : node).start
  const tool = { exported: 'default', frontmatter, dynamic, offsets, problems, offset }
  return [isBare ? { ...tool, isBare } : tool]
}

/** Nodes that certainly are functions. Results of calls, and imports, may be tools with their own names. */
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionDeclaration', 'FunctionExpression'])

/** The called name if `defineTool` was probably meant, misspelt or not imported; else null. */
function nearDefineTool(node: Node): string | null {
  if (node.type !== 'CallExpression') return null
  const { callee } = node as Node & { callee: Node }
  const name = callee.type === 'Identifier' ? (callee as Identifier).name : ''
  return name === 'defineTool' || nearest(name, ['defineTool']) !== null ? name : null
}
