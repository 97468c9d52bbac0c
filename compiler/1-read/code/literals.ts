import type {
  ArrayExpression,
  Expression,
  Identifier,
  Literal,
  Node,
  ObjectExpression,
  TemplateLiteral,
} from 'acorn'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.js'
import { notJson } from '../../../src/values/not-json.js'
import type { RuleName } from '../../diagnostics/diagnostics.js'
import { FORBIDDEN_KEYS } from '../../diagnostics/forbidden-keys.js'
import { nameOf, type Scope, withoutTypes } from './module-scope.js'

/** A rule that code breaks, with the values found and its offset. */
export interface CodeProblem {
  rule: RuleName
  offset: number
  found: string[]
}

/** The state of reading a tool's literals: its inputs and its findings so far. */
interface Reader {
  scope: Scope
  offsets: Map<string, number>
  dynamic: { path: string; offset: number }[]
  problems: CodeProblem[]
  /** The path in frontmatter of a path in the object that is being read. */
  toPath: (path: string) => string
}

export function newReader(scope: Scope, toPath: Reader['toPath'] = path => path): Reader {
  return { scope, offsets: new Map(), dynamic: [], problems: [], toPath }
}

/** The literal fields of an object. Other fields are left out, and added to `dynamic`. */
export function literalObject(
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
      reader.offsets.set(reader.toPath(inside), property.value.start)
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

/** The value of an expression of literals and constants. Any other is undefined, and added to `dynamic`. */
export function literal(expression: Expression, path: string, reader: Reader): JsonValue | undefined {
  const node = withoutTypes(expression)
  if (--reader.scope.budget.values < 0) return notLiteral(node, path, reader)
  switch (node.type) {
    case 'Literal':
      return literalScalar(node, path, reader)
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

function literalScalar(node: Literal, path: string, reader: Reader): JsonValue | undefined {
  const { value, regex, bigint } = node
  const what = regex ? 'RegExp' : bigint ? `${bigint}n` : notJson(value)
  if (what !== null) {
    reader.problems.push({ rule: 'value-not-json', offset: node.start, found: [what] })
    return undefined
  }
  if (typeof value === 'string') return affords(value, reader) ? value : notLiteral(node, path, reader)
  return value === null || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : notLiteral(node, path, reader)
}

/** The string of a template whose expressions are strings and numbers. */
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

/** Takes a string's length off the budget; false where the budget is used up. */
function affords(text: string, { scope: { budget } }: Reader): boolean {
  budget.characters -= text.length
  return budget.characters >= 0
}

/** The value of a constant. Within its own value it is unknown, so that cycles of constants end. */
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
