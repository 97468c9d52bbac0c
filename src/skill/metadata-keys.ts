import { LIFTED_KEYS } from './frontmatter.js'

/** The key of `metadata` whose string holds further keys, for hosts that allow strings only. */
export const METADATA_STRING = 'agent-apps'

/**
 * The keys of `metadata` that the core itself reads; every other plain key may be the name of a middleware.
 */
export const CORE_METADATA_KEYS: readonly string[] = [
  ...LIFTED_KEYS,
  'agent',
  METADATA_STRING,
  'approval-key',
  'approval-preview',
  'catalog',
  'config',
  'contract-version',
  'delegate',
  'description-path',
  'enabled',
  'env',
  'executor',
  'gated',
  'interpolate',
  'lifecycle',
  'permissions',
  'requires',
  'requires-tools',
  'state-slot',
  'static',
  'trust',
]

/** A key of `metadata` that is an annotation: it controls how the others are inherited, merged and ordered. */
export type MetaKey = `$${string}`

/** True for a key of `metadata` that is an annotation. */
export function isMetaKey(key: string): key is MetaKey {
  return key.startsWith('$')
}

/** The values of the annotation `$hook`. */
export const HOOK_TRIGGERS = ['$next', '$invoke'] as const
export type HookTrigger = (typeof HOOK_TRIGGERS)[number]
