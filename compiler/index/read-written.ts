import { statSync } from 'node:fs'
import { join } from 'node:path'
import { emptyLines } from '../../src/index/encode-index.js'
import { type IndexHeader, shardFile } from '../../src/index/index-format.js'
import {
  type IndexText,
  isShardDigest,
  type OpenIndex,
  openIndex,
  readParts,
} from '../../src/index/read-index.js'
import { isChangedSince } from '../files/file-stat.js'
import { isFile } from '../files/known-file.js'
import { readRegularFile, unlessGone } from '../files/regular-file.js'
import { indexFiles, unlessRefused } from './index-files.js'
import type { KeptLines, LineStore, StoredLine } from './line-store.js'

/** Opens the index of a directory; null where there is none that can be used. */
export function readWritten(directory: string): OpenIndex | null {
  try {
    return openIndex(indexFiles, directory)
  } catch {
    // Broken, or the system refuses: it is written anew.
    return null
  }
}

export function shardsOf({ shards }: IndexHeader): string[] {
  return (shards ?? []).filter(isShardDigest)
}

/** The files of an index's shards, relative to the directory. */
export function shardFiles({ header }: IndexText): string[] {
  return shardsOf(header).map(shardFile)
}

/** True where no shard was changed since a time (ms), or those that were are still what their names say. */
export function shardsHold(directory: string, { header }: IndexText, since: number): boolean {
  return shardsOf(header).every(shard => {
    const file = join(directory, shardFile(shard))
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat !== undefined && (!isChangedSince(stat, since) || isShard(file, shard))
  })
}

/** Puts the lines of a written index into the store of the directory's next compile; null where they are not as they were written. */
export function storeLines(directory: string, written: IndexText, store: LineStore): KeptLines | null {
  const { files, ...lines } = emptyLines<StoredLine>()
  return unlessRefused(() => {
    for (const part of readParts(indexFiles, directory, written))
      for (const section of ['tools', 'details', 'cascades', 'contents'] as const)
        for (const [key, line] of part[section].lines()) lines[section].set(key, store.add(line))
    return lines
  })
}

/** True for a file that holds what its name says, and so is one that a compile wrote. */
export function isShard(file: string, digest: string): boolean {
  return (
    isFile(file) && unlessGone(() => indexFiles.digestOf(readRegularFile(file)))?.startsWith(digest) === true
  )
}
