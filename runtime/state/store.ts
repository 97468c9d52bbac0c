import type { JsonValue } from '../../src/base/json.js'

/** A value as a store keeps it. */
export interface StoredValue {
  value: JsonValue
  /** Changes with each `set`. */
  version: string
}

/** A host's store of the state that outlives a call: of tools, and of requests that wait for an answer. */
export interface Store {
  /** The value of a key; null where there is none. */
  get: (key: string) => Promise<StoredValue | null>
  /**
   * Keeps a value in place of the one that has `version`; null: of none. Returns the version of what is kept.
   *
   * @throws STATE_CONFLICT where another value was kept meanwhile
   */
  set: (key: string, value: JsonValue, version: string | null) => Promise<string>
  /** Removes a value, if there is one. */
  delete: (key: string) => Promise<void>
}

/** True for what a store throws where another value was kept meanwhile: a host's own may throw any error with this code. */
export function isConflict(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === 'STATE_CONFLICT'
}
