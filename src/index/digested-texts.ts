import { byCodePoint } from '../base/code-point-order.js'

/**
 * The text whose digest is an index's `listing`: the names that stand in the directory itself, in code-point
 * order, without those that are never searched. Whoever finds another digest knows that something was added.
 */
export function listingText(names: readonly string[]): string {
  return names
    .filter(name => !name.startsWith('.') && name !== 'node_modules')
    .sort(byCodePoint)
    .join('\n')
}

/** Raised where cascades of the same input come to something else. */
const CASCADES_VERSION = 1

/** The text whose digest is a `cascadeKey`. */
export function cascadeKeyText(directories: readonly string[], library: string | null): string {
  return JSON.stringify([CASCADES_VERSION, directories, library])
}
