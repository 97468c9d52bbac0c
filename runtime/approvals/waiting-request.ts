import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.js'
import { changeValue } from '../state/change-value.js'
import type { CallIds, Globals } from '../state/context.js'
import { perRuntime } from '../state/per-runtime.js'
import type { ApprovalAnswer } from '../state/policy.js'
import { storeOf } from '../state/runtime-store.js'
import { openSession } from '../state/session-record.js'
import { ANSWERS, isAnswer, type Outcome, readAnswer } from './ask-host.js'
import { argumentsText, type IdentifiedCall } from './pending-call.js'
import { hasItsSum, sha256, withSum } from './user-lines.js'

type Owner = Pick<CallIds, 'sessionId' | 'userId' | 'agentId'>

interface AskedCall extends JsonObject {
  /** SHA-256 of what an answer is bound to: the tool with its digest, the arguments, and the ids of the agent. */
  binding: string
  expires: number
  state: 'waiting' | 'used' | ApprovalAnswer
  reason: string
}

const STATES: readonly unknown[] = ['waiting', 'used', ...ANSWERS]

/** Calls kept for one id, the last ones: a model may reuse an id. */
const CALLS_MAX = 100

/**
 * Milliseconds that an expired call is kept for: a late answer to it must not be taken for one to another call that was
 * asked under its id since.
 */
const LATE_MS = 3_600_000

/** The time until which each request of this process is kept, so that a store in memory does not grow. */
const ending = perRuntime(() => new Map<string, number>())

/** Stores a request until it is answered, here or in another process. False if it was stored before. */
export async function keepRequest(call: IdentifiedCall, id: string, expires: number): Promise<boolean> {
  const { globals, envelope } = call.pending
  const key = keyOf(id, envelope, call.generation)
  const binding = await bindingOf(call)
  await removeExpired(globals)
  const isNew = await change(key, globals, calls => {
    // The same call again is the same question, which may be answered by now.
    if (calls.some(one => isLive(one) && one.binding === binding && one.state !== 'used')) return null
    const others = calls.filter(one => isKept(one) && one.binding !== binding)
    return [...others, { binding, expires, state: 'waiting' as const, reason: '' }].slice(-CALLS_MAX)
  })
  if (isNew) ending(globals).set(key, expires + LATE_MS)
  return isNew
}

/**
 * Answers a waiting request of the same session, user and agent.
 *
 * @param call the call that the answer is for; default: the only one that was asked about under this id
 * @throws APPROVAL_INVALID for an unknown, foreign, expired or answered request, and for an invalid answer
 */
export async function answerRequest(
  id: string,
  given: unknown,
  owner: Owner,
  globals: Globals,
  call?: IdentifiedCall,
): Promise<void> {
  const { answer, reason } = readAnswer(given)
  if (!isAnswer(answer)) throw refused(id, reason)
  const binding = call && (await bindingOf(call))
  const { sessionId } = owner
  const generation = sessionId === undefined ? null : await openSession(sessionId, storeOf(globals))
  await change(keyOf(id, owner, generation), globals, calls => {
    // Does not reveal whether another agent has such a request.
    if (calls.length === 0) throw refused(id, 'this agent asked nothing under this id')
    if (!calls.some(isLive)) throw refused(id, 'it has expired')
    const kept = calls.filter(isKept)
    const meant = binding === undefined ? kept : kept.filter(one => one.binding === binding)
    const [found] = meant
    if (!found) throw refused(id, 'another call was asked about under this id')
    // Expired ones count: the answer may be a late one to them.
    if (meant.length > 1) throw refused(id, 'several calls were asked about under this id')
    if (!isLive(found)) throw refused(id, 'it has expired')
    if (found.state !== 'waiting') throw refused(id, 'it was answered before')
    return calls.map(one => (one === found ? { ...found, state: answer, reason } : one))
  })
}

/** The answer to a call's request, and a function that uses it up; null without an answer. */
export async function givenAnswer(
  call: IdentifiedCall,
): Promise<{ outcome: Outcome & { answer: ApprovalAnswer }; use: () => Promise<boolean> } | null> {
  const { globals, envelope } = call.pending
  if (envelope.callId === undefined) return null
  const key = keyOf(envelope.callId, envelope, call.generation)
  const binding = await bindingOf(call)
  const isMeant = (one: AskedCall): boolean => one.binding === binding && isLive(one)
  const { state: answer = 'waiting', reason = '' } =
    (await callsIn((await storeOf(globals).get(key))?.value)).find(isMeant) ?? {}
  if (!isAnswer(answer)) return null
  return {
    outcome: { answer, reason },
    /** False if another call used it up. */
    async use() {
      if (answer === 'deny') return true
      return change(key, globals, calls => {
        const found = calls.find(one => isMeant(one) && one.state === answer)
        return found ? calls.map(one => (one === found ? { ...found, state: 'used' } : one)) : null
      })
    },
  }
}

/** Includes the owner and the session's generation: a model may give the same id to calls in other sessions. */
function keyOf(id: string, { sessionId, userId, agentId }: Owner, generation: string | null): string {
  return JSON.stringify(['approval', sessionId ?? null, generation, userId ?? null, agentId ?? null, id])
}

async function bindingOf({ pending, identity }: IdentifiedCall): Promise<string> {
  return sha256(`${identity}\0${argumentsText(pending.args)}`)
}

/** Changes the value of a key, retrying if others change it too. False if `changed` returns null. */
async function change(
  key: string,
  globals: Globals,
  changed: (calls: readonly AskedCall[]) => AskedCall[] | null,
): Promise<boolean> {
  return changeValue(storeOf(globals), key, async found => {
    const calls = changed(await callsIn(found?.value))
    if (!calls) return null
    const expires = Math.max(...calls.map(one => one.expires)) + LATE_MS
    return { value: await withSum({ calls }), expires }
  })
}

async function removeExpired(globals: Globals): Promise<void> {
  const known = ending(globals)
  for (const [key, expires] of known) {
    if (expires > Date.now()) continue
    known.delete(key)
    // Another process may have used the same key since.
    const calls = await callsIn((await storeOf(globals).get(key))?.value)
    if (!calls.some(isKept)) await storeOf(globals).delete(key)
  }
}

/** True for a call that may still be answered. */
function isLive({ expires }: AskedCall): boolean {
  return expires > Date.now()
}

function isKept({ expires }: AskedCall): boolean {
  return expires + LATE_MS > Date.now()
}

/** The calls in a stored record. Anything malformed is ignored, and grants nothing. */
async function callsIn(value: JsonValue | undefined): Promise<AskedCall[]> {
  const { calls } = isJsonObject(value) && (await hasItsSum(value)) ? value : {}
  return Array.isArray(calls) && calls.every(isAskedCall) ? calls : []
}

function isAskedCall(value: JsonValue): value is AskedCall {
  if (!isJsonObject(value)) return false
  const { binding, expires, state, reason } = value
  const isText = typeof binding === 'string' && typeof reason === 'string'
  return isText && typeof expires === 'number' && STATES.includes(state)
}

export function refused(id: string, why: string): AgentAppsError {
  return new AgentAppsError(
    'APPROVAL_INVALID',
    `The request ${JSON.stringify(id)} cannot be answered: ${why}.`,
    {
      hint: 'Answer a request that `authorize` returned for a `callId`, once, with an agent of the same session, user and id. If calls share an id, name one with `call: { ref, args }`.',
    },
  )
}
