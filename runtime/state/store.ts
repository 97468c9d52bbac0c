import type { JsonValue } from '../../src/base/json.js'

/** A value in a store, with its version. */
export interface StoredValue {
  /** The value, as JSON. */
  value: JsonValue
  /** Changes with each `set`. */
  version: string
  /** The time after which the store may remove it, in milliseconds since 1970; absent: kept until deleted. */
  expires?: number
}

/** A host's store for state that outlives a call: that of tools, and requests that wait for an answer. */
export interface Store {
  /** How long state is kept after its last use, in milliseconds. Default: until its session ends. */
  readonly ttlMs?: number
  /** Returns the value of a key, or null. */
  get: (key: string) => Promise<StoredValue | null>
  /**
   * Replaces the value that has `version` (null: the key has no value), and returns the new version. A store may
   * ignore `expires`, but must not remove the value before that time.
   *
   * @throws STATE_CONFLICT if another process has set or deleted the value
   */
  set: (
    key: string,
    value: JsonValue,
    version: string | null,
    options?: { expires?: number },
  ) => Promise<string>
  /** Removes the value of a key, if any. */
  delete: (key: string) => Promise<void>
}

/** True for the error of a store whose value was changed meanwhile: any error with this code. */
export function isConflict(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === 'STATE_CONFLICT'
}
