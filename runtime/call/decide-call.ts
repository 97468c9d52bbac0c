import { isAgentAppsError } from '../../src/base/error.js'
import type { StepAnswer } from '../../src/policy/decide.js'
import { namespaceOf } from '../../src/skill/names.js'
import type { IdentifiedCall } from '../approvals/pending-call.js'
import { chainOf } from '../cascade/chain-of.js'
import { lazy } from '../host/later.js'
import { stepsOf } from '../policy/authorize.js'
import { checkArguments, plainArguments } from '../schema/check-arguments.js'
import { UncopiedArguments } from '../schema/clone-arguments.js'
import type { Globals, InvokeOptions } from '../state/context.js'
import type { Authorization } from '../state/policy.js'
import { agentView, isAskedFirst } from '../trust/agent-view.js'
import { requireForAgent } from './agent-calls.js'
import { argumentsRefused } from './call-refused.js'
import { invokeFor } from './call-tool.js'
import { RunContext } from './run-context.js'

const asking = lazy(() => import('../policy/ask.js'))

/**
 * Decides about an agent's call without making it or asking a person.
 *
 * @throws TOOL_BROKEN, CASCADE_INVALID, ARGS_INVALID as the call would
 */
export async function decideCall(
  ref: string,
  given: unknown,
  own: Globals,
  options: InvokeOptions,
  caller?: RunContext,
): Promise<Authorization> {
  return decided(ref, given, own, options, caller, asked)
}

/**
 * Decides about a call that the agent of another call could make instead, without asking a person. Earlier approvals
 * count.
 *
 * @throws what `decideCall` throws
 */
export async function decideInPlace(call: RunContext, ref: string, given: unknown): Promise<Authorization> {
  const { globals, options = {}, caller } = call
  return decided(ref, given, globals, options, caller, async (ctx, made) =>
    (await (await asking()).wasAllowed(ctx)) ? allowedBefore(made) : made,
  )
}

/** @param onAsk replaces a decision to ask */
async function decided(
  ref: string,
  given: unknown,
  own: Globals,
  options: InvokeOptions,
  caller: RunContext | undefined,
  onAsk: (ctx: RunContext, made: Authorization) => Promise<Authorization>,
): Promise<Authorization> {
  try {
    const ctx = await checkedCall(ref, given, own, options, caller)
    const isUntrusted = await isAskedFirst(own, ctx.tool)
    const steps = await stepsOf(ctx, !isUntrusted)
    if (isUntrusted && steps.at(-1)?.decision !== 'deny') return authorization([TRUST_ASKED])
    const made = authorization(steps)
    return made.decision === 'ask' ? await onAsk(ctx, made) : made
  } catch (error) {
    if (!isAgentAppsError(error) || (error.code !== 'TOOL_NOT_FOUND' && error.code !== 'TOOL_DENIED'))
      throw error
    const { code, message } = error
    const said = { code, by: 'the runtime', rule: null, reason: message.replace(/\.$/, ''), written: null }
    return authorization([{ step: 1, decision: 'deny', ...said }])
  }
}

/**
 * A call with what its answers are bound to; null if its project is not trusted, so that no request exists.
 *
 * @throws what `decideCall` throws, and TOOL_NOT_FOUND, TOOL_DENIED, APPROVAL_KEY_INVALID
 */
export async function callToAnswer(
  ref: string,
  given: unknown,
  own: Globals,
  options: InvokeOptions,
): Promise<IdentifiedCall | null> {
  const ctx = await checkedCall(ref, given, own, options)
  return (await isAskedFirst(own, ctx.tool)) ? null : (await asking()).callOf(ctx)
}

async function checkedCall(
  ref: string,
  given: unknown,
  own: Globals,
  options: InvokeOptions,
  caller?: RunContext,
): Promise<RunContext> {
  const { globals } = await agentView(own)
  const tool = await requireForAgent(ref, globals, caller && namespaceOf(caller.tool.name))
  if (given instanceof UncopiedArguments) throw argumentsRefused(tool, given)
  const ctx = new RunContext(globals, tool, invokeFor, caller, options)
  const chain = await chainOf(tool, globals)
  ctx.chain = chain
  ctx.takeArguments(await checkArguments(tool, chain, plainArguments(tool, given), ctx))
  return ctx
}

/** The answer of step 1 for a tool of an untrusted project. */
const TRUST_ASKED: StepAnswer = {
  ...{ step: 1, decision: 'ask', code: null, by: 'the runtime', rule: null, written: null },
  reason: 'its project is not trusted yet',
}

/** Adds the request for a person, unless it was answered or the call cannot work. */
async function asked(ctx: RunContext, made: Authorization): Promise<Authorization> {
  const request = await (await asking()).requestOf(ctx, made)
  if (request === null) return allowedBefore(made)
  if (!isAgentAppsError(request)) return { ...made, request }
  const { code, message } = request
  const said = {
    code,
    by: `"${ctx.tool.name}"`,
    rule: null,
    reason: message.replace(/\.$/, ''),
    written: null,
  }
  return { ...made, decision: 'deny', ...said }
}

function allowedBefore(made: Authorization): Authorization {
  const reason = `${made.reason}, and a person allowed it`
  return { ...made, decision: 'allow', by: 'a person', reason, rule: null, written: null }
}

function authorization(steps: StepAnswer[]): Authorization {
  const { decision, ...last } = steps[steps.length - 1] as StepAnswer
  return { ...last, decision: decision ?? 'allow', steps }
}
