import { toolBroken } from '../src/error.js'
import { isThenable, whenThere } from '../src/thenable.js'
import { chainOf } from './chain.js'
import { checkArguments, checkResult } from './check-arguments.js'
import { type InvokeFor, type InvokeOptions, observing, RunContext } from './context.js'
import { knownTool, resolve } from './find-tool.js'
import { defaultGlobals, type Globals } from './globals.js'
import { lazy } from './lazy.js'
import { throwIfAborted } from './run-aborted.js'
import type { ToolDef } from './tool-def.js'

const running = lazy(() => import('./run-chain.js'))
const faults = lazy(() => import('./call-faults.js'))
const optionChecks = lazy(() => import('./invoke-options.js'))
const agents = lazy(() => import('./agent-calls.js'))
const cloning = lazy(() => import('./clone-arguments.js'))

/** How deep tools may call tools. */
const DEPTH_MAX = 64

/**
 * Runs a tool. A Markdown skill gives its content.
 *
 * @throws OPTIONS_INVALID; TOOL_NOT_FOUND, TOOL_BROKEN; TOOL_DENIED where it is called as an agent; ARGS_INVALID; DEPTH_EXCEEDED;
 *   RUN_ABORTED once `signal` is aborted, or what it was aborted with where that is an error of ours; NEXT_TWICE for
 *   a faulty middleware; and what the tool throws
 */
export function invoke(
  ref: string,
  args?: unknown,
  globals: Globals = defaultGlobals(),
  options?: InvokeOptions,
): Promise<unknown> {
  return call(ref, args, globals, options, undefined)
}

/** Runs a tool for another one. */
export const invokeFor: InvokeFor = (caller, ref, args, options) =>
  call(ref, args, caller.globals, options, caller)

async function call(
  ref: string,
  args: unknown,
  globals: Globals,
  options: InvokeOptions | undefined,
  caller: RunContext | undefined,
): Promise<unknown> {
  if (options) (await optionChecks()).checkInvokeOptions(options)
  const isAgent = options?.as === 'agent'
  const tool = isAgent
    ? await (await agents()).requireForAgent(ref, globals)
    : (globals.tools.programmaticTools.get(ref) ??
      knownTool(ref, globals) ??
      (await requireTool(ref, globals)))
  const ctx = new RunContext(globals, tool, invokeFor, caller, options)
  const { maxDepth = DEPTH_MAX } = globals.config
  if (ctx.depth >= maxDepth) throw (await faults()).depthExceeded(ctx, maxDepth)
  const work = () => perform(ctx, args)
  return globals.events.listeners.size === 0 ? work() : (await observing()).observed(ctx, work)
}

/** The phases of a call, each over what the one before it gave. */
async function perform(ctx: RunContext, given: unknown): Promise<unknown> {
  const { globals, tool, options } = ctx
  const found = chainOf(tool, globals)
  const chain = isThenable(found) ? await found : found
  ctx.chain = chain
  const check = (args: unknown) => checkArguments(tool, chain, args, ctx)
  const args =
    typeof given === 'object' && given !== null
      ? whenThere(cloning(), ({ cloneArguments }) => check(cloneArguments(given, tool.name)))
      : check(given)
  ctx.args = isThenable(args) ? await args : args
  const forAgent = options?.as === 'agent' && (await agents())
  if (forAgent) forAgent.authorize(ctx)
  const body = () => (chain.body ?? tool).fn(ctx, ctx.args)
  throwIfAborted(ctx)
  const result = chain.steps.length === 0 ? body() : (await running()).runChain(ctx, chain, body)
  const checked = checkResult(tool, chain, isThenable(result) ? await result : result, ctx)
  return forAgent ? forAgent.resultForAgent(ctx, chain, await checked) : checked
}

/** The tool that a reference leads to. Throws TOOL_NOT_FOUND or TOOL_BROKEN where there is none. */
export async function requireTool(ref: string, globals: Globals): Promise<ToolDef> {
  const resolution = await resolve(ref, globals)
  if (resolution?.tool) return resolution.tool
  if (resolution?.broken) throw toolBroken(ref, resolution.broken)
  throw (await faults()).toolNotFound(ref, globals)
}
