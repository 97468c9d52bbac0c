import { canonicalText } from '../../src/base/canonical-text.js'
import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, type JsonValue } from '../../src/base/json.js'
import type { Decision } from '../../src/policy/decide.js'
import type { CallIds, Globals, InvokeOptions } from '../state/context.js'
import type { ApprovalAnswer, ApprovalRequest } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { askHost } from './ask-host.js'

/** A call that a person is asked about. */
export interface Asking {
  readonly tool: ToolDef
  readonly args: unknown
  readonly globals: Globals
  readonly options: InvokeOptions | undefined
  readonly envelope: Readonly<CallIds>
  readonly abort: AbortSignal | undefined
  /** Throws RUN_ABORTED once the call is no longer wanted. */
  mustGoOn: () => void
}

/** What came of a question. */
interface Outcome {
  answer: ApprovalAnswer | 'unavailable' | 'aborted'
  reason: string
}

/** The answers of a runtime's sessions, as long as the runtime lives. */
class Approvals {
  /** What runs for the rest of its session, and single calls that may be tried again. */
  readonly granted = new Set<string>()
  /** Questions that wait for an answer: a call of the same identity waits for it too. */
  readonly waiting = new Map<string, Promise<Outcome>>()
}

const approvalsOf = new WeakMap<Globals, Approvals>()
/** Each tool's number: an answer is for the tool as it was read or registered, and ends with that. */
const numbers = new WeakMap<ToolDef, number>()
let lastNumber = 0

/**
 * Asks a person whether a call may run, unless the same call of the same session was allowed before.
 *
 * @throws APPROVAL_DENIED, APPROVAL_UNAVAILABLE, RUN_ABORTED
 */
export async function ask(call: Asking, decision: Decision): Promise<void> {
  const { globals, tool, envelope } = call
  const approvals = approvalsOf.get(globals) ?? new Approvals()
  approvalsOf.set(globals, approvals)
  const identity = identityOf(call)
  const once = envelope.callId === undefined ? null : `${identity}\0${envelope.callId}`
  for (;;) {
    if (approvals.granted.has(identity) || (once !== null && approvals.granted.has(once))) return
    const waiting = approvals.waiting.get(identity)
    const { answer, reason } = await (waiting ?? asked(call, decision, identity, approvals))
    // An answer for one call, or the end of one, says nothing of another that waited for it.
    if (waiting && (answer === 'allow-once' || answer === 'aborted')) continue
    if (answer === 'allow-once') {
      if (once !== null) approvals.granted.add(once)
      return
    }
    if (answer === 'allow-session' || answer === 'allow-project') {
      // Without a session there is nothing that the answer could end with.
      if (envelope.sessionId !== undefined) approvals.granted.add(identity)
      return
    }
    call.mustGoOn()
    throw notApproved(tool, answer, reason, decision)
  }
}

/** What an answer is bound to: the tool as it is now, the arguments, who asks and for whom. */
function identityOf({ tool, args, envelope: { sessionId, userId, agentId } }: Asking): string {
  const number = numbers.get(tool) ?? ++lastNumber
  numbers.set(tool, number)
  return canonicalText([sessionId, userId, agentId, tool.name, number, digestOf(tool), args ?? {}])
}

function digestOf(tool: ToolDef): string | null {
  const source = sourceOf(tool)
  return source?.names.file(source.record.file)?.sha256 ?? null
}

async function asked(
  call: Asking,
  decision: Decision,
  identity: string,
  { waiting }: Approvals,
): Promise<Outcome> {
  const outcome = question(call, decision)
  waiting.set(identity, outcome)
  try {
    return await outcome
  } finally {
    waiting.delete(identity)
  }
}

async function question(
  { tool, args, globals: { config }, envelope, abort }: Asking,
  { reason, rule }: Decision,
): Promise<Outcome> {
  const { sessionId, userId, agentId } = envelope
  const request: Omit<ApprovalRequest, 'signal' | 'expires'> = {
    ...{ kind: 'approval', id: crypto.randomUUID(), tool: tool.name, layer: tool.origin.layer },
    ...{ origin: tool.origin, digest: digestOf(tool), key: canonicalText(args ?? {}) },
    ...{ args: (args ?? {}) as JsonValue, reason, rule, agentId, sessionId, userId },
  }
  const said = await askHost(config, request, abort)
  if (said.answered) return readAnswer(said.answer)
  return { answer: said.aborted ? 'aborted' : 'unavailable', reason: said.reason }
}

const ANSWERS: readonly ApprovalAnswer[] = ['allow-once', 'allow-session', 'allow-project', 'deny']

function readAnswer(given: unknown): Outcome {
  const { answer, reason } = isJsonObject(given) ? given : { answer: given, reason: undefined }
  const known = ANSWERS.find(one => one === answer)
  if (known) return { answer: known, reason: typeof reason === 'string' ? reason : '' }
  return { answer: 'unavailable', reason: `the answer was none of ${ANSWERS.join(', ')}` }
}

function notApproved(
  { name }: ToolDef,
  answer: Outcome['answer'],
  reason: string,
  { reason: why }: Decision,
): AgentAppsError {
  if (answer === 'deny') {
    const said = reason === '' ? '' : `: ${reason}`
    return new AgentAppsError('APPROVAL_DENIED', `The call of "${name}" was not approved${said}.`, {
      hint: 'Do without this call, or make another one.',
      tool: name,
    })
  }
  return new AgentAppsError(
    'APPROVAL_UNAVAILABLE',
    `The call of "${name}" needs approval, as ${why}, and ${reason}.`,
    { hint: 'Give createRuntime the function `interact`, or a rule that allows the call.', tool: name },
  )
}
