import { AgentAppsError, type JsonValue } from 'agent-apps/runtime'

/** How much longer than asked a store keeps a value, in milliseconds: the clocks of its clients may differ by as much. */
export const CLOCK_DIFFERENCE_MS = 60_000

/**
 * The SHA-256 of a key as JSON, in hexadecimal digits. A lone surrogate has an escape of its own in JSON, where
 * UTF-8 would make one character of all of them.
 */
export async function keyDigest(key: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(key))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Parses the text that a store keeps of a value.
 *
 * @throws STATE_INVALID for text that is not JSON
 */
export function parseKept(text: unknown, key: string): JsonValue {
  try {
    if (typeof text === 'string') return JSON.parse(text) as JsonValue
  } catch {
    // Reported below, like a value of another type.
  }
  throw new AgentAppsError('STATE_INVALID', `The stored value of ${JSON.stringify(key)} is not JSON text.`, {
    hint: 'Delete or restore it.',
  })
}

export function stateConflict(key: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError(
    'STATE_CONFLICT',
    `Another process changed the stored value of ${JSON.stringify(key)}.`,
    {
      hint: 'Get the value again, and set it with the version that it has now.',
      ...(cause !== undefined && { cause }),
    },
  )
}

/** @throws OPTIONS_INVALID for a `ttlMs` that is not a positive number */
export function checkTtl(ttlMs: unknown): void {
  if (ttlMs === undefined || (typeof ttlMs === 'number' && ttlMs > 0 && Number.isFinite(ttlMs))) return
  throw new AgentAppsError('OPTIONS_INVALID', `\`ttlMs\` must be a positive number, not ${String(ttlMs)}.`, {
    hint: 'It is a time in milliseconds. Leave it out to keep values until they are deleted.',
  })
}
