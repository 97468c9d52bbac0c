import { byCodePoint } from '../base/code-point-order.js'

/** A file, by its path relative to the directory, and its SHA-256. */
export type DigestedFile = readonly [path: string, sha256: string]

/** The text whose SHA-256 stands for several files, in whichever order they are given. */
export function digestedFiles(files: Iterable<DigestedFile>): string {
  return [...new Set(Array.from(files, ([path, sha256]) => `${path}\0${sha256}`))]
    .sort(byCodePoint)
    .join('\n')
}
