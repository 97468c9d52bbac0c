import { canonicalText } from '../../src/base/canonical-text.js'
import { AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import { type Decision, ended, keepDecision } from '../../src/policy/decide.js'
import {
  ABORTED,
  askHost,
  askInTurn,
  isAnswer,
  type Outcome,
  outcomeOf,
  TIMEOUT_MS,
} from '../approvals/ask-host.js'
import { notifyOfApproval } from '../approvals/notify.js'
import {
  approvalRequest,
  hasPreview,
  type IdentifiedCall,
  identifiedCall,
  type PendingCall,
  previewOf,
} from '../approvals/pending-call.js'
import { type Approval, approveForProject, isApprovedForProject } from '../approvals/project-approvals.js'
import { approveForSession, isApprovedForSession } from '../approvals/session-approvals.js'
import { givenAnswer, keepRequest } from '../approvals/waiting-request.js'
import { perRuntime } from '../state/per-runtime.js'
import type { ApprovalAnswer, WaitingRequest } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'
import { approvalKey } from './call-key.js'

/** Calls that were approved once and are kept for a retry. */
const ONCE_MAX = 10_000

/** The questions and answers that a runtime keeps in memory. */
const questions = perRuntime(() => ({
  /** The number of answers so far that allow more than one call. */
  grants: 0,
  /** Open questions by identity: other calls with it wait for the same answer. */
  waiting: new Map<string, Promise<Outcome>>(),
  /** Calls that were approved once, and may be tried again. */
  once: new Set<string>(),
}))

/**
 * Asks a person whether a call may run, unless the same call of the same session was allowed before.
 *
 * @throws APPROVAL_DENIED, APPROVAL_UNAVAILABLE, APPROVAL_KEY_INVALID, RUN_ABORTED; an AgentAppsError of the tool's
 *   preview, which the call would throw too
 */
export async function ask(pending: PendingCall, decision: Decision): Promise<void> {
  const known = questions(pending.globals)
  let call = await callOf(pending)
  // Null for a tool without previews, undefined until the preview is made.
  const unseen = hasPreview(pending.tool) ? undefined : null
  let preview: string | null | undefined = unseen
  for (;;) {
    const { grants } = known
    if (await wasApproved(call)) return
    if (preview === undefined) {
      // Each call has its own preview, even if it shares a question. Making one takes time.
      preview = await previewOf(pending)
      continue
    }
    // An approval given meanwhile is checked before asking.
    if (known.grants !== grants) continue
    const waiting = known.waiting.get(call.identity)
    const { answer, reason, isOutdated } = await (waiting ?? asked(call, decision, preview))
    // The call may have other effects by now.
    preview = unseen
    // Another call's `allow-once`, or its end, does not apply to this one.
    if (waiting && (answer === 'allow-once' || answer === 'aborted')) continue
    if (!isAllowed(answer)) {
      pending.throwIfAborted()
      throw keepDecision(notApproved(pending.tool, answer, reason, decision), decision)
    }
    if (!isOutdated) return
    call = await identifiedCall(pending, call.key)
  }
}

/**
 * True if a person allowed the call before: in this session, for the project, or by an answer given elsewhere, which
 * is used up.
 *
 * @throws APPROVAL_DENIED if it was denied elsewhere
 */
async function wasApproved(call: IdentifiedCall): Promise<boolean> {
  if (await isApproved(call)) return true
  const given = await givenAnswer(call)
  if (!given || !(await given.use())) return false
  const { tool, envelope } = call.pending
  const { answer, reason } = given.outcome
  if (answer === 'deny') throw notApproved(tool, answer, reason, null)
  notifyOfApproval('approval:answered', call, { id: envelope.callId, answer, reason })
  await grant(call, answer)
  return true
}

/** True if the call was allowed before: with others like it, or once, and this is a retry. */
async function isApproved(call: IdentifiedCall): Promise<boolean> {
  const { once } = questions(call.pending.globals)
  if (once.has(onceOf(call)) || (await isApprovedForSession(call))) return true
  return remembersProject(call) && (await isApprovedForProject(call))
}

/** True if a person allowed such calls before. Uses up no answer. */
export async function wasAllowed(pending: PendingCall): Promise<boolean> {
  return isApproved(await callOf(pending))
}

/**
 * The question to a person about a call, for a host that asks in its own way; null if `ask` would let the call pass, an
 * error if the call cannot work. The request of a call with an id is stored under it until it is answered.
 *
 * @throws APPROVAL_KEY_INVALID
 */
export async function requestOf(
  pending: PendingCall,
  decision: Pick<Decision, 'reason' | 'rule'>,
): Promise<WaitingRequest | AgentAppsError | null> {
  const { globals, envelope } = pending
  const call = await callOf(pending)
  if (await isApproved(call)) return null
  const answer = (await givenAnswer(call))?.outcome.answer
  if (answer !== undefined && answer !== 'deny') return null
  const { callId = crypto.randomUUID() } = envelope
  const preview = await previewOf(pending).catch((error: unknown) => {
    if (isAgentAppsError(error)) return error
    throw error
  })
  if (isAgentAppsError(preview)) return preview
  const expires = Date.now() + (globals.config.interactTimeoutMs ?? TIMEOUT_MS)
  const request = { ...approvalRequest(call, decision, callId, preview), expires }
  if (envelope.callId !== undefined && (await keepRequest(call, callId, expires)))
    notifyOfApproval('approval:asked', call, { id: callId, reason: decision.reason })
  return request
}

/**
 * A call as answers are bound to it.
 *
 * @throws APPROVAL_KEY_INVALID
 */
export async function callOf(pending: PendingCall): Promise<IdentifiedCall> {
  return identifiedCall(pending, await approvalKey(pending.tool, pending.args))
}

function remembersProject({ pending: { globals }, isOthers }: IdentifiedCall): boolean {
  return !isOthers && globals.config.policy?.approval?.remember === 'project'
}

/** The identity of this one call, with all its arguments; unique for a call without an id. */
function onceOf({ identity, pending: { args, envelope } }: IdentifiedCall): string {
  return canonicalText([identity, envelope.callId ?? crypto.randomUUID(), args ?? {}])
}

/** Keeps an answer for other calls. It holds for this generation of the session: never for a later one of its id. */
async function grant(call: IdentifiedCall, answer: Exclude<ApprovalAnswer, 'deny'>): Promise<void> {
  const { pending, key, digest } = call
  const { tool, globals, envelope } = pending
  const { userId, agentId, callId } = envelope
  const known = questions(globals)
  if (answer === 'allow-once') {
    const [oldest] = known.once
    if (known.once.size >= ONCE_MAX && oldest !== undefined) known.once.delete(oldest)
    if (callId !== undefined) known.once.add(onceOf(call))
    known.grants++
    return
  }
  const approval: Approval = {
    ...{ id: crypto.randomUUID(), scope: 'session', tool: tool.name, key: key.shown },
    ...{ digest: digest.text, time: Date.now(), userId, agentId },
  }
  const isForProject = answer === 'allow-project' && remembersProject(call)
  if (!isForProject || !(await approveForProject(call, { ...approval, scope: 'project' })))
    await approveForSession(call, approval)
  // Only once it is stored: a call that looked before looks again.
  known.grants++
}

/** Asks a question that calls of the same identity wait for. */
async function asked(call: IdentifiedCall, decision: Decision, preview: string | null): Promise<Outcome> {
  const { waiting } = questions(call.pending.globals)
  const outcome = askAndApply(call, decision, preview)
  // An error of this call must not fail the calls that wait.
  waiting.set(
    call.identity,
    outcome.catch(() => ABORTED),
  )
  try {
    return await outcome
  } finally {
    waiting.delete(call.identity)
  }
}

/** Asks, and applies the answer if the files did not change meanwhile: an edit makes it another question. */
async function askAndApply(
  call: IdentifiedCall,
  decision: Decision,
  preview: string | null,
): Promise<Outcome> {
  const outcome = await question(call, decision, preview)
  if (!isAllowed(outcome.answer)) return outcome
  const { identity } = await identifiedCall(call.pending, call.key, call.generation)
  if (identity !== call.identity) return { ...outcome, isOutdated: true }
  await grant(call, outcome.answer)
  return outcome
}

function isAllowed(answer: Outcome['answer']): answer is Exclude<ApprovalAnswer, 'deny'> {
  return answer !== 'deny' && isAnswer(answer)
}

/** Asks once it is this question's turn, with a new preview if it waited: answers before it may have had effects. */
async function question(call: IdentifiedCall, decision: Decision, preview: string | null): Promise<Outcome> {
  const { pending } = call
  const { globals, envelope, abort } = pending
  const outcome = await askInTurn(globals, envelope, abort, async hasWaited =>
    shown(call, decision, hasWaited ? await previewOf(pending) : preview),
  )
  return outcome ?? ABORTED
}

async function shown(call: IdentifiedCall, decision: Decision, preview: string | null): Promise<Outcome> {
  const { globals, abort } = call.pending
  const request = approvalRequest(call, decision, crypto.randomUUID(), preview)
  const about = { id: request.id, reason: decision.reason }
  notifyOfApproval('approval:asked', call, about)
  const outcome = outcomeOf(await askHost(globals.config, request, abort))
  notifyOfApproval('approval:answered', call, { ...about, ...outcome })
  return outcome
}

function notApproved(
  { name }: ToolDef,
  answer: Outcome['answer'],
  reason: string,
  decision: Decision | null,
): AgentAppsError {
  if (answer === 'deny') {
    const why = ended(reason === '' ? '' : `: ${reason}`)
    return new AgentAppsError('APPROVAL_DENIED', `The call of "${name}" was not approved${why}`, {
      hint: 'Do without this call, or make another one.',
      tool: name,
    })
  }
  const why = decision ? `, as ${decision.reason},` : ''
  return new AgentAppsError(
    'APPROVAL_UNAVAILABLE',
    `The call of "${name}" needs approval${why} and ${ended(reason)}`,
    { hint: 'Give createRuntime the function `interact`, or a rule that allows the call.', tool: name },
  )
}
