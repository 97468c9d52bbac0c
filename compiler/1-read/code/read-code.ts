import { tsPlugin } from '@sveltejs/acorn-typescript'
import {
  type ArrayExpression,
  type ExportNamedDeclaration,
  type Expression,
  type Identifier,
  type Node,
  type ObjectExpression,
  Parser,
  type Program,
  type TemplateLiteral,
} from 'acorn'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.js'
import { nearest } from '../../../src/base/nearest.js'
import {
  DEFINITION_FIELDS,
  FIELDS_TO_COME,
  frontmatterOf,
  isDefinitionField,
} from '../../../src/skill/define-tool.js'
import { CORE_METADATA_KEYS } from '../../../src/skill/metadata-keys.js'
import { notJson } from '../../../src/values/not-json.js'
import type { RuleName } from '../../diagnostics/diagnostics.js'
import { FORBIDDEN_KEYS } from '../../diagnostics/forbidden-keys.js'

/** A tool that a module exports, as far as it can be known without running the module. */
export interface CodeTool {
  /** The export that holds it. */
  exported: string
  /** Its frontmatter, with what is literal of it. */
  frontmatter: JsonObject
  /** What is not literal, as paths into the frontmatter, with offsets into the text. */
  dynamic: { path: string; offset: number }[]
  /** Where its name stands, or else the tool; an offset into the text. */
  offset: number
  /** Where the values of its frontmatter stand, by path. */
  places: Map<string, number>
  /** True for a plain function in a module that certainly exports no `frontmatter`: its file names it. */
  isBare?: true
  /** The fields of its definition that do nothing yet. */
  idle: FieldPlace[]
  /** Why it cannot be a tool. */
  problems: CodeProblem[]
}

/** A field of a definition, with the offset of its name. */
export interface FieldPlace {
  field: string
  offset: number
}

/** A rule that code breaks, with what was found at an offset into the text. */
export interface CodeProblem {
  rule: RuleName
  offset: number
  found: string[]
}

/** What a module was found to be. */
export interface CodeModule {
  tools: CodeTool[]
  /** What is known of the default export. A text without `import` and `export` may be CommonJS, and then has one. */
  defaultExport: 'none' | 'no-function' | 'maybe'
  /** True where importing it does something besides declaring: only then can importing it fail. */
  hasEffects: boolean
}

const parsers = { javascript: Parser, typescript: Parser.extend(tsPlugin()) }

/**
 * Reads the tools of a module from its tree: the default export with `frontmatter`, and every export made with
 * `defineTool`. Nothing of it is run.
 *
 * @throws SyntaxError, with `pos`, where it is not of its language
 */
export function readCode(text: string, language: keyof typeof parsers): CodeModule {
  const program = parse(text, language)
  const scope = readScope(program)
  const tools = scope.exports.flatMap(({ name, value }) => toolOf(name, value, scope))
  return {
    tools: defaultFirst(tools),
    defaultExport: defaultExport(program, scope),
    hasEffects: program.body.some(statement => hasEffect(statement, scope)),
  }
}

/**
 * The value of a module's default export, where all of it is literal; undefined where only running the module tells.
 *
 * @throws SyntaxError where it is not of its language
 */
export function readLiteralDefault(text: string, language: keyof typeof parsers): JsonValue | undefined {
  const program = parse(text, language)
  const scope = readScope(program)
  const value = scope.exports.find(({ name }) => name === 'default')?.value
  // What else stands there could change a constant before it is exported.
  const isChanged = program.body.some(
    statement => statement.type !== 'ExportDefaultDeclaration' && hasEffect(statement, scope),
  )
  if (!value || isChanged) return undefined
  const reader: Reader = { scope, dynamic: [], places: new Map(), problems: [], toPath: path => path }
  const read = literal(value as Expression, '', reader)
  return reader.dynamic.length + reader.problems.length === 0 ? read : undefined
}

function parse(text: string, language: keyof typeof parsers): Program {
  return parsers[language].parse(text, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })
}

/** What stands at a module's top level. */
interface Scope {
  /** Constants by name, with what they are set to. */
  constants: Map<string, Expression>
  /** What all other names that may stand for a function were first set to. */
  functions: Map<string, Node>
  /** Local names of agent-apps' `defineTool`. */
  defineTool: Set<string>
  /** Local names of all of agent-apps: `import * as …`. */
  namespaces: Set<string>
  exports: { name: string; value: Node }[]
  /** True where there may be an export `frontmatter` that cannot be seen here. */
  mayHideFrontmatter: boolean
  /** Values and characters of text still to be read; constants that name constants could otherwise grow without bound. */
  budget: { values: number; characters: number }
}

const VALUES_READ = 20_000
const CHARACTERS_READ = 1024 * 1024

function readScope(program: Program): Scope {
  const scope: Scope = {
    constants: new Map(),
    functions: new Map(),
    defineTool: new Set(),
    namespaces: new Set(),
    exports: [],
    mayHideFrontmatter: program.body.some(mayHideFrontmatter),
    budget: { values: VALUES_READ, characters: CHARACTERS_READ },
  }
  const named: { local: string; exported: string }[] = []
  for (const statement of program.body) {
    if (isTypeOnly(statement)) continue
    const declaration =
      statement.type === 'ExportNamedDeclaration' ? (statement.declaration ?? null) : statement
    if (declaration?.type === 'VariableDeclaration') {
      for (const { id, init } of declaration.declarations) {
        if (id.type !== 'Identifier' || !init) continue
        if (declaration.kind === 'const') scope.constants.set(id.name, init)
        else scope.functions.set(id.name, init)
        if (statement !== declaration) scope.exports.push({ name: id.name, value: init })
      }
    } else if (declaration?.type === 'FunctionDeclaration' && declaration.id) {
      scope.functions.set(declaration.id.name, declaration)
      if (statement !== declaration) scope.exports.push({ name: declaration.id.name, value: declaration })
    }
    if (statement.type === 'ExportNamedDeclaration') named.push(...specifiers(statement))
    if (statement.type === 'ExportDefaultDeclaration')
      scope.exports.push({ name: 'default', value: statement.declaration })
    if (statement.type === 'ImportDeclaration' && isAgentApps(statement.source.value)) {
      for (const specifier of statement.specifiers) {
        if (specifier.type === 'ImportSpecifier' && nameOf(specifier.imported) === 'defineTool')
          scope.defineTool.add(specifier.local.name)
        if (specifier.type === 'ImportNamespaceSpecifier') scope.namespaces.add(specifier.local.name)
      }
    }
  }
  for (const { local, exported } of named) {
    const value = scope.constants.get(local) ?? scope.functions.get(local)
    if (value) scope.exports.push({ name: exported, value })
  }
  return scope
}

/** True for a statement that may export `frontmatter` as something else than a name set to a value. */
function mayHideFrontmatter(statement: Node): boolean {
  if (isTypeOnly(statement)) return false
  const { type, exported, specifiers, declaration } = statement as ExportStatement
  if (type === 'ExportAllDeclaration') return !exported || nameOf(exported) === 'frontmatter'
  if (type !== 'ExportNamedDeclaration') return false
  const isNamed = specifiers?.some(one => nameOf(one.exported) === 'frontmatter')
  return isNamed || declaration?.declarations?.some(({ id }) => id.type !== 'Identifier') === true
}

interface ExportStatement extends Node {
  exported?: Node | null
  specifiers?: { exported: Node }[]
  declaration?: { declarations?: { id: Node }[] } | null
}

/** True for what is TypeScript's alone and leaves nothing when its types are taken away. */
function isTypeOnly(statement: Node): boolean {
  const { type, declare, exportKind, declaration } = statement as TypeScriptNode
  return (
    declare === true ||
    exportKind === 'type' ||
    ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'TSDeclareFunction'].includes(type) ||
    (declaration ? isTypeOnly(declaration) : false)
  )
}

interface TypeScriptNode extends Node {
  declare?: boolean
  exportKind?: 'type' | 'value'
  declaration?: Node | null
}

/** An expression without the types around it: `value as const`, `value satisfies Type`, `value!`. */
function withoutTypes<Some extends Node>(node: Some): Some {
  const { type, expression } = node as Some & { expression?: Some }
  const isAnnotated = /^TS(?:As|Satisfies|NonNull)Expression$|^TSTypeAssertion$/.test(type)
  return isAnnotated && expression ? withoutTypes(expression) : node
}

/** `export { a as b }`; what another module exports through this one is not its own. */
function specifiers(statement: ExportNamedDeclaration): { local: string; exported: string }[] {
  if (statement.source) return []
  return statement.specifiers.map(({ local, exported }) => ({
    local: nameOf(local),
    exported: nameOf(exported),
  }))
}

function nameOf(node: Node): string {
  if (node.type === 'Identifier') return (node as Identifier).name
  return String((node as { value?: unknown }).value)
}

function isAgentApps(source: unknown): boolean {
  return typeof source === 'string' && (source === 'agent-apps' || source.startsWith('agent-apps/'))
}

function toolOf(exported: string, value: Node, scope: Scope): CodeTool[] {
  const node = constantOf(value, scope)
  const definition = definitionIn(node, scope)
  if (definition) return [definedTool(exported, definition, scope)]
  return exported === 'default' ? plainTool(node, scope) : []
}

/** What a name at the top level is set to for good; any other node as it is. */
function constantOf(node: Node, { constants }: Scope): Node {
  return assignedTo(node, constants)
}

function assignedTo(node: Node, values: ReadonlyMap<string, Node>): Node {
  const bare = withoutTypes(node)
  return bare.type === 'Identifier' ? withoutTypes(values.get((bare as Identifier).name) ?? bare) : bare
}

/** What a value is that is certainly none that can be called; null for all others. */
const NO_FUNCTIONS = new Map<string, string>([
  ['Literal', 'a single value'],
  ['TemplateLiteral', 'a text'],
  ['ArrayExpression', 'a list'],
  ['ObjectExpression', 'an object'],
])

function defaultExport({ body }: Program, scope: Scope): CodeModule['defaultExport'] {
  const statements = body.filter(({ type }) => /^(?:Im|Ex)port/.test(type))
  const isDefault = (statement: Node): boolean => {
    const { exported, specifiers = [] } = statement as { exported?: Node; specifiers?: { exported?: Node }[] }
    const names = [exported, ...specifiers.map(specifier => specifier.exported)]
    return (
      statement.type === 'ExportDefaultDeclaration' || names.some(name => name && nameOf(name) === 'default')
    )
  }
  if (statements.length > 0 && !statements.some(isDefault)) return 'none'
  const value = scope.exports.find(({ name }) => name === 'default')?.value
  return value && NO_FUNCTIONS.has(constantOf(value, scope).type) ? 'no-function' : 'maybe'
}

interface Definition {
  call: Node
  /** The name, where it stands before a function that makes the rest. */
  name: Expression | null
  fields: ObjectExpression | null
}

function definitionIn(node: Node, scope: Scope): Definition | null {
  if (node.type !== 'CallExpression') return null
  const { callee, arguments: given } = node as Node & { callee: Node; arguments: Expression[] }
  if (!isDefineTool(callee, scope)) return null
  const [first, second] = given.map(withoutTypes)
  if (first?.type === 'ObjectExpression') return { call: node, name: null, fields: first }
  return { call: node, name: second && first ? first : null, fields: null }
}

/** True for `defineTool`, by whatever name it was imported, and for `all.defineTool` after `import * as all`. */
function isDefineTool(callee: Node, { defineTool, namespaces }: Scope): boolean {
  if (callee.type === 'Identifier') return defineTool.has((callee as Identifier).name)
  if (callee.type !== 'MemberExpression') return false
  const { object, property, computed } = callee as Node & { object: Node; property: Node; computed: boolean }
  const isNamespace = object.type === 'Identifier' && namespaces.has((object as Identifier).name)
  return isNamespace && nameOf(property) === 'defineTool' && (!computed || property.type === 'Literal')
}

function definedTool(exported: string, { call, name, fields }: Definition, scope: Scope): CodeTool {
  const reader: Reader = { scope, places: new Map(), dynamic: [], problems: [], toPath: frontmatterPath }
  const written = fields ? writtenFields(fields) : []
  // A key that could reach an object's prototype is told of on its own.
  const unknown = written.filter(({ field }) => !isDefinitionField(field) && !FORBIDDEN_KEYS.includes(field))
  const idle = written.filter(({ field }) => FIELDS_TO_COME.includes(field))
  const skipped = new Set(['execute', ...[...unknown, ...idle].map(({ field }) => field)])
  const read = fields ? literalObject(fields, '', reader, skipped) : {}
  const literalName = name ? literal(name, 'name', reader) : undefined
  if (!fields) reader.dynamic.push({ path: '', offset: call.start })
  const all = literalName === undefined ? read : { ...read, name: literalName }
  const { dynamic, places, problems } = reader
  if (fields && !mayExecute(fields))
    problems.push({ rule: 'execute-missing', offset: fields.start, found: nearExecute(unknown) })
  for (const { field, offset } of unknown)
    problems.push({ rule: 'definition-field', offset, found: [field, ...fieldMeant(field)] })
  return {
    exported,
    frontmatter: frontmatterOf(all),
    dynamic,
    places,
    idle,
    problems,
    offset: places.get('name') ?? call.start,
  }
}

function writtenFields({ properties }: ObjectExpression): FieldPlace[] {
  return properties.flatMap(property =>
    property.type === 'SpreadElement' || property.computed
      ? []
      : [{ field: nameOf(property.key), offset: property.key.start }],
  )
}

/** What an unknown field may have been meant to be, and where it would mean something. */
function fieldMeant(field: string): string[] {
  const isOfMetadata = field.startsWith('$') || CORE_METADATA_KEYS.includes(field)
  return [nearest(field, DEFINITION_FIELDS) ?? '', ...(isOfMetadata ? ['metadata'] : [])]
}

function nearExecute(unknown: readonly FieldPlace[]): string[] {
  const near = unknown.find(({ field }) => nearest(field, ['execute']) !== null)
  return near ? [near.field] : []
}

/** False where a definition has certainly no function `execute`. */
function mayExecute({ properties }: ObjectExpression): boolean {
  return properties.some(
    property =>
      property.type === 'SpreadElement' ||
      property.computed ||
      (nameOf(property.key) === 'execute' && !NO_FUNCTIONS.has(withoutTypes(property.value).type)),
  )
}

/** Where a definition's field stands in frontmatter: all but these are under `metadata`. */
function frontmatterPath(field: string): string {
  if (/^(?:$|name|description|metadata)/.test(field)) return field
  return field.startsWith('allowedTools')
    ? field.replace('allowedTools', 'allowed-tools')
    : `metadata.${field}`
}

/**
 * A default export that `defineTool` did not make: a function, with its metadata in the export `frontmatter`. What
 * is no function is no tool; with `frontmatter` it was to be one, and without it is nothing of ours.
 */
function plainTool(node: Node, scope: Scope): CodeTool[] {
  const reader: Reader = { scope, places: new Map(), dynamic: [], problems: [], toPath: path => path }
  const exported = scope.exports.find(({ name }) => name === 'frontmatter')?.value
  const what = NO_FUNCTIONS.get(node.type)
  if (what !== undefined && !exported) return []
  const value = exported && constantOf(exported, scope)
  const isObject = value?.type === 'ObjectExpression'
  const frontmatter = isObject ? literalObject(value as ObjectExpression, '', reader) : {}
  if (value && !isObject) reader.dynamic.push({ path: '', offset: value.start })
  const maker = exported ? null : nearDefineTool(node)
  if (what !== undefined) reader.problems.push({ rule: 'no-tool', offset: node.start, found: [what] })
  if (maker !== null)
    reader.problems.push({ rule: 'no-tool', offset: node.start, found: [`made by \`${maker}\``, maker] })
  const { dynamic, places, problems } = reader
  const shown = assignedTo(node, scope.functions)
  const isBare = !exported && !scope.mayHideFrontmatter && FUNCTIONS.has(shown.type)
  const offset = places.get('name') ?? (isBare ? shown : node).start
  const tool = { exported: 'default', frontmatter, dynamic, places, idle: [], problems, offset }
  return [isBare ? { ...tool, isBare } : tool]
}

/** What is certainly a function. What a call gives, or another file, may be a tool with a name of its own. */
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionDeclaration', 'FunctionExpression'])

/** What a call names in the place of agent-apps' `defineTool`: that without its import, or a misspelt one; null for any other. */
function nearDefineTool(node: Node): string | null {
  if (node.type !== 'CallExpression') return null
  const { callee } = node as Node & { callee: Node }
  const name = callee.type === 'Identifier' ? (callee as Identifier).name : ''
  return name === 'defineTool' || nearest(name, ['defineTool']) !== null ? name : null
}

/** What reading a tool's literals needs and gives. */
interface Reader {
  scope: Scope
  places: Map<string, number>
  dynamic: { path: string; offset: number }[]
  problems: CodeProblem[]
  /** The path in frontmatter of a path in the object that is read. */
  toPath: (path: string) => string
}

/** The literal fields of an object; what is not literal is left out and named in `dynamic`. */
function literalObject(
  node: ObjectExpression,
  path: string,
  reader: Reader,
  skip: ReadonlySet<string> = new Set(),
): JsonObject {
  const entries: [string, JsonValue][] = []
  for (const property of node.properties) {
    if (property.type === 'SpreadElement') {
      const spread = literal(property.argument, path, reader)
      if (isJsonObject(spread)) entries.push(...Object.entries(spread))
    } else if (property.computed || property.kind !== 'init') {
      notLiteral(property, path, reader)
    } else {
      const key = nameOf(property.key)
      if (skip.has(key)) continue
      if (FORBIDDEN_KEYS.includes(key)) {
        reader.problems.push({ rule: 'forbidden-key', offset: property.key.start, found: [key] })
        continue
      }
      const inside = path === '' ? key : `${path}.${key}`
      reader.places.set(reader.toPath(inside), property.value.start)
      const value = literal(property.value, inside, reader)
      if (value !== undefined) entries.push([key, value])
    }
  }
  return Object.fromEntries(entries)
}

function notLiteral({ start }: Node, path: string, { dynamic, toPath }: Reader): undefined {
  dynamic.push({ path: toPath(path), offset: start })
  return undefined
}

/** The value of an expression that is a literal, or is made of literals and constants; else undefined, and `dynamic` says so. */
function literal(expression: Expression, path: string, reader: Reader): JsonValue | undefined {
  const node = withoutTypes(expression)
  if (--reader.scope.budget.values < 0) return notLiteral(node, path, reader)
  switch (node.type) {
    case 'Literal': {
      const { value } = node
      const what = node.regex ? 'RegExp' : node.bigint ? `${node.bigint}n` : notJson(value)
      if (what !== null) {
        reader.problems.push({ rule: 'value-not-json', offset: node.start, found: [what] })
        return undefined
      }
      if (typeof value === 'string' && !affords(value, reader)) return notLiteral(node, path, reader)
      if (
        value === null ||
        typeof value === 'string' ||
        typeof value === 'number' ||
        typeof value === 'boolean'
      )
        return value
      return notLiteral(node, path, reader)
    }
    case 'TemplateLiteral':
      return literalTemplate(node, path, reader)
    case 'UnaryExpression': {
      const value = node.operator === '-' ? literal(node.argument, path, reader) : undefined
      return typeof value === 'number' ? -value : notLiteral(node, path, reader)
    }
    case 'BinaryExpression': {
      if (node.operator !== '+' || node.left.type === 'PrivateIdentifier')
        return notLiteral(node, path, reader)
      const left = literal(node.left, path, reader)
      const right = literal(node.right, path, reader)
      return typeof left === 'string' && typeof right === 'string'
        ? left + right
        : notLiteral(node, path, reader)
    }
    case 'ArrayExpression':
      return literalArray(node, path, reader)
    case 'ObjectExpression':
      return literalObject(node, path, reader)
    case 'Identifier':
      return node.name === 'undefined' ? undefined : constant(node, path, reader)
    default:
      return notLiteral(node, path, reader)
  }
}

/** A template whose parts are texts and numbers. */
function literalTemplate(node: TemplateLiteral, path: string, reader: Reader): JsonValue | undefined {
  let text = ''
  for (const [index, { value }] of node.quasis.entries()) {
    text += value.cooked ?? ''
    const expression = node.expressions[index]
    if (!expression) continue
    const part = literal(expression, path, reader)
    if (typeof part !== 'string' && typeof part !== 'number') return notLiteral(node, path, reader)
    text += part
  }
  return affords(text, reader) ? text : notLiteral(node, path, reader)
}

function literalArray({ elements }: ArrayExpression, path: string, reader: Reader): JsonValue[] {
  const values: JsonValue[] = []
  for (const [index, element] of elements.entries()) {
    const inside = `${path}[${index}]`
    if (element?.type === 'SpreadElement') {
      const spread = literal(element.argument, inside, reader)
      if (Array.isArray(spread)) values.push(...spread)
    } else {
      const value = element ? literal(element, inside, reader) : null
      if (value !== undefined) values.push(value)
    }
  }
  return values
}

/** Takes a text off what may still be read; false where it is too much. */
function affords(text: string, { scope: { budget } }: Reader): boolean {
  budget.characters -= text.length
  return budget.characters >= 0
}

/** The value of a constant. Inside its own value it has none, so that constants that name each other end. */
function constant(node: Identifier, path: string, reader: Reader): JsonValue | undefined {
  const value = reader.scope.constants.get(node.name)
  if (!value) return notLiteral(node, path, reader)
  reader.scope.constants.delete(node.name)
  try {
    return literal(value, path, reader)
  } finally {
    reader.scope.constants.set(node.name, value)
  }
}

/** True for a top-level statement that does more than declare, and so could throw, hang or print. */
function hasEffect(statement: Node, scope: Scope): boolean {
  if (isTypeOnly(statement)) return false
  const { declaration } = statement as TypeScriptNode
  switch (statement.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'EmptyStatement':
      return false
    case 'ExportNamedDeclaration':
      return declaration ? hasEffect(declaration, scope) : false
    case 'ExportDefaultDeclaration':
      return declaration ? isComputed(declaration, scope) : false
    case 'VariableDeclaration': {
      const { declarations } = statement as Node & { declarations: { init?: Expression | null }[] }
      return declarations.some(({ init }) => init && isComputed(init, scope))
    }
    case 'ExpressionStatement':
      return (statement as { directive?: string }).directive === undefined
    default:
      return true
  }
}

/** True for an expression whose evaluation runs something: all but literals, functions, names and tools' definitions. */
function isComputed(expression: Node, scope: Scope): boolean {
  const node = withoutTypes(expression)
  const definition = definitionIn(node, scope)
  if (definition) return definition.fields ? isComputed(definition.fields, scope) : false
  switch (node.type) {
    case 'Literal':
    case 'Identifier':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return false
    case 'TemplateLiteral':
      return (node as unknown as { expressions: Node[] }).expressions.some(part => isComputed(part, scope))
    case 'UnaryExpression':
      return isComputed((node as unknown as { argument: Node }).argument, scope)
    case 'ArrayExpression':
      return (node as unknown as { elements: (Node | null)[] }).elements.some(
        part => part && isComputed(part, scope),
      )
    case 'ObjectExpression':
      return (node as ObjectExpression).properties.some(
        property =>
          property.type === 'SpreadElement' || property.computed || isComputed(property.value, scope),
      )
    default:
      return true
  }
}

function defaultFirst(tools: CodeTool[]): CodeTool[] {
  return [
    ...tools.filter(({ exported }) => exported === 'default'),
    ...tools.filter(({ exported }) => exported !== 'default'),
  ]
}
