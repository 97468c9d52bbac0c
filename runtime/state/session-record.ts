import { isJsonObject, isStringArray, type JsonObject } from '../../src/base/json.js'
import { changeValue } from './change-value.js'
import type { Store } from './store.js'

/**
 * The record of a session in a store. Keys of the session contain its random `generation`: a value that one process
 * sets after another has ended the session is stored under a generation that is never read again.
 */
interface SessionRecord extends JsonObject {
  generation: string
  /** The keys that `removeSession` deletes: a store cannot list its keys. */
  keys: string[]
}

/** Returns the generation of a session. Creates its record if needed, and renews one that would expire before its values. */
export async function openSession(sessionId: string, store: Store): Promise<string> {
  const fresh = crypto.randomUUID()
  const record = await changeRecord(sessionId, store, found => found ?? { generation: fresh, keys: [] })
  return record?.generation ?? fresh
}

/** Returns the generation of a session; null if nothing is stored for it. */
export async function sessionGeneration(sessionId: string, store: Store): Promise<string | null> {
  return recordIn((await store.get(recordKey(sessionId)))?.value)?.generation ?? null
}

/** Notes a key of a session before it is set. False if the session has ended since its generation was read. */
export async function noteSessionKey(
  sessionId: string,
  generation: string,
  key: string,
  store: Store,
): Promise<boolean> {
  const record = await changeRecord(sessionId, store, found => {
    if (found?.generation !== generation) return null
    return found.keys.includes(key) ? found : { generation, keys: [...found.keys, key] }
  })
  return record !== null
}

/** Ends a session in a store, whichever process set its values. The record goes first, and with it the generation. */
export async function removeSession(sessionId: string, store: Store): Promise<void> {
  const key = recordKey(sessionId)
  const record = recordIn((await store.get(key))?.value)
  await store.delete(key)
  for (const one of record?.keys ?? []) await store.delete(one)
}

/** The `expires` of a value that is set or used now. */
export function expiryOf({ ttlMs }: Store): { expires: number } | undefined {
  return ttlMs === undefined ? undefined : { expires: Date.now() + ttlMs }
}

/** True once less than half of a value's lifetime is left. */
export function mustRenew(expires: number | undefined, { ttlMs }: Store): boolean {
  return ttlMs !== undefined && (expires ?? 0) - Date.now() < ttlMs / 2
}

/**
 * Replaces a session's record with the result of `change`, unless that is null. A record lives twice as long as the
 * values, so that it outlives each of them.
 */
async function changeRecord(
  sessionId: string,
  store: Store,
  change: (found: SessionRecord | null) => SessionRecord | null,
): Promise<SessionRecord | null> {
  const { ttlMs } = store
  let next: SessionRecord | null = null
  await changeValue(store, recordKey(sessionId), kept => {
    const found = recordIn(kept?.value)
    next = change(found)
    const isLasting = ttlMs === undefined || (kept?.expires ?? 0) - Date.now() > ttlMs
    if (!next || (next === found && isLasting)) return null
    return { value: next, expires: ttlMs === undefined ? undefined : Date.now() + 2 * ttlMs }
  })
  return next
}

function recordKey(sessionId: string): string {
  return JSON.stringify(['session', sessionId])
}

function recordIn(value: unknown): SessionRecord | null {
  if (!isJsonObject(value)) return null
  const { generation, keys } = value
  return typeof generation === 'string' && isStringArray(keys) ? { generation, keys } : null
}
