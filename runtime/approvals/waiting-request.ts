import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, type JsonObject } from '../../src/base/json.js'
import type { CallIds, Globals } from '../state/context.js'
import { perRuntime } from '../state/per-runtime.js'
import type { WaitingRequest } from '../state/policy.js'
import { isConflict } from '../state/store.js'
import { argumentsText } from './approval-request.js'
import type { ApprovedCall } from './approved-call.js'
import { storeOf } from './memory-store.js'
import { type Outcome, readAnswer } from './outcome.js'
import { sha256 } from './sha256.js'

/** Whose request it is. */
type Owner = Pick<CallIds, 'sessionId' | 'userId' | 'agentId'>

/** A request in the store, under the id of its call. */
interface Waiting extends JsonObject {
  /** SHA-256 of all that an answer is for: the tool with its digest, the arguments, and who asks. */
  binding: string
  /** SHA-256 of who asks. */
  owner: string
  expires: number
  state: 'waiting' | 'answered' | 'used'
  answer: string
  reason: string
  /** What a person is to be asked. */
  request: JsonObject
}

/** Requests of this process that end by themselves, so that a store in memory does not grow. */
const ending = perRuntime(() => new Map<string, number>())

/**
 * Keeps a request until it is answered, here or in another process. False where it was kept before.
 *
 * @throws APPROVAL_INVALID where another agent's request has this id
 */
export async function keepRequest(call: ApprovedCall, request: WaitingRequest): Promise<boolean> {
  const { id, expires } = request
  const { globals, envelope } = call.asking
  const store = storeOf(globals)
  await removeExpired(globals)
  const found = await store.get(keyOf(id))
  const known = found && asWaiting(found.value)
  const owner = await ownerHash(envelope)
  if (known && known.owner !== owner) throw refused(id, 'another agent uses this id')
  const binding = await bindingOf(call)
  // Asked again with the same arguments, it is the same question, and perhaps answered by now.
  if (known && known.binding === binding && known.state !== 'used' && known.expires > Date.now()) return false
  const shown = JSON.parse(JSON.stringify(request)) as JsonObject
  const waiting: Waiting = {
    binding,
    owner,
    expires,
    state: 'waiting',
    answer: '',
    reason: '',
    request: shown,
  }
  try {
    await store.set(keyOf(id), waiting, found?.version ?? null)
  } catch (error) {
    // Somebody else asked or answered at the same time: looked at again, it may be the same question.
    if (isConflict(error)) return keepRequest(call, request)
    throw error
  }
  ending(globals).set(id, expires)
  return true
}

/**
 * Answers a request that waits. It must be the agent's own: of the same session, user and agent.
 *
 * @throws APPROVAL_INVALID for an unknown, foreign, expired or answered request, and for what is no answer
 */
export async function answerRequest(
  id: string,
  given: unknown,
  owner: Owner,
  globals: Globals,
): Promise<void> {
  const { answer, reason } = readAnswer(given)
  if (answer === 'unavailable' || answer === 'aborted') throw refused(id, reason)
  const store = storeOf(globals)
  const found = await store.get(keyOf(id))
  const known = found && asWaiting(found.value)
  // Whether another agent has such a request is not told.
  if (!known || known.owner !== (await ownerHash(owner)))
    throw refused(id, 'this agent has asked nothing by this id')
  if (known.expires <= Date.now()) throw refused(id, 'it has expired')
  if (known.state !== 'waiting') throw refused(id, 'it was answered before')
  try {
    await store.set(keyOf(id), { ...known, state: 'answered', answer, reason }, found.version)
  } catch (error) {
    if (isConflict(error)) throw refused(id, 'it was answered before', error)
    throw error
  }
}

/** The answer to a call's request, and how to use it up; null where none holds for it. */
export async function givenAnswer(
  call: ApprovedCall,
): Promise<{ outcome: Outcome; use: () => Promise<boolean> } | null> {
  const { globals, envelope } = call.asking
  const { callId } = envelope
  if (callId === undefined) return null
  const store = storeOf(globals)
  const found = await store.get(keyOf(callId))
  const known = found && asWaiting(found.value)
  if (!known || known.state !== 'answered' || known.expires <= Date.now()) return null
  if (known.binding !== (await bindingOf(call))) return null
  const outcome = readAnswer(known)
  return {
    outcome,
    /** False where another call has used it up. */
    async use() {
      if (outcome.answer === 'deny') return true
      try {
        await store.set(keyOf(callId), { ...known, state: 'used' }, found.version)
        return true
      } catch (error) {
        if (isConflict(error)) return false
        throw error
      }
    },
  }
}

function keyOf(id: string): string {
  return `approval:${id}`
}

async function bindingOf({ asking, identity }: ApprovedCall): Promise<string> {
  return sha256(`${identity}\0${argumentsText(asking.args)}`)
}

async function ownerHash({ sessionId, userId, agentId }: Owner): Promise<string> {
  return sha256(JSON.stringify([sessionId ?? null, userId ?? null, agentId ?? null]))
}

async function removeExpired(globals: Globals): Promise<void> {
  const known = ending(globals)
  for (const [id, expires] of known) {
    if (expires > Date.now()) continue
    known.delete(id)
    await storeOf(globals).delete(keyOf(id))
  }
}

/** Whatever else a store gives is no request, and grants nothing. */
function asWaiting(value: unknown): Waiting | null {
  if (!isJsonObject(value)) return null
  const { binding, owner, expires, state, answer, reason } = value
  const isOne =
    [binding, owner, state, answer, reason].every(one => typeof one === 'string') &&
    typeof expires === 'number'
  return isOne ? (value as Waiting) : null
}

/** The error for an answer that does not count. */
export function refused(id: string, why: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError(
    'APPROVAL_INVALID',
    `The request ${JSON.stringify(id)} takes no answer: ${why}.`,
    {
      hint: 'Answer a request that `authorize` gave with a `callId`, by an agent of the same session, user and id, once.',
      cause,
    },
  )
}
