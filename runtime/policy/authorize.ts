import { AgentAppsError } from '../../src/base/error.js'
import { PERMISSIONS, type Permission } from '../../src/base/permissions.js'
import {
  type Decision,
  decide,
  decisionSteps,
  ended,
  keepDecision,
  mayBeAllowed,
  type StepAnswer,
} from '../../src/policy/decide.js'
import { type AgentCall, grantedTo, isGranted, type Limits } from '../../src/policy/limits.js'
import type { PendingCall } from '../approvals/pending-call.js'
import { plainSourceOf } from '../find/tool-list.js'
import { isThenable, lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import { addDiagnostic } from '../state/globals.js'
import type { ToolDef } from '../state/tool-def.js'
import { type AgentLimits, agentLimits, invocationOf, type PolicyCall } from './agent-limits.js'
import { agentCall, anyCall, CallLimits } from './call-limits.js'
import { guardsOf } from './guards-of.js'
import { type OwnedCall, openLists } from './opened-skills.js'

const asking = lazy(() => import('./ask.js'))
const keys = lazy(() => import('./call-key.js'))

/** The fields of a call that show its permissions. They decide nothing. */
interface Granting {
  granted: readonly Permission[] | undefined
  permitted: readonly Permission[] | undefined
}

/** The permissions granted to each agent's call, for the calls that its code makes. */
const grants = new WeakMap<PolicyCall, readonly Permission[]>()

/**
 * Authorizes an agent's call, asking a person if necessary.
 *
 * @param inPlace true for a tool that runs instead of the called one: it may be hidden
 * @throws TOOL_DENIED, PERMISSION_MISSING, APPROVAL_KEY_INVALID, and what `ask` throws
 */
export async function authorize(call: PolicyCall & PendingCall & Granting, inPlace = false): Promise<void> {
  const { tool } = call
  const limits = await limitsOf(call)
  const decision = decide(await keyedCall(call, limits, inPlace), limits)
  if (decision.decision === 'deny') throw keepDecision(deniedCall(tool, decision), decision)
  if (decision.decision === 'ask') await (await asking()).ask(call, decision)
  const granted = grantedTo(guardsOf(tool), limits)
  grants.set(call, granted)
  call.granted = granted
  call.permitted = PERMISSIONS.filter(one => isGranted(one, limits.permissions))
}

/**
 * The answers of the decision's steps to an agent's call, up to the one that decides. The call is not made.
 *
 * @param mayRun false if the tool's code may not run to derive the key; a call that depends on it has no
 * answers
 */
export async function stepsOf(call: OwnedCall, mayRun: boolean): Promise<StepAnswer[]> {
  const limits = await limitsOf(call)
  const { tool, args, globals } = call
  const needsCode = guardsOf(tool).approvalKey === 'derived'
  if (!mayRun && needsCode && mayBeAllowed(agentCall(tool, args, globals), limits)) return []
  return decisionSteps(await keyedCall(call, limits), limits)
}

/** Adds the key that the tool gives the call. No code runs for a tool that is denied for any arguments. */
async function keyedCall(
  { tool, args, globals }: OwnedCall,
  limits: Limits,
  inPlace = false,
): Promise<AgentCall> {
  const call = { ...agentCall(tool, args, globals), ...(inPlace && { isThere: true }) }
  if (call.guards.approvalKey === undefined || !mayBeAllowed(call, limits)) return call
  const { text } = await (await keys()).callKey(tool, args)
  return text === undefined ? call : { ...call, key: text }
}

async function limitsOf(call: OwnedCall): Promise<Limits> {
  const { tool, globals } = call
  const agent = { ...agentLimits(globals, call), preApproved: openLists(call) }
  return new CallLimits(agent, globals).of(tool)
}

/** With more tools than this, indexing the rules pays off. */
const MANY = 32

/** The tools that an agent may call with some arguments. */
export async function allowedAmong(
  tools: readonly ToolDef[],
  globals: Globals,
  agent: AgentLimits,
): Promise<ToolDef[]> {
  const areMany = tools.length > MANY && globals.config.freshness === 'trust'
  const limits = new CallLimits(agent, globals, areMany)
  /** The one decision about all plain tools, for each of the limits that have no rules. */
  const letThrough = new Map<Limits, boolean>()
  const allowed: ToolDef[] = []
  for (const tool of tools) {
    const found = limits.of(tool)
    // Awaiting takes longer than deciding.
    const own = isThenable(found) ? await found : found
    const isLikeOthers = !own.hasRules && plainSourceOf(tool) !== null
    const isAllowed =
      (isLikeOthers ? letThrough.get(own) : undefined) ?? mayBeAllowed(anyCall(tool, globals), own)
    if (isLikeOthers) letThrough.set(own, isAllowed)
    if (isAllowed) allowed.push(tool)
    else noteWithheld(tool, own, globals)
  }
  return allowed
}

/** The reason why `allowedAmong` leaves a tool out, and advice for a person about it. */
export async function whyNever(
  tool: ToolDef,
  globals: Globals,
  agent: AgentLimits,
): Promise<{ why: string; grant: string }> {
  const limits = await new CallLimits(agent, globals).of(tool)
  const { reason, code } = decide(anyCall(tool, globals), limits)
  const missing = guardsOf(tool).required.filter(one => !isGranted(one, limits.permissions))
  const grant =
    code === 'PERMISSION_MISSING'
      ? `Grant it \`permissions: ${JSON.stringify(missing)}\`, in the policy of createRuntime, and in the agent's where that has permissions.`
      : 'Let the list or the rule allow it.'
  return { why: reason, grant }
}

/** Notes once that a tool is withheld because the host grants no permissions. */
function noteWithheld(tool: ToolDef, { permissions }: Limits, globals: Globals): void {
  const { required } = guardsOf(tool)
  if (permissions.length > 0 || required.length === 0) return
  const { origin, name } = tool
  addDiagnostic(globals, {
    file: origin.entry === '' ? `(registered as ${name})` : `${origin.entry}/${origin.file}`,
    rule: 'permission-missing',
    severity: 'info',
    reason: `Agents do not get "${name}", which requires ${required.join(', ')}: the host grants no permissions`,
    note: `Give createRuntime \`policy: { permissions: [${required.map(one => `'${one}'`).join(', ')}] }\`, or forAgent \`permissions\`.`,
  })
}

/**
 * Authorizes a call that code makes below an agent's call. It may require no more than what was granted to
 * the tool
 * that the agent called, or what the calling middleware declares.
 *
 * @throws PERMISSION_MISSING
 */
export function limitCode(call: PolicyCall & Granting): void {
  const granted = grantedBelow(call.tool, call.caller, call.globals)
  if (granted) call.granted = granted
}

/**
 * Authorizes an inherited delegate or a directive of the called tool. It may require no more than was granted
 * to the
 * called tool.
 *
 * @throws PERMISSION_MISSING
 */
export function limitPart(part: ToolDef, call: PolicyCall): void {
  grantedBelow(part, call, call.globals)
}

/**
 * The permissions of code that runs below a call; null without an agent above.
 *
 * @throws PERMISSION_MISSING if the tool requires more
 */
function grantedBelow(
  tool: ToolDef,
  call: PolicyCall | undefined,
  globals: Globals,
): readonly Permission[] | null {
  for (let one = call; one; one = one.caller) {
    const granted = grantedFor(one, globals)
    if (granted === null) continue
    const missing = guardsOf(tool).required.filter(permission => !granted.includes(permission))
    if (missing.length === 0) return granted
    const reason = `"${one.tool.name}", whose code calls it, is not granted ${missing.join(', ')}`
    throw deniedCall(tool, { code: 'PERMISSION_MISSING', reason })
  }
  return null
}

/** The permissions granted to a call above; null if neither an agent nor a middleware of its call made it. */
function grantedFor(call: PolicyCall, globals: Globals): readonly Permission[] | null {
  if (!call.served) return call.options?.as === 'agent' ? (grants.get(call) ?? []) : null
  if (!isBelowAgent(call)) return null
  const { permissions } = agentLimits(globals, invocationOf(call))
  const { required, optional } = guardsOf(call.tool)
  return [...required, ...optional].filter(one => isGranted(one, permissions))
}

function isBelowAgent(call: PolicyCall): boolean {
  for (
    let one: PolicyCall | undefined = invocationOf(call);
    one;
    one = one.caller && invocationOf(one.caller)
  )
    if (one.options?.as === 'agent') return true
  return false
}

const HINTS = {
  PERMISSION_MISSING: 'Grant it: `permissions` of the policy of createRuntime, and of forAgent.',
  TOOL_DENIED: 'Call one of the tools that are listed, or let its skill or policy allow this one.',
  TOOL_NOT_FOUND: 'Call one of the tools that are listed.',
}

function deniedCall({ name }: ToolDef, { code, reason }: Pick<Decision, 'code' | 'reason'>): AgentAppsError {
  const known = code ?? 'TOOL_DENIED'
  return new AgentAppsError(known, `The tool "${name}" may not be called: ${ended(reason)}`, {
    hint: HINTS[known],
    modelHint: HINTS.TOOL_NOT_FOUND,
    tool: name,
  })
}
