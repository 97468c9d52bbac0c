import { dirname, relative } from 'node:path'
import type { JsonObject } from '../../../src/base/json.js'
import { MARK } from '../parts/bundle-parts.js'
import { commentText, literal, schemaType } from './schema-type.js'

/** The parts of a tool that its declaration shows. */
export interface DeclaredTool {
  name: string
  description: string | undefined
  /** True for a tool of the library, which is declared only on request. */
  isLibrary: boolean
  /** Undefined: not known. `none`: it takes none. */
  params: JsonObject | 'none' | undefined
  /** Undefined: unknown. `text`: a Markdown skill's own content. */
  returns: JsonObject | 'text' | undefined
  /** Its code, if that has types. */
  code?: TypedCode
}

/** A bare name that leads to a tool of a namespace. */
export interface DeclaredBareName {
  name: string
  /** The name of a declared tool. */
  means: string
}

/** The parts of a project's types. */
export interface ProjectTools {
  tools: DeclaredTool[]
  bareNames: DeclaredBareName[]
}

/** An export of a TypeScript file. */
export interface TypedCode {
  /** Absolute. */
  file: string
  exported: string
}

const RUNTIME = 'agent-apps/runtime'

/** The tools that get types: the library's only on request. */
export function shownTools(tools: readonly DeclaredTool[], withLibrary: boolean): DeclaredTool[] {
  return tools.filter(({ isLibrary }) => withLibrary || !isLibrary)
}

/** The declarations of a bundle: every tool's name, arguments and result. */
export function declareTools(tools: readonly DeclaredTool[], opensWorkspace = false): string {
  return [
    MARK,
    `import type { Runtime, ${opensWorkspace ? 'RuntimeOptions, ' : ''}ToolFunctions } from ${JSON.stringify(RUNTIME)}`,
    '',
    '/** The tools, by name. */',
    'export interface Tools {',
    ...tools.map(tool => declaration(tool)),
    '}',
    '',
    'export type ToolName = keyof Tools',
    'export type BundledRuntime = Runtime<Tools>',
    '',
    'export declare const runtime: BundledRuntime',
    'export declare const tools: ToolFunctions<Tools>',
    ...(opensWorkspace ? [CREATE] : []),
    '',
  ].join('\n')
}

const CREATE =
  "export declare const createRuntime: (options?: Omit<RuntimeOptions, 'paths' | 'cwd' | 'freshness' | 'library' | 'env'>) => BundledRuntime"

/** The first line of declarations that are written for a project, by which they are known again. */
export const TYPES_MARK = '// Made by agent-apps. Do not edit: the next build replaces it.'

/** The tools, as an augmentation of `agent-apps/virtual`, the module that a bundler's plugin provides. */
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

/** The type of a tool's result: its code's, or if that has none, its schema's. */
const RESULT_OF = `
type ResultOf<Tool, Said = unknown> = Tool extends { fn: (...args: never) => infer Result }
  ? Known<Awaited<Result>, Said>
  : Tool extends (...args: never) => infer Result
    ? Known<Awaited<Result>, Said>
    : Said
type Known<Result, Said> = unknown extends Result ? Said : Result
`

/**
 * The tools of a project, for the runtimes of its programs.
 *
 * @param file where the declarations will be, absolute: types of code are imported from there
 */
export function declareProjectTools({ tools, bareNames }: ProjectTools, file: string): string {
  const hasCode = tools.some(({ code }) => code !== undefined)
  return [
    TYPES_MARK,
    '',
    '/** The tools, by name: `createRuntime<Tools>()`. */',
    'export interface Tools {',
    ...tools.map(tool => declaration(tool, file)),
    ...bareNames.map(({ name, means }) => `  ${literal(name)}: Tools[${literal(means)}]`),
    '}',
    ...(hasCode ? [RESULT_OF] : ['']),
  ].join('\n')
}

function declaration({ name, description, params, returns, code }: DeclaredTool, file?: string): string {
  const about = description === undefined ? '' : `  /** ${commentText(description)} */\n`
  const bySchema = resultType(returns)
  const result = code && file !== undefined ? resultOf(code, bySchema, file) : bySchema
  return `${about}  ${literal(name)}: { args: ${argsType(params)}; result: ${result} }`
}

function resultOf({ file, exported }: TypedCode, bySchema: string, from: string): string {
  const path = relative(dirname(from), file).replaceAll('\\', '/').replace(/ts$/, 'js')
  const module = path.startsWith('../') ? path : `./${path}`
  const tool = `(typeof import(${literal(module)}))[${literal(exported)}]`
  return bySchema === 'unknown' ? `ResultOf<${tool}>` : `ResultOf<${tool}, ${bySchema}>`
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
