import type { ExportNamedDeclaration, Expression, Identifier, Node, ObjectExpression, Program } from 'acorn'

/** The top level of a module. */
export interface Scope {
  constants: Map<string, Expression>
  /** The first values of functions and variables, by name. */
  functions: Map<string, Node>
  /** Names by which agent-apps' `defineTool` was imported. */
  defineTool: Set<string>
  /** Names by which all of agent-apps was imported: `import * as …`. */
  namespaces: Set<string>
  exports: { name: string; value: Node }[]
  /** True if the module may export `frontmatter` in a way that its source does not show. */
  mayHideFrontmatter: boolean
  /** How much may still be read: constants that name constants could otherwise grow without bound. */
  budget: { values: number; characters: number }
}

const VALUES_READ = 20_000
const CHARACTERS_READ = 1024 * 1024

/** Reads the top-level declarations, imports and exports of a module. */
export function readScope(program: Program): Scope {
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

/** True for a statement that may export `frontmatter` otherwise than by a declaration of that name. */
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

/** True for a statement of TypeScript that compiles to nothing. */
export function isTypeOnly(statement: Node): boolean {
  const { type, declare, exportKind, declaration } = statement as TypeScriptNode
  return (
    declare === true ||
    exportKind === 'type' ||
    ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'TSDeclareFunction'].includes(type) ||
    (declaration ? isTypeOnly(declaration) : false)
  )
}

export interface TypeScriptNode extends Node {
  declare?: boolean
  exportKind?: 'type' | 'value'
  declaration?: Node | null
}

/** An expression without the types around it: `value as const`, `value satisfies Type`, `value!`. */
export function withoutTypes<Some extends Node>(node: Some): Some {
  const { type, expression } = node as Some & { expression?: Some }
  const isAnnotated = /^TS(?:As|Satisfies|NonNull)Expression$|^TSTypeAssertion$/.test(type)
  return isAnnotated && expression ? withoutTypes(expression) : node
}

/** The names in `export { a as b }`; empty if it re-exports another module. */
function specifiers(statement: ExportNamedDeclaration): { local: string; exported: string }[] {
  if (statement.source) return []
  return statement.specifiers.map(({ local, exported }) => ({
    local: nameOf(local),
    exported: nameOf(exported),
  }))
}

export function nameOf(node: Node): string {
  if (node.type === 'Identifier') return (node as Identifier).name
  return String((node as { value?: unknown }).value)
}

function isAgentApps(source: unknown): boolean {
  return typeof source === 'string' && (source === 'agent-apps' || source.startsWith('agent-apps/'))
}

/** The value that a node names; the node itself if it names none of these. */
export function assignedTo(node: Node, values: ReadonlyMap<string, Node>): Node {
  const bare = withoutTypes(node)
  return bare.type === 'Identifier' ? withoutTypes(values.get((bare as Identifier).name) ?? bare) : bare
}

export interface Definition {
  call: Node
  /** The first argument, where the second is a function that makes the definition. */
  name: Expression | null
  fields: ObjectExpression | null
}

/** The definition that a node is, null where the node is not a call of `defineTool`. */
export function definitionIn(node: Node, scope: Scope): Definition | null {
  if (node.type !== 'CallExpression') return null
  const { callee, arguments: given } = node as Node & { callee: Node; arguments: Expression[] }
  if (!isDefineTool(callee, scope)) return null
  const [first, second] = given.map(withoutTypes)
  if (first?.type === 'ObjectExpression') return { call: node, name: null, fields: first }
  return { call: node, name: second && first ? first : null, fields: null }
}

/** True for `defineTool`, under any imported name, and for `all.defineTool` of a namespace. */
function isDefineTool(callee: Node, { defineTool, namespaces }: Scope): boolean {
  if (callee.type === 'Identifier') return defineTool.has((callee as Identifier).name)
  if (callee.type !== 'MemberExpression') return false
  const { object, property, computed } = callee as Node & { object: Node; property: Node; computed: boolean }
  const isNamespace = object.type === 'Identifier' && namespaces.has((object as Identifier).name)
  return isNamespace && nameOf(property) === 'defineTool' && (!computed || property.type === 'Literal')
}
