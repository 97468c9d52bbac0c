import { constants } from 'node:buffer'
import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { orNull } from '../../src/base/attempt.js'
import { emptyLines } from '../../src/index/encode-index.js'
import { type IndexHeader, shardFile } from '../../src/index/index-format.js'
import { listFile } from '../../src/index/list-columns.js'
import {
  type IndexFiles,
  IndexRefused,
  type IndexText,
  isShardDigest,
  type OpenIndex,
  openIndex,
  readParts,
} from '../../src/index/read-index.js'
import { searchFile, type WholeSearch, wholeSearch } from '../../src/search/search-file.js'
import { decodeVectors, type ToolVectors, vectorFile } from '../../src/search/vector-file.js'
import { isChangedSince, isFile, readRegularFile, unlessGone } from '../files/regular-file.js'
import { type KeptLines, type LineStore, type StoredLine, sectionLines } from './line-store.js'

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

/** The text of a file; null if it is missing, or too large for a string: no runtime can read that either. */
export function textOf(path: string): string | null {
  return unlessGone(() => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() && stat.size <= constants.MAX_STRING_LENGTH
      ? readRegularFile(path).toString()
      : null
  })
}

/** The result of `read`; null if the index cannot be used. */
export function unlessRefused<Result>(read: () => Result): Result | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof IndexRefused) return null
    throw error
  }
}

/** Opens the index of a directory; null if it is missing or cannot be used. */
export function readWritten(directory: string): OpenIndex | null {
  return orNull(() => openIndex(indexFiles, directory))
}

/** The files of an index's shards, its list, its search file and its vectors, relative to the directory. */
export function partFiles({ header: { shards = [], list, search, vectors } }: IndexText): string[] {
  const fileOf = (digest: unknown, toFile: (digest: string) => string): string[] =>
    isShardDigest(digest) ? [toFile(digest)] : []
  return [
    ...shards.filter(isShardDigest).map(shardFile),
    ...fileOf(list, listFile),
    ...fileOf(search, searchFile),
    ...fileOf(vectors?.digest, vectorFile),
  ]
}

/** True if no such file changed since a time (ms), or the changed ones still match their names. */
export function partsHold(directory: string, written: IndexText, since: number): boolean {
  return partFiles(written).every(part => {
    const file = join(directory, part)
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat !== undefined && (!isChangedSince(stat, since) || isPart(file, digestIn(part)))
  })
}

/** The digest in the name of such a file. */
function digestIn(part: string): string {
  return part.slice(part.lastIndexOf('-') + 1, part.lastIndexOf('.'))
}

/**
 * Puts the lines of a written index, or of some of its shards, into the store of the directory's next compile; null where they are not as
 * they were written.
 */
export function storeLines(
  directory: string,
  written: IndexText,
  store: LineStore,
  shards?: string[],
): KeptLines | null {
  const { files, ...lines } = emptyLines<StoredLine>()
  return unlessRefused(() => {
    for (const part of readParts(indexFiles, directory, written, shards))
      for (const section of ['tools', 'details', 'cascades', 'contents'] as const)
        for (const [key, line] of sectionLines(part[section].text)) lines[section].set(key, store.add(line))
    return lines
  })
}

/** True for a file that holds what its name says, and so is one that a compile wrote. */
export function isPart(file: string, digest: string): boolean {
  const bytes = isFile(file) ? unlessGone(() => readRegularFile(file)) : null
  if (bytes === null) return false
  return basename(file).startsWith('search-')
    ? unlessRefused(() => wholeSearch(bytes, digest, digestOf)) !== null
    : digestOf(bytes).startsWith(digest)
}

/**
 * The search file that the last compile of a directory wrote.
 *
 * @throws IndexRefused
 */
export function readSearch(directory: string, { search }: IndexHeader): WholeSearch {
  const bytes = isShardDigest(search) ? partBytes(directory, searchFile(search)) : null
  if (bytes === null) throw new IndexRefused('its search file is missing')
  return wholeSearch(bytes, search as string, digestOf)
}

/** The vectors that the last compile of a directory wrote; null where they are missing or were changed: they can be made again. */
export function readVectors(directory: string, { vectors }: IndexHeader): ToolVectors | null {
  const digest = vectors?.digest
  const bytes = isShardDigest(digest) ? partBytes(directory, vectorFile(digest)) : null
  return bytes && unlessRefused(() => decodeVectors(bytes, digest as string, digestOf))
}

function partBytes(directory: string, file: string): Uint8Array | null {
  const path = join(directory, file)
  return isFile(path) ? unlessGone(() => readRegularFile(path)) : null
}
