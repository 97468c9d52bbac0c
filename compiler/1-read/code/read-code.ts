import { tsPlugin } from '@sveltejs/acorn-typescript'
import { type AnyNode, type Expression, type Node, Parser, type Program } from 'acorn'
import type { JsonValue } from '../../../src/base/json.js'
import { type CodeTool, NO_FUNCTIONS, toolOf } from './exported-tools.js'
import { literal, newReader } from './literals.js'
import {
  assignedTo,
  definitionIn,
  isTypeOnly,
  nameOf,
  readScope,
  type Scope,
  type TypeScriptNode,
  withoutTypes,
} from './module-scope.js'

/** The facts that a module's source shows. */
export interface CodeModule {
  tools: CodeTool[]
  /** `maybe` if the default export can be a function. Source without `import` and `export` may be CommonJS. */
  defaultExport: 'none' | 'no-function' | 'maybe'
  /** True where importing it does more than declare: only then can importing it fail. */
  hasEffects: boolean
}

const parsers = {
  javascript: Parser.extend(withStackMargin),
  typescript: Parser.extend(tsPlugin(), withStackMargin),
}

/**
 * Reads the tools of a module from its syntax tree, without running it: the default export with
 * `frontmatter`, and every export made with `defineTool`.
 *
 * @throws SyntaxError, with `pos`, where the text is not valid in its language
 */
export function readCode(text: string, language: keyof typeof parsers): CodeModule {
  const program = parse(text, language)
  const scope = readScope(program)
  const tools = scope.exports.flatMap(({ name, value }) => toolOf(name, value, scope))
  return {
    tools: tools.sort((a, b) => Number(b.exported === 'default') - Number(a.exported === 'default')),
    defaultExport: defaultExport(program, scope),
    hasEffects: program.body.some(statement => hasEffect(statement, scope)),
  }
}

/**
 * The value of a module's default export, where all of it is literal; undefined where the module must be run
 * for it.
 *
 * @throws SyntaxError where the text is not valid in its language
 */
export function readLiteralDefault(text: string, language: keyof typeof parsers): JsonValue | undefined {
  const program = parse(text, language)
  const scope = readScope(program)
  const value = scope.exports.find(({ name }) => name === 'default')?.value
  // Any other statement with an effect could change a constant before it is exported.
  const isChanged = program.body.some(
    statement => statement.type !== 'ExportDefaultDeclaration' && hasEffect(statement, scope),
  )
  if (!value || isChanged) return undefined
  const reader = newReader(scope)
  const read = literal(value as Expression, '', reader)
  return reader.dynamic.length + reader.problems.length === 0 ? read : undefined
}

function parse(text: string, language: keyof typeof parsers): Program {
  return parsers[language].parse(text, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })
}

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
  return value && NO_FUNCTIONS.has(assignedTo(value, scope.constants).type) ? 'no-function' : 'maybe'
}

/** True for a top-level statement that does more than declare, so that it could throw, hang or print. */
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

/** True for an expression that may run code: any but literals, functions, names and calls of `defineTool`. */
function isComputed(expression: Node, scope: Scope): boolean {
  const node = withoutTypes(expression) as AnyNode
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
      return node.expressions.some(part => isComputed(part, scope))
    case 'UnaryExpression':
      return isComputed(node.argument, scope)
    case 'ArrayExpression':
      return node.elements.some(part => part && isComputed(part, scope))
    case 'ObjectExpression':
      return node.properties.some(
        property =>
          property.type === 'SpreadElement' || property.computed || isComputed(property.value, scope),
      )
    default:
      return true
  }
}

declare module 'acorn' {
  interface Parser {
    /** Reads the next token. Every recursion of the parser reads a token at each level. */
    nextToken(): void
  }
}

/** Arguments of a call that take 32 KiB of the stack: more than a regular expression needs, and the levels of so many tokens. */
const MARGIN: unknown[] = new Array(4096).fill(undefined)
const TOKENS_BETWEEN = 8

/**
 * Extends a parser so that it throws on deep nesting while some stack is left. Otherwise the parser comes
 * to run a regular expression on a full stack, and V8 ends the process if it has to compile one then.
 */
function withStackMargin(Base: typeof Parser): typeof Parser {
  return class extends Base {
    #tokens = 0

    override nextToken(): void {
      if (this.#tokens++ % TOKENS_BETWEEN === 0) Reflect.apply(noop, undefined, MARGIN)
      super.nextToken()
    }
  }
}

function noop(): void {}
