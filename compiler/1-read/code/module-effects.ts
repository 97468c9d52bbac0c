import type { Expression, Node, ObjectExpression } from 'acorn'
import { definitionIn, isTypeOnly, type Scope, type TypeScriptNode, withoutTypes } from './module-scope.js'

/** True for a top-level statement that does more than declare, so that it could throw, hang or print. */
export function hasEffect(statement: Node, scope: Scope): boolean {
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

/** True for an expression that may run code: any but literals, functions, names and calls of `defineTool`. */
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
