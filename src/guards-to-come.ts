import type { JsonValue } from './json.js'

/** The keys of metadata that are to guard calls, and that nothing reads yet. */
export const GUARDS_TO_COME: readonly string[] = ['gated', 'permissions', 'trust']

/** True for a key whose author believes that it guards something. */
export function isGuardToCome(key: string, value: JsonValue): boolean {
  return GUARDS_TO_COME.includes(key) && value !== false && value !== null
}
