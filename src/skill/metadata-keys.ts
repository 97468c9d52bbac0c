import type { JsonValue } from '../base/json.js'
import { LIFTED_KEYS } from './frontmatter.js'

/**
 * The keys of `metadata` that the core itself reads; every other plain key may be the name of a middleware.
 */
export const CORE_METADATA_KEYS: readonly string[] = [
  ...LIFTED_KEYS,
  'agent',
  'approval-key',
  'delegate',
  'enabled',
  'gated',
  'interpolate',
  'permissions',
  'requires',
  'requires-tools',
  'static',
  'trust',
]

/** A key of `metadata` that is an annotation: it says how the others are inherited, merged and ordered. */
export type MetaKey = `$${string}`

/** True for a key of `metadata` that is an annotation. */
export function isMetaKey(key: string): key is MetaKey {
  return key.startsWith('$')
}

/** The keys of metadata that are meant to guard calls, and that nothing reads yet. */
export const GUARDS_TO_COME: readonly string[] = ['gated', 'permissions', 'trust']

/** True for a key whose author believes that it guards something. */
export function isGuardToCome(key: string, value: JsonValue): boolean {
  return GUARDS_TO_COME.includes(key) && value !== false && value !== null
}
