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
  /** Asks a person. Waiting for the answer does not count toward the time limit of `init`. */
  readonly ask: Ask
}

/** The hooks of a tool, which run before it is first called and after its last call. */
export interface ToolHooks<Config = JsonObject> {
  /** Sets the tool up. The result is `ctx.instance` in the other hooks and in `execute`. */
  init?: (ctx: HookContext<Config>) => unknown
  /** The tool is about to become available. */
  activate?: (ctx: HookContext<Config>) => unknown
  /** Called once the tool is no longer called and no call of it is running. */
  deactivate?: (ctx: HookContext<Config>) => unknown
  /** Releases the resources of `init`. Also called after a failed `init`. */
  dispose?: (ctx: HookContext<Config>) => unknown
}

export const HOOK_FIELDS = ['init', 'activate', 'deactivate', 'dispose'] as const

/** The key of metadata that `defineTool` sets for a tool with hooks. */
export const HOOKS_KEY = 'lifecycle'

/** The hooks among the fields of a definition; null without any. */
export function hooksIn(definition: ToolHooks): ToolHooks | null {
  return HOOK_FIELDS.some(field => definition[field] !== undefined) ? definition : null
}

const HOOKS = Symbol.for('agent-apps.tool-hooks')

/** Registers a tool's hooks under its function. `given` may have to create the definition first. */
export function keepHooks(fn: object, given: () => Promise<ToolHooks | null>): void {
  Object.defineProperty(fn, HOOKS, { value: given })
}

/** The hooks of the tool with this function; null without any. */
export async function hooksOf(fn: unknown): Promise<ToolHooks | null> {
  const given = (fn as { [HOOKS]?: () => Promise<ToolHooks | null> } | null | undefined)?.[HOOKS]
  return given ? given() : null
}
