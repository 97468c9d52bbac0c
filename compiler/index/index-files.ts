import { constants } from 'node:buffer'
import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type IndexFiles, IndexRefused } from '../../src/index/read-index.js'
import { readRegularFile, unlessGone } from '../files/regular-file.js'

/** The files of indexes, as a compiler reads them. */
export const indexFiles: IndexFiles = {
  via: 'index',
  resolve: join,
  stat: path => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() ? stat : null
  },
  readText: textOf,
  isLoaded: () => true,
  loadTexts: async () => {},
  digestText: digestOf,
  digestOf,
}

function digestOf(bytes: string | Uint8Array): string {
  return hash('sha256', bytes)
}

/** The text of a file; null where it is not there, or too large to be a string: no runtime reads that either. */
export function textOf(path: string): string | null {
  return unlessGone(() => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() && stat.size <= constants.MAX_STRING_LENGTH
      ? readRegularFile(path).toString()
      : null
  })
}

/** What reading an index gives; null where the index must not be used. */
export function unlessRefused<Result>(read: () => Result): Result | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof IndexRefused) return null
    throw error
  }
}
