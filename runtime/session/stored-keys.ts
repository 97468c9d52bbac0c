import { isStringArray } from '../../src/base/json.js'
import type { Globals } from '../state/context.js'
import { isConflict, type Store } from '../state/store.js'

/** A store cannot list its keys, so those of a session are kept in it too. */
function listKey(sessionId: string): string {
  return JSON.stringify(['session', sessionId])
}

/** Tries at a list that other processes add to at the same time. */
const TRIES_MAX = 50

/** Notes that a session has a key in a store, before the key is set. */
export async function rememberKey(sessionId: string, key: string, store: Store): Promise<void> {
  const list = listKey(sessionId)
  for (let tries = 1; ; tries++) {
    const kept = await store.get(list)
    const keys = isStringArray(kept?.value) ? kept.value : []
    if (keys.includes(key)) return
    try {
      await store.set(list, [...keys, key], kept?.version ?? null)
      return
    } catch (error) {
      if (!isConflict(error) || tries === TRIES_MAX) throw error
    }
  }
}

/** Removes the keys of a session from the runtime's store, whichever process set them. */
export async function forgetKeys(sessionId: string, { config: { store } }: Globals): Promise<void> {
  if (!store) return
  const list = listKey(sessionId)
  const kept = await store.get(list)
  for (const key of isStringArray(kept?.value) ? kept.value : []) await store.delete(key)
  await store.delete(list)
}
