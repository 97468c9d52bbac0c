import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.js'
import { changeValue } from '../state/change-value.js'
import type { CallIds, Globals } from '../state/context.js'
import { storeOf } from '../state/runtime-store.js'
import { expiryOf, mustRenew, noteSessionKey, sessionGeneration } from '../state/session-record.js'
import type { IdentifiedCall } from './pending-call.js'
import type { Approval } from './project-approvals.js'
import { hasItsSum, sha256, withSum } from './user-lines.js'

type Owner = Pick<CallIds, 'sessionId' | 'userId' | 'agentId'>

/** An approval in the runtime's store, below a key that names its owner. */
interface Granted extends JsonObject {
  id: string
  tool: string
  key: string
  digest: string
  time: number
  /** SHA-256 of the identity of the approved calls, which contains whole arguments. */
  calls: string
}

/** True if such calls were approved for the session, by any process that shares the store. */
export async function isApprovedForSession(call: IdentifiedCall): Promise<boolean> {
  const { globals, envelope } = call.pending
  const store = storeOf(globals)
  const key = keyOf(envelope, call.generation)
  if (key === null) return false
  const found = await store.get(key)
  const calls = await sha256(call.identity)
  if (!(await grantedIn(found?.value)).some(one => one.calls === calls)) return false
  if (mustRenew(found?.expires, store)) await change(key, globals, granted => granted)
  return true
}

/** Stores an approval for the session, unless that has ended since the call was made. */
export async function approveForSession(
  call: IdentifiedCall,
  { id, tool, key: shown, digest, time }: Approval,
): Promise<void> {
  const { globals, envelope } = call.pending
  const { sessionId } = envelope
  const key = keyOf(envelope, call.generation)
  // Without a session, the approval would never end.
  if (key === null || sessionId === undefined || call.generation === null) return
  if (!(await noteSessionKey(sessionId, call.generation, key, storeOf(globals)))) return
  const calls = await sha256(call.identity)
  await change(key, globals, granted => [
    ...granted.filter(one => one.calls !== calls),
    { id, tool, key: shown, digest, time, calls },
  ])
}

/** The approvals for a session of a user and an agent. */
export async function sessionApprovals(owner: Owner, globals: Globals): Promise<Approval[]> {
  const key = await currentKey(owner, globals)
  if (key === null) return []
  const { userId, agentId } = owner
  const granted = await grantedIn((await storeOf(globals).get(key))?.value)
  return granted.map(({ calls: _, ...approval }) => ({ ...approval, scope: 'session', userId, agentId }))
}

/** Revokes an approval for a session. False if none has this id. */
export async function revokeForSession(id: string, owner: Owner, globals: Globals): Promise<boolean> {
  const key = await currentKey(owner, globals)
  if (key === null) return false
  return change(key, globals, granted => {
    const others = granted.filter(one => one.id !== id)
    return others.length < granted.length ? others : null
  })
}

async function currentKey(owner: Owner, globals: Globals): Promise<string | null> {
  const { sessionId } = owner
  return sessionId === undefined ? null : keyOf(owner, await sessionGeneration(sessionId, storeOf(globals)))
}

function keyOf({ sessionId, userId, agentId }: Owner, generation: string | null): string | null {
  if (generation === null) return null
  return JSON.stringify(['approvals', sessionId, generation, userId ?? null, agentId ?? null])
}

function change(
  key: string,
  globals: Globals,
  changed: (granted: readonly Granted[]) => readonly Granted[] | null,
): Promise<boolean> {
  const store = storeOf(globals)
  return changeValue(store, key, async found => {
    const granted = changed(await grantedIn(found?.value))
    return granted && { value: await withSum({ granted }), ...expiryOf(store) }
  })
}

/** The approvals in a stored value. A damaged one grants nothing. */
async function grantedIn(value: JsonValue | undefined): Promise<Granted[]> {
  const { granted } = isJsonObject(value) && (await hasItsSum(value)) ? value : {}
  return Array.isArray(granted) && granted.every(isGranted) ? granted : []
}

function isGranted(value: JsonValue): value is Granted {
  if (!isJsonObject(value)) return false
  const { id, tool, key, digest, time, calls } = value
  return typeof time === 'number' && [id, tool, key, digest, calls].every(one => typeof one === 'string')
}
