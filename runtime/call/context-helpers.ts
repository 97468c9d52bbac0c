import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import { OWN, type OwnParts } from '../../src/own/own-parts.js'
import { safeClone } from '../../src/serialize/safe-clone.js'
import type { PreviewContext } from '../../src/skill/define-tool.js'
import type { HookTrigger } from '../../src/skill/metadata-keys.js'
import type { PathEntry } from '../../src/skill/path-entry.js'
import { RUNTIME_CONTEXT } from '../../src/skill/tool-context.js'
import { pathGet } from '../../src/values/path-expression.js'
import type { OpenedSkill } from '../find/read-details.js'
import { lazy } from '../host/later.js'
import { interpolationRoots } from '../schema/interpolation-roots.js'
import type { SearchOptions, SearchResult } from '../search/search-query.js'
import type { CallerKind, Context } from '../state/context.js'
import type { Authorization } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'
import type { RunContext } from './run-context.js'

const agents = lazy(() => import('./agent-calls.js'))
const deciding = lazy(() => import('./decide-call.js'))
const opening = lazy(() => import('../find/read-details.js'))

/** Returns the context that a middleware serves. Throws CONTEXT_MISSING for a context that serves none. */
export function ctxTarget(ctx: Context): Context {
  const { target } = ctx.envelope
  if (target !== ctx) return target
  const { name } = ctx.run.tool
  throw new AgentAppsError(
    'CONTEXT_MISSING',
    `"${name}" does not run as a middleware: it serves no context.`,
    {
      hint: "Name it in another tool's `metadata`, instead of calling it.",
      tool: name,
    },
  )
}

/**
 * Returns the runtime's context of a call, for what the context that `execute` gets leaves out.
 *
 * @throws CONTEXT_MISSING where the tool was called without a runtime
 */
export function ctxRuntime(ctx: PreviewContext): Context {
  const found = (ctx as { [RUNTIME_CONTEXT]?: Context })[RUNTIME_CONTEXT]
  if (found?.globals) return found
  throw new AgentAppsError('CONTEXT_MISSING', 'This tool was called without a runtime.', {
    hint: 'Call it with `invoke`.',
  })
}

/**
 * Returns a value of the call that a directive or a middleware serves, by a path over `args`, `locals` (with
 * what directives around it add), `nonlocals`, `run`, `config` and `env`. Throws PATH_INVALID.
 */
export function ctxValue(ctx: Context, path: string): unknown {
  const { target } = ctx.envelope
  const { locals } = ctx
  return pathGet(Object.defineProperty(interpolationRoots(target), 'locals', { value: locals }), path)
}

/** The parts of a context that belong to its tool alone: configuration, environment, state, and a way to ask. */
export function ctxOwn(ctx: Context): OwnParts {
  return (ctx as RunContext)[OWN]
}

/** The path entries of an invocation. */
export function ctxPaths({ locals, globals }: Context): PathEntry[] {
  return locals.config.paths ?? globals.config.paths
}

/** The directory that an invocation's relative paths start from. */
export function ctxCwd({ locals, globals }: Context): string {
  return locals.config.cwd ?? globals.config.cwd ?? disk.cwd()
}

/**
 * Returns the tools that the caller may know of: for code, all that `listTools` returns; for an agent, those
 * that it is shown and that its policy, the calling skill's `allowed-tools` and all agents above allow.
 *
 * @param as `agent`: the tools that an agent is shown, also if code called
 */
export async function ctxTools(ctx: Context, as: CallerKind = ctx.envelope.as): Promise<ToolDef[]> {
  return (await agents()).toolsFrom(ctx as RunContext, as)
}

/**
 * Finds tools by words among those that `ctxTools` returns, with their number before the limit. The text of a skill
 * counts where the caller may open that without being asked about.
 *
 * @param as `agent` to find only what an agent may be offered, even if code called
 * @throws OPTIONS_INVALID
 */
export async function ctxSearch(
  ctx: Context,
  query: string,
  options: SearchOptions = {},
  as: CallerKind = ctx.envelope.as,
): Promise<SearchResult> {
  return (await agents()).searchFrom(ctx as RunContext, query, options, as)
}

/**
 * Returns the tool that a name leads to, if the caller may know of it.
 *
 * @param opens true where its text or its files are wanted: an agent is asked about as if it opened the skill
 * @param as `agent`: only a tool that an agent may know of, also if code called
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN; for an agent TOOL_DENIED for anything but a name, NOT_EVALUATED if only code
 *   that may not run has the schema; with `opens` what an agent's `open` throws
 */
export async function ctxTool(
  ctx: Context,
  ref: string,
  opens = false,
  as: CallerKind = ctx.envelope.as,
): Promise<ToolDef> {
  return (await agents()).toolFrom(ctx as RunContext, ref, as, opens)
}

/**
 * Returns the decision about a call that the agent of this one could make instead; null if no agent made this call. No
 * person is asked, and of the tool's code only the function runs that derives the key.
 *
 * @param ctx what `execute` or `preview` gets
 * @throws ARGS_INVALID, TOOL_BROKEN
 */
export async function ctxDecision(
  ctx: PreviewContext,
  ref: string,
  args?: unknown,
): Promise<Omit<Authorization, 'request'> | null> {
  const context = ctxRuntime(ctx)
  if (context.envelope.as !== 'agent') return null
  return (await deciding()).decideInPlace(context as RunContext, ref, args)
}

/** The folder of a skill, and the list of its other files. */
export async function ctxFolder(
  { globals }: Context,
  tool: ToolDef,
): Promise<Pick<OpenedSkill, 'directory' | 'resources'>> {
  return (await opening()).readFolder(tool, globals)
}

/** The trigger of a hook, `$next` or `$invoke`; undefined where the context is not a hook's. */
export function ctxHookTrigger(ctx: Context): HookTrigger | undefined {
  return ctx.run.hook?.trigger
}

/** The name of what a hook wraps: an entry of the chain, or past the last one the tool. */
export function ctxHookTarget(ctx: Context): string | undefined {
  return ctx.run.hook?.target
}

/** A context as JSON data for logs, without functions; null for anything else. */
export function serializeContext(ctx: Context, maxDepth = 8): Record<string, unknown> | null {
  if (typeof ctx !== 'object' || ctx === null || !ctx.envelope || !ctx.run) return null
  const { args, run, locals, globals, envelope } = ctx
  const { target, caller, ...about } = envelope
  return safeClone(
    {
      args,
      run: {
        id: run.id,
        tool: { name: run.tool.name, params: run.tool.params, returns: run.tool.returns },
        chain: run.chain.map(({ name }) => name),
        index: run.index,
        layer: run.origin.layer,
      },
      locals,
      nonlocals: interpolationRoots(ctx).nonlocals,
      globals: { config: globals.config },
      envelope: { ...about, target: target.run.tool.name, caller: caller?.run.tool.name },
    },
    { maxDepth, functions: 'omit' },
  ) as Record<string, unknown>
}
