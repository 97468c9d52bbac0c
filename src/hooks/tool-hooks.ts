/** What a hook of a tool gets. */
export interface HookContext {
  /** The tool's name, qualified where it has a namespace. */
  readonly name: string
  /** Aborts once the hook takes too long, or the runtime is closed. */
  readonly signal: AbortSignal
  /** What `init` returned; undefined for `init` itself, and where it failed. */
  readonly instance: unknown
}

/** The hooks of a tool: what is to be done before it can be called, and when it no longer is. */
export interface ToolHooks {
  /** Makes what the tool needs. What it returns is `ctx.instance` of the other hooks and of `execute`. */
  init?: (ctx: HookContext) => unknown
  /** The tool is about to become available. */
  activate?: (ctx: HookContext) => unknown
  /** The tool is no longer called: no call of it is running. */
  deactivate?: (ctx: HookContext) => unknown
  /** Lets go of what `init` made. It is also called after an `init` that failed. */
  dispose?: (ctx: HookContext) => unknown
}

export const HOOK_FIELDS = ['init', 'activate', 'deactivate', 'dispose'] as const

/** The key of metadata that `defineTool` sets for a tool with hooks. */
export const HOOKS_KEY = 'lifecycle'

/** The hooks among the fields of a definition; null where there are none. */
export function hooksIn(definition: ToolHooks): ToolHooks | null {
  return HOOK_FIELDS.some(field => definition[field] !== undefined) ? definition : null
}

const DEFINITION = Symbol.for('agent-apps.definition-of-function')

/** Lets the definition of a tool be found by its function. `made` may have to make it first. */
export function keepDefinition(fn: object, made: () => Promise<ToolHooks>): void {
  Object.defineProperty(fn, DEFINITION, { value: made })
}

/** The definition that a tool's function was made of by any copy of the package; null where there is none. */
export async function definitionBehind(fn: unknown): Promise<ToolHooks | null> {
  const made = (fn as { [DEFINITION]?: () => Promise<ToolHooks> } | null | undefined)?.[DEFINITION]
  return made ? made() : null
}

/** The hooks of the tool whose function this is; null where it has none. */
export async function hooksOf(fn: unknown): Promise<ToolHooks | null> {
  const definition = await definitionBehind(fn)
  return definition && hooksIn(definition)
}
