import { constants } from 'node:buffer'
import { existsSync, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  INDEX_FILE,
  type IndexHeader,
  SECTIONS,
  type Section,
  shardFile,
} from '../../src/index/index-format.js'
import { isChangedSince } from '../files/file-stat.js'
import { readRegularFile, unlessGone } from '../files/regular-file.js'
import {
  collectLines,
  emptyLines,
  type KeptLines,
  type Lines,
  shardDigest,
  type VisitLine,
  visitLines,
} from './encode-index.js'
import type { LineStore, StoredLine } from './line-store.js'

/** The index as it lies on disk. */
export interface WrittenIndex {
  /** The text of `.agent-apps.json`. */
  text: string
  header: Partial<IndexHeader>
}

/** Reads the index file of a directory; null where there is none, or none that is JSON and has its shards. */
export function readWritten(directory: string): WrittenIndex | null {
  try {
    const text = textOf(directory, INDEX_FILE)
    if (text === null) return null
    const header = JSON.parse(text) as Partial<IndexHeader>
    const whole = shardsOf(header).every(shard => existsSync(join(directory, shardFile(shard))))
    return whole ? { text, header } : null
  } catch {
    // Absent or broken: it is written anew.
    return null
  }
}

export function shardsOf({ shards }: Partial<IndexHeader>): string[] {
  return Array.isArray(shards) ? shards.filter(shard => /^[0-9a-f]{32}$/.test(shard)) : []
}

/** The files of an index's shards, relative to the directory. */
export function shardFiles({ header }: WrittenIndex): string[] {
  return shardsOf(header).map(shardFile)
}

/** True where no shard was changed since a time (ms), or those that were are still what their names say. */
export function shardsHold(directory: string, { header }: WrittenIndex, since: number): boolean {
  return shardsOf(header).every(shard => {
    const file = join(directory, shardFile(shard))
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat !== undefined && (!isChangedSince(stat, since) || isShard(file, shard))
  })
}

/** The records of a written index, line by line; null where a shard is not what its name says, another compile removed it, or somebody laid it out anew. */
export function readLines(directory: string, written: WrittenIndex): Lines | null {
  const lines: Lines = emptyLines()
  return collectWritten(directory, written, lines, line => line) ? lines : null
}

/** The same for a directory's next compile, in its store. */
export function storeLines(directory: string, written: WrittenIndex, store: LineStore): KeptLines | null {
  const { files, ...lines } = emptyLines<StoredLine>()
  return collectWritten(directory, written, lines, line => store.add(line)) ? lines : null
}

function collectWritten<Line>(
  directory: string,
  written: WrittenIndex,
  into: Partial<Record<Section, Map<string, Line>>>,
  keep: (line: string) => Line,
): boolean {
  return everyText(directory, written, text => collectLines(text, into, keep))
}

/** Tells of its lines, and keeps none; false where they are not all there as they were written. */
export function visitWritten(directory: string, written: WrittenIndex, visit: VisitLine): boolean {
  return everyText(directory, written, text => visitLines(text, SECTIONS, visit))
}

function everyText(
  directory: string,
  { text: whole, header }: WrittenIndex,
  isSound: (text: string) => boolean,
): boolean {
  const shards = shardsOf(header)
  if (shards.length === 0) return isSound(whole)
  return [...new Set(shards)].every(shard => {
    const text = textOf(directory, shardFile(shard))
    return text !== null && shardDigest(text) === shard && isSound(text)
  })
}

/** True for a file that holds what its name says, and so is one that a compile wrote. */
export function isShard(file: string, digest: string): boolean {
  return isFile(file) && unlessGone(() => shardDigest(readRegularFile(file))) === digest
}

export function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Null for what is not there, and for what is too large to be a text: no runtime reads that either. */
export function textOf(directory: string, file: string): string | null {
  const path = join(directory, file)
  return unlessGone(() => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() && stat.size <= constants.MAX_STRING_LENGTH
      ? readRegularFile(path).toString()
      : null
  })
}
