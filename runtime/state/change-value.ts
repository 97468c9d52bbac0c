import type { JsonValue } from '../../src/base/json.js'
import { isConflict, type Store, type StoredValue } from './store.js'

/** A value to be stored, and the time in milliseconds since 1970 after which the store may remove it. */
export interface NewValue {
  value: JsonValue
  expires?: number | undefined
}

/** Attempts at a value that other processes change concurrently. */
const TRIES_MAX = 50

/**
 * Replaces the value of a key with the result of `change`, which is called again if another process was faster. False if
 * `change` returns null: the stored value stays.
 */
export async function changeValue(
  store: Store,
  key: string,
  change: (found: StoredValue | null) => NewValue | null | Promise<NewValue | null>,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const found = await store.get(key)
    const next = await change(found)
    if (!next) return false
    const { value, expires } = next
    try {
      await store.set(key, value, found?.version ?? null, expires === undefined ? undefined : { expires })
      return true
    } catch (error) {
      if (!isConflict(error) || tries === TRIES_MAX) throw error
    }
  }
}
