import { disk } from '#disk'
import { declaresOwn } from '../../src/own/own-parts.js'
import { namespaceOf } from '../../src/skill/names.js'
import { chainOf } from '../cascade/chain-of.js'
import { knownTool } from '../find/find-tool.js'
import { requireGiven, requireTool } from '../find/require-tool.js'
import { isThenable, lazy } from '../host/later.js'
import { checkArguments, checkResult, resolveReturns } from '../schema/check-arguments.js'
import { cloneArguments, ownOptions, UncopiedArguments } from '../schema/clone-arguments.js'
import type { Chain } from '../state/chain.js'
import type { Globals, InvokeOptions } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { agentRuntime } from './agent-runtime.js'
import { type InvokeFor, observing, RunContext, throwIfAborted } from './run-context.js'

const running = lazy(() => import('./run-chain.js'))
const faults = lazy(() => import('./call-refused.js'))
const optionChecks = lazy(() => import('./invoke-options.js'))
const agents = lazy(() => import('./agent-calls.js'))
const policies = lazy(() => import('../policy/authorize.js'))
const owning = lazy(() => import('../own/with-own.js'))

const DEPTH_MAX = 64

/** Calls a tool. `caller` is the context of the tool that calls it; undefined for a host. */
export async function callTool(
  ref: string,
  args: unknown,
  own: Globals,
  options: InvokeOptions | undefined,
  caller: RunContext | undefined,
): Promise<unknown> {
  if (own.bundle && disk.via !== 'bundle') {
    const tool = args instanceof UncopiedArguments ? await own.bundle.findTool(ref) : null
    if (tool) throw (await faults()).argumentsRefused(tool, args as UncopiedArguments)
    return own.bundle.invoke(ref, args, options)
  }
  if (options !== undefined || caller?.ownLocals)
    own = (await optionChecks()).prepareCall(own, options, caller)
  const isAgent = options?.as === 'agent'
  const namespace = caller === undefined ? '' : namespaceOf(caller.tool.name)
  const { tool, globals } = isAgent
    ? await (await agents()).toolForCall(ref, own, namespace, options, caller)
    : {
        globals: own,
        tool:
          (namespace === '' ? (own.tools.programmaticTools.get(ref) ?? knownTool(ref, own)) : null) ??
          // A name in a skill's code never leads to a remote skill.
          (await (caller ? requireTool(ref, own, namespace) : requireGiven(ref, own))),
      }
  const ctx = new RunContext(globals, tool, invokeFor, caller, options)
  globals.lifecycle?.enter(ctx)
  const { maxDepth = DEPTH_MAX } = globals.config
  if (ctx.depth >= maxDepth) throw (await faults()).depthExceeded(ctx, maxDepth)
  const work = () => perform(ctx, args)
  return globals.events.listeners.size === 0 ? work() : (await observing()).observed(ctx, work)
}

/** Runs a tool for another one. */
export const invokeFor: InvokeFor = /* @__PURE__ */ Object.assign(
  ((caller, ref, args, options) => {
    const own = ownOptions(options)
    return callTool(ref, cloneArguments(args, own?.as === 'agent'), caller.globals, own, caller)
  }) as InvokeFor,
  {
    spawn: ((caller, policy) => agentRuntime(caller.globals, {}, caller).spawn(policy)) as InvokeFor['spawn'],
  },
)

async function perform(ctx: RunContext, given: unknown): Promise<unknown> {
  const { globals, tool, options } = ctx
  const found = chainOf(tool, globals)
  const chain = isThenable(found) ? await found : found
  ctx.chain = chain
  if (given instanceof UncopiedArguments) throw (await faults()).argumentsRefused(tool, given)
  const forAgent = options?.as === 'agent' && (await agents())
  const args = checkArguments(tool, chain, forAgent ? forAgent.plainArguments(tool, given) : given, ctx)
  ctx.takeArguments(isThenable(args) ? await args : args)
  // Read now, so that a later replacement reaches no tool.
  const validated = ctx.args
  const resolving = resolveReturns(tool, chain, ctx)
  const returns = isThenable(resolving) ? await resolving : resolving
  if (forAgent) await (await policies()).authorize(ctx)
  else if (ctx.caller && tool.frontmatter.metadata.permissions) (await policies()).limitCode(ctx)
  if (chain.body) await (await agents()).limitBody(chain.body, ctx)
  const { own = globals } = globals
  if (own.load) {
    // A method that was called earlier, such as `deactivate`, takes effect first.
    await Promise.allSettled([own.load])
    own.load = undefined
  }
  const admitted = globals.lifecycle?.admit(tool)
  if (admitted) await admitted
  const body = () => (chain.body ?? tool).fn(ctx, forAgent ? forAgent.copyOfPlain(validated) : validated)
  throwIfAborted(ctx)
  const goOn = async (around: Chain): Promise<unknown> => {
    const result = around.steps.length === 0 ? body() : (await running()).runChain(ctx, around, body)
    const checked = checkResult(tool, chain, returns, isThenable(result) ? await result : result, ctx)
    return forAgent ? forAgent.resultForAgent(ctx, chain, await checked) : checked
  }
  return needsOwn(ctx, chain) ? (await owning()).withOwn(ctx, chain, goOn) : goOn(chain)
}

/** True if configuration, variables, state or a time limit must be prepared before the call. */
function needsOwn({ tool, globals, options }: RunContext, { steps }: Chain): boolean {
  const declares = ({ frontmatter }: ToolDef): boolean => declaresOwn(frontmatter.metadata)
  if (globals.toolConfig || options?.timeoutMs !== undefined || declares(tool)) return true
  return steps.length > 0 && steps.some(({ def }) => declares(def))
}
