import { createHash, hash } from 'node:crypto'
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { byCodePoint, inCodePointOrder } from '../src/base/code-point-order.js'
import { isJsonObject, type JsonObject } from '../src/base/json.js'
import { expectCascade } from '../src/index/cascade-record.js'
import { emptyLines } from '../src/index/encode-index.js'
import {
  type FileDigest,
  INDEX_DIRECTORY,
  INDEX_FILE,
  type IndexHeader,
  type IndexRecords,
  isBroken,
  type NameRecord,
  type NamesakesRecord,
  SECTIONS,
  type Section,
  shardFile,
} from '../src/index/index-format.js'
import { isInside } from '../src/index/inside-path.js'
import { encodeList, listFile } from '../src/index/list-columns.js'
import {
  hashedText,
  IndexRefused,
  isShardDigest,
  otherEntry,
  readHeader,
  readPart,
} from '../src/index/read-index.js'
import { searchFile } from '../src/search/search-file.js'
import { vectorFile } from '../src/search/vector-file.js'
import type { SearchDirectory } from '../src/skill/path-entry.js'
import { limits } from './files/limits.js'
import { digestFile, readRegularFile, readSkillFile, systemReason } from './files/regular-file.js'
import { searchDifference, vectorsDifference } from './verify-search.js'

interface VerifiedDirectory {
  /** How many files were looked at. */
  files: number
  deviations: { file: string; reason: string }[]
  /** Sources that are gone, but that nothing compiled needs. */
  absent: string[]
}

/**
 * Finds the files of a directory that differ from its index, and the faults for which a runtime refuses the
 * index. Paths are relative to the directory.
 *
 * @param entry the path entry of the directory
 */
export function verifyDirectory(
  entry: Pick<SearchDirectory, 'dir' | 'ignore' | 'namespace' | 'discover'>,
): VerifiedDirectory {
  const { dir: directory } = entry
  const found: VerifiedDirectory = { files: 0, deviations: [], absent: [] }
  const deviates = (file: string, reason: string): void => void found.deviations.push({ file, reason })
  const index = readIndex(directory, found, deviates)
  const other = index && otherEntry(index.header, entry)
  if (other) deviates(INDEX_FILE, other)
  // Nothing can be compared with an index that is itself changed.
  if (index === null || found.deviations.length > 0) return found
  const named = namedFiles(index, deviates)
  for (const [path, { digest, isNeeded }] of [...named].sort(([a], [b]) => byCodePoint(a, b))) {
    found.files++
    const reason = differenceOf(directory, path, digest)
    if (reason === GONE && !isNeeded) found.absent.push(path)
    else if (reason !== null) deviates(path, reason)
  }
  const { search } = index.header
  if (search !== undefined && found.deviations.length === 0) {
    found.files++
    const difference = searchDifference(directory, search, index.records.tools)
    if (difference !== null) deviates(searchFile(search), difference)
  }
  const { vectors } = index.header
  if (vectors !== undefined && found.deviations.length === 0) {
    found.files++
    const difference = vectorsDifference(directory, index.header, index.records.tools)
    if (difference !== null) deviates(vectorFile(vectors.digest), difference)
  }
  return found
}

type Deviates = (file: string, reason: string) => void

/** An index's header and its records, from all of its files. */
interface ReadIndex {
  header: IndexHeader
  records: { [Name in Section]: Map<string, IndexRecords[Name][string]> }
}

function readIndex(directory: string, found: VerifiedDirectory, deviates: Deviates): ReadIndex | null {
  const text = textOf(directory, INDEX_FILE, deviates)
  if (text === null) return null
  found.files++
  const header = unlessRefused(INDEX_FILE, deviates, () => readHeader(text))
  if (header === null) return null
  const records = emptyLines<object>()
  const addPart = (file: string, partText: string): void => {
    const part = unlessRefused(file, deviates, () => readPart(partText))
    for (const section of part ? SECTIONS : [])
      unlessRefused(file, deviates, () => {
        for (const [key, record] of part?.[section].all() ?? []) {
          if (section === 'cascades') expectCascade(key, record)
          records[section].set(key, record)
        }
      })
  }
  if (header.shards === undefined) addPart(INDEX_FILE, text)
  for (const digest of new Set(header.shards)) {
    const shard = readPartFile(directory, digest, shardFile, found, deviates)
    if (shard !== null) addPart(shardFile(digest), shard)
  }
  if (found.deviations.length === 0 && hash('sha256', hashedText(text, header)) !== header.hash)
    deviates(INDEX_FILE, 'has other records than it was written with')
  const index = { header, records: records as ReadIndex['records'] }
  if (header.shards !== undefined && found.deviations.length === 0)
    verifyList(directory, index, found, deviates)
  return index
}

/** Compares the list of an index with its shards. */
function verifyList(
  directory: string,
  { header: { list }, records: { tools, files } }: ReadIndex,
  found: VerifiedDirectory,
  deviates: Deviates,
): void {
  // Older versions wrote none.
  if (list === undefined) return
  const text = readPartFile(directory, list, listFile, found, deviates)
  const names = inCodePointOrder(tools.keys())
  const made = encodeList(
    names.map(name => [name, tools.get(name) as NameRecord | NamesakesRecord]),
    () => files,
  )
  if (text !== null && text !== made) deviates(listFile(list), 'does not list what the shards contain')
}

/** The answer of an index; null if a runtime refuses the file, which then deviates. */
function unlessRefused<Result>(file: string, deviates: Deviates, read: () => Result): Result | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof IndexRefused)) throw error
    deviates(file, `is refused: ${error.message}`)
    return null
  }
}

function readPartFile(
  directory: string,
  digest: string,
  fileOf: (digest: string) => string,
  found: VerifiedDirectory,
  deviates: Deviates,
): string | null {
  if (!isShardDigest(digest)) {
    deviates(INDEX_FILE, `names a part of itself that there cannot be: ${JSON.stringify(digest)}`)
    return null
  }
  found.files++
  const text = textOf(directory, fileOf(digest), deviates)
  if (text === null || hash('sha256', text).startsWith(digest)) return text
  deviates(fileOf(digest), DIFFERENT)
  return null
}

interface NamedFile {
  /** The value in the index. */
  digest: FileDigest
  /** True if the compiled tools cannot do without it. */
  isNeeded: boolean
}

function namedFiles({ header, records }: ReadIndex, deviates: Deviates): Map<string, NamedFile> {
  const named = new Map<string, NamedFile>()
  const add = (path: unknown, digest: unknown, isNeeded: boolean): void => {
    if (!isInside(path)) deviates(INDEX_FILE, `names a file outside the directory: ${JSON.stringify(path)}`)
    else if (!isDigest(digest)) deviates(path, 'has no digest in the index')
    // The digest is empty for a file that could not be read.
    else if (digest.sha256 !== '') named.set(path, { digest, isNeeded })
  }
  for (const [path, digest] of records.files) add(path, digest, path.startsWith(`${INDEX_DIRECTORY}/`))
  const need = (path: string): void => add(path, records.files.get(path), true)
  if (Array.isArray(header.modules)) header.modules.forEach(need)
  for (const [name, tool] of records.tools) {
    if (isBroken(tool) || 'names' in tool) continue
    const { content, delegate, file, module, validators = {} } = tool
    if (content !== undefined) need(file)
    for (const made of [module, delegate]) if (made && 'file' in made) need(made.file)
    Object.values(validators).forEach(need)
    const folder = file.replace(/[^/]*$/, '')
    for (const resource of records.details.get(name)?.resources ?? [])
      add(folder + resource.path, resource, true)
  }
  return named
}

function isDigest(value: unknown): value is FileDigest & JsonObject {
  return isJsonObject(value) && typeof value.sha256 === 'string' && typeof value.size === 'number'
}

const GONE = 'is gone'
const DIFFERENT = 'is not what was compiled'

/** How a file differs from its expected digest; null where it does not. */
function differenceOf(directory: string, path: string, { size, sha256 }: FileDigest): string | null {
  const file = join(directory, path)
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat === undefined) return GONE
    if (!stat.isFile()) return 'is not a file'
    const isMade = path.startsWith(`${INDEX_DIRECTORY}/`)
    if (isMade && !realpathSync(file).startsWith(realpathSync(directory) + sep))
      return 'leads out of the directory'
    // Only the beginning of a file that is too large was digested.
    const isCut = size === limits.fileBytes + 1 && stat.size >= size
    if (isCut)
      return createHash('sha256').update(readSkillFile(file)).digest('hex') === sha256 ? null : DIFFERENT
    return stat.size === size && digestFile(file) === sha256 ? null : DIFFERENT
  } catch (error) {
    return `cannot be read: ${systemReason(error)}`
  }
}

function textOf(directory: string, file: string, deviates: Deviates): string | null {
  const path = join(directory, file)
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) deviates(file, 'is not there')
    else if (!statSync(path).isFile()) deviates(file, 'is not a file')
    else return readRegularFile(path).toString()
  } catch (error) {
    deviates(file, `cannot be read: ${systemReason(error)}`)
  }
  return null
}
