import { AgentAppsError } from '../../src/base/error.js'
import type { JsonValue } from '../../src/base/json.js'
import { perRuntime } from './per-runtime.js'
import type { Store, StoredValue } from './store.js'

/** The host's store, or one in memory. */
export const storeOf = perRuntime(({ config }) => config.store ?? memoryStore())

/** A store in memory. It stores copies, and returns copies. */
export function memoryStore(): Store {
  const values = new Map<string, { text: string; version: string }>()
  let count = 0
  return {
    async get(key): Promise<StoredValue | null> {
      const found = values.get(key)
      return found ? { value: JSON.parse(found.text) as JsonValue, version: found.version } : null
    },
    async set(key, value, version) {
      if ((values.get(key)?.version ?? null) !== version) throw conflict(key)
      const next = String(++count)
      values.set(key, { text: JSON.stringify(value), version: next })
      return next
    },
    async delete(key) {
      values.delete(key)
    },
  }
}

function conflict(key: string): AgentAppsError {
  return new AgentAppsError('STATE_CONFLICT', `Another call changed ${JSON.stringify(key)} meanwhile.`, {
    hint: 'Read it again, and set the new value.',
  })
}
