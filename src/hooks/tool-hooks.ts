import type { JsonObject } from '../base/json.js'
import type { Ask } from '../own/question.js'

/** The context of a tool's hook, with the type of the tool's `config`. */
export interface HookContext<Config = JsonObject> {
  /** The tool's name, qualified where it has a namespace. */
  readonly name: string
  /** Aborts once the hook takes too long, or the runtime is closed. */
  readonly signal: AbortSignal
  /** The result of `init`; undefined for `init` itself, and if it failed. */
  readonly instance: unknown
  /** The tool's configuration, checked, with defaults. */
  readonly config: Config
  /** The variables of the environment that the tool declares and the host lets through. */
  readonly env: Readonly<Record<string, string>>
  /** Asks a person. While they are asked, the time of `init` stands still. */
  readonly ask: Ask
}

/** The hooks of a tool: what is to be done before it can be called, and when it no longer is. */
export interface ToolHooks<Config = JsonObject> {
  /** Makes what the tool needs. What it returns is `ctx.instance` of the other hooks and of `execute`. */
  init?: (ctx: HookContext<Config>) => unknown
  /** The tool is about to become available. */
  activate?: (ctx: HookContext<Config>) => unknown
  /** The tool is no longer called: no call of it is running. */
  deactivate?: (ctx: HookContext<Config>) => unknown
  /** Lets go of what `init` made. It is also called after an `init` that failed. */
  dispose?: (ctx: HookContext<Config>) => unknown
}

export const HOOK_FIELDS = ['init', 'activate', 'deactivate', 'dispose'] as const

/** The key of metadata that `defineTool` sets for a tool with hooks. */
export const HOOKS_KEY = 'lifecycle'

/** The hooks among the fields of a definition; null where there are none. */
export function hooksIn(definition: ToolHooks): ToolHooks | null {
  return HOOK_FIELDS.some(field => definition[field] !== undefined) ? definition : null
}

const HOOKS = Symbol.for('agent-apps.tool-hooks')

/** Lets the hooks of a tool be found by its function. `given` may have to make the definition first. */
export function keepHooks(fn: object, given: () => Promise<ToolHooks | null>): void {
  Object.defineProperty(fn, HOOKS, { value: given })
}

/** The hooks of the tool whose function this is; null where it has none. */
export async function hooksOf(fn: unknown): Promise<ToolHooks | null> {
  const given = (fn as { [HOOKS]?: () => Promise<ToolHooks | null> } | null | undefined)?.[HOOKS]
  return given ? given() : null
}
