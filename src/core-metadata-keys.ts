import { LIFTED_KEYS } from './frontmatter.js'

/** The keys of `metadata` that the core itself reads; every other plain key may name a middleware. */
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
