import type { JsonObject } from '../../../src/base/json.js'
import { MARK } from '../parts/bundle-parts.js'
import { commentText, literal, schemaType } from './schema-type.js'

/** A tool, as its declaration tells it. */
export interface DeclaredTool {
  name: string
  description: string | undefined
  /** Undefined: it says nothing of them. `none`: it takes none. */
  params: JsonObject | 'none' | undefined
  /** Undefined: it says nothing of it. `text`: a Markdown skill's own content. */
  returns: JsonObject | 'text' | undefined
}

const RUNTIME = 'agent-apps/runtime'

/** `invoke` has one signature: of several, a compiler says only why the last does not fit. */
const TAIL = `
export type ToolName = keyof Tools

/** What follows a tool's name in a call. */
type Call<Name extends ToolName> = undefined extends Tools[Name]['args']
  ? [args?: Tools[Name]['args'], options?: InvokeOptions]
  : [args: Tools[Name]['args'], options?: InvokeOptions]

type CallOf<Ref> = Ref extends ToolName ? Call<Ref> : [args?: unknown, options?: InvokeOptions]
type ResultOf<Ref> = Ref extends ToolName ? Tools[Ref]['result'] : unknown

export interface BundledRuntime extends Omit<Runtime, 'invoke'> {
  /** Calls a tool by its name, or by a reference that is none: a path, a URI. */
  invoke<Ref extends ToolName | \`\${string}/\${string}\`>(ref: Ref, ...call: CallOf<Ref>): Promise<ResultOf<Ref>>
}

export declare const runtime: BundledRuntime
export declare const tools: {
  readonly [Name in ToolName]: (...call: Call<Name>) => Promise<Tools[Name]['result']>
}
`

/** The declarations of a bundle: every tool's name, arguments and result. */
export function declareTools(tools: readonly DeclaredTool[]): string {
  return [
    MARK,
    `import type { InvokeOptions, Runtime } from ${JSON.stringify(RUNTIME)}`,
    '',
    '/** The tools, by name. */',
    'export interface Tools {',
    ...tools.map(declaration),
    '}',
    TAIL,
  ].join('\n')
}

/** The first line of declarations of the virtual module, by which they are known again. */
export const TYPES_MARK = '// Made by agent-apps. Do not edit: the next build replaces it.'

/** The tools, added to what `agent-apps/virtual` declares of the module that a bundler's plugin provides. */
export function declareVirtualTools(tools: readonly DeclaredTool[]): string {
  return [
    TYPES_MARK,
    '/// <reference types="agent-apps/virtual" />',
    '',
    "declare module 'virtual:agent-apps' {",
    '  interface Tools {',
    ...tools.flatMap(tool => declaration(tool).split('\n')).map(line => `  ${line}`),
    '  }',
    '}',
    '',
  ].join('\n')
}

function declaration({ name, description, params, returns }: DeclaredTool): string {
  const about = description === undefined ? '' : `  /** ${commentText(description)} */\n`
  return `${about}  ${literal(name)}: { args: ${argsType(params)}; result: ${resultType(returns)} }`
}

function argsType(params: DeclaredTool['params']): string {
  if (params === undefined) return 'unknown'
  if (params === 'none') return 'Record<string, never> | undefined'
  const type = schemaType(params, true)
  // Without arguments a tool is called with an empty object.
  return type === 'unknown' ? type : isEmptySound(params) ? `(${type}) | undefined` : type
}

function isEmptySound({ type, required, properties, ...others }: JsonObject): boolean {
  const isPlain = !['$ref', 'allOf', 'anyOf', 'oneOf', 'const', 'enum', 'minProperties'].some(
    key => key in others,
  )
  const needed = Array.isArray(required) ? required : []
  const known = typeof properties === 'object' && properties !== null ? (properties as JsonObject) : {}
  const isGiven = (name: unknown): boolean => {
    const schema = known[String(name)]
    return typeof schema === 'object' && schema !== null && 'default' in schema
  }
  return isPlain && (type === undefined || type === 'object') && needed.every(isGiven)
}

function resultType(returns: DeclaredTool['returns']): string {
  if (returns === undefined) return 'unknown'
  return returns === 'text' ? 'string' : schemaType(returns, false)
}
