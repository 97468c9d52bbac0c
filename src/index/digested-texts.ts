import { byCodePoint } from '../base/code-point-order.js'

/**
 * The text whose digest is an index's `listing`: the names in the directory itself, in code-point
 * order, except those that are never searched. Another digest means that something was added or removed.
 */
export function listingText(names: readonly string[]): string {
  return names
    .filter(name => !name.startsWith('.') && name !== 'node_modules')
    .sort(byCodePoint)
    .join('\n')
}

/** Raised when the same input resolves to other cascades. */
const CASCADES_VERSION = 1

/** The text whose digest is a `cascadeKey`. */
export function cascadeKeyText(directories: readonly string[], library: string | null): string {
  return JSON.stringify([CASCADES_VERSION, directories, library])
}

/** A file, by its path relative to the directory, and its SHA-256. */
export type DigestedFile = readonly [path: string, sha256: string]

/** The text whose SHA-256 identifies several files, independent of their order. */
export function digestedFiles(files: Iterable<DigestedFile>): string {
  return [...new Set(Array.from(files, ([path, sha256]) => `${path}\0${sha256}`))]
    .sort(byCodePoint)
    .join('\n')
}
