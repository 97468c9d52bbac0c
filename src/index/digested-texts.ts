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

/** A file, by its path relative to the directory, and its SHA-256. */
export type DigestedFile = readonly [path: string, sha256: string]

/** The text whose SHA-256 stands for several files, in whichever order they are given. */
export function digestedFiles(files: Iterable<DigestedFile>): string {
  return [...new Set(Array.from(files, ([path, sha256]) => `${path}\0${sha256}`))]
    .sort(byCodePoint)
    .join('\n')
}
