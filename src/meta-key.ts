/** A key of `metadata` that is an annotation: it says how the others are inherited, merged and ordered. */
export type MetaKey = `$${string}`

/** True where a key of `metadata` is an annotation. */
export function isMetaKey(key: string): key is MetaKey {
  return key.startsWith('$')
}
