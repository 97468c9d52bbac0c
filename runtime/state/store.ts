import type { JsonValue } from '../../src/base/json.js'

/** A value as a store keeps it. */
export interface StoredValue {
  value: JsonValue
  /** Changes with each `set`. */
  version: string
  /** The time after which the store may remove it, in milliseconds since 1970; absent if it is kept until it is deleted. */
  expires?: number
}

/** A host's store of the state that outlives a call: of tools, and of requests that wait for an answer. */
export interface Store {
  /** How long state is kept after its last use, in milliseconds. Default: until its session ends. */
  readonly ttlMs?: number
  /** The value of a key; null where there is none. */
  get: (key: string) => Promise<StoredValue | null>
  /**
   * Keeps a value in place of the one with `version`, or with null where the key has none, and returns its new version.
   * A store may ignore `expires`, and must not remove the value before that time.
   *
   * @throws STATE_CONFLICT if another process has set or deleted the value
   */
  set: (
    key: string,
    value: JsonValue,
    version: string | null,
    options?: { expires?: number },
  ) => Promise<string>
  /** Removes a value, if there is one. */
  delete: (key: string) => Promise<void>
}

/** True for what a store throws where another value was kept meanwhile: a host's own may throw any error with this code. */
export function isConflict(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === 'STATE_CONFLICT'
}
