import { createHash, hash } from 'node:crypto'
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { byCodePoint } from '../src/base/code-point-order.js'
import { isJsonObject, type JsonObject } from '../src/base/json.js'
import {
  type FileDigest,
  headerText,
  INDEX_DIRECTORY,
  INDEX_END,
  INDEX_FILE,
  INDEX_VERSION,
  SECTIONS,
  type Section,
  sectionRanges,
  sectionRecords,
  sectionsText,
  shardFile,
} from '../src/index/index-format.js'
import { isInside } from '../src/index/inside-path.js'
import { isHeader, recordFault } from '../src/index/record-fault.js'
import { digestFile, readSkillFile } from './files/digest.js'
import { limits } from './files/limits.js'
import { readRegularFile, systemReason } from './files/regular-file.js'

export interface VerifiedDirectory {
  /** How many files were looked at. */
  files: number
  deviations: { file: string; reason: string }[]
  /** Sources that are gone, but that nothing compiled needs. */
  absent: string[]
}

/**
 * * Finds the files of a directory that differ from its index, and the faults for which a runtime refuses the
 * index. Paths are relative to the directory.
 *
 * @param ignore the ignore patterns that hold there
 */
export function verifyDirectory(directory: string, ignore: readonly string[]): VerifiedDirectory {
  const found: VerifiedDirectory = { files: 0, deviations: [], absent: [] }
  const deviates = (file: string, reason: string): void => void found.deviations.push({ file, reason })
  const index = readIndex(directory, found, deviates)
  if (index && [index.header.ignore].flat().join('\0') !== ignore.join('\0'))
    deviates(INDEX_FILE, 'was compiled with other ignore patterns')
  // Nothing can be compared with an index that is itself changed.
  if (index === null || found.deviations.length > 0) return found
  const named = namedFiles(index, deviates)
  for (const [path, { digest, isNeeded }] of [...named].sort(([a], [b]) => byCodePoint(a, b))) {
    found.files++
    const reason = differenceOf(directory, path, digest)
    if (reason === GONE && !isNeeded) found.absent.push(path)
    else if (reason !== null) deviates(path, reason)
  }
  return found
}

type Deviates = (file: string, reason: string) => void

type Records = Record<Section, JsonObject>

/** An index's header and its records, from whichever files. */
interface ReadIndex {
  header: JsonObject
  records: Records
}

const CUT_OFF = 'is cut off or no JSON'

function readIndex(directory: string, found: VerifiedDirectory, deviates: Deviates): ReadIndex | null {
  const text = textOf(directory, INDEX_FILE, deviates)
  if (text === null) return null
  found.files++
  const header = parsed(headerText(text))
  if (header === null) {
    deviates(INDEX_FILE, CUT_OFF)
    return null
  }
  if (header.version !== INDEX_VERSION) {
    deviates(
      INDEX_FILE,
      `is of version ${JSON.stringify(header.version)}, and this command knows ${INDEX_VERSION}`,
    )
    return null
  }
  if (!isHeader(header)) {
    deviates(INDEX_FILE, 'has a header that is not one of ours')
    return null
  }
  const { shards } = header
  const digests = Array.isArray(shards) ? shards.map(String) : null
  const parts = digests
    ? [...new Set(digests)].map(digest => shard(directory, digest, found, deviates))
    : [sections(text, INDEX_FILE, deviates)]
  if (
    parts.every(part => part !== null) &&
    hash('sha256', digests ? digests.join('\n') : sectionsText(text)) !== header.hash
  )
    deviates(INDEX_FILE, 'has other records than it was written with')
  const records = Object.fromEntries(
    SECTIONS.map(section => [section, Object.assign({}, ...parts.map(part => part?.[section]))]),
  ) as Records
  return { header, records }
}

/** The records of a file as a runtime reads them; null where that could find others by their lines. */
function sections(text: string, file: string, deviates: Deviates): Records | null {
  const ranges = sectionRanges(text)
  if (ranges === null) {
    deviates(file, text.endsWith(INDEX_END) ? 'does not have each of its sections once' : CUT_OFF)
    return null
  }
  const records: Partial<Records> = {}
  for (const section of SECTIONS) {
    const read = recordsIn(text.slice(...ranges[section]))
    if (read === null) {
      deviates(file, 'has records that are not in a line each')
      return null
    }
    for (const [key, record] of read) {
      const fault = recordFault(section, key, record)
      if (fault !== null) deviates(file, `is refused: ${fault}`)
    }
    records[section] = Object.fromEntries(read) as JsonObject
  }
  return records as Records
}

function recordsIn(sectionText: string): Map<string, unknown> | null {
  try {
    return sectionRecords(sectionText)
  } catch {
    // The line is not JSON.
    return null
  }
}

function shard(
  directory: string,
  digest: string,
  found: VerifiedDirectory,
  deviates: Deviates,
): Records | null {
  const file = shardFile(digest)
  if (!/^[0-9a-f]{32}$/.test(digest)) {
    deviates(INDEX_FILE, `names a part of itself that there cannot be: ${JSON.stringify(digest)}`)
    return null
  }
  found.files++
  const text = textOf(directory, file, deviates)
  if (text === null) return null
  if (hash('sha256', text).startsWith(digest)) return sections(text, file, deviates)
  deviates(file, DIFFERENT)
  return null
}

/** A file that an index names. */
interface NamedFile {
  /** As the index expects it. */
  digest: FileDigest
  /** Whether the compiled tools cannot do without it. */
  isNeeded: boolean
}

/** Everything that an index names, by path. */
function namedFiles({ header, records }: ReadIndex, deviates: Deviates): Map<string, NamedFile> {
  const named = new Map<string, NamedFile>()
  const add = (path: unknown, digest: unknown, isNeeded: boolean): void => {
    if (!isInside(path)) deviates(INDEX_FILE, `names a file outside the directory: ${JSON.stringify(path)}`)
    else if (!isDigest(digest)) deviates(path, 'has no digest in the index')
    // The digest is empty for a file that could not be read.
    else if (digest.sha256 !== '') named.set(path, { digest, isNeeded })
  }
  for (const [path, digest] of Object.entries(records.files))
    add(path, digest, path.startsWith(`${INDEX_DIRECTORY}/`))
  const need = (path: unknown): void => add(path, records.files[String(path)], true)
  if (Array.isArray(header.modules)) header.modules.forEach(need)
  for (const [name, tool] of Object.entries(records.tools)) {
    if (!isJsonObject(tool)) continue
    const { content, delegate, file, module, validators } = tool
    if (content !== undefined) need(file)
    for (const made of [module, delegate]) if (isJsonObject(made) && 'file' in made) need(made.file)
    if (isJsonObject(validators)) Object.values(validators).forEach(need)
    const details = records.details[name]
    const resources = isJsonObject(details) && Array.isArray(details.resources) ? details.resources : []
    const folder = String(file).replace(/[^/]*$/, '')
    for (const resource of resources) if (isJsonObject(resource)) add(folder + resource.path, resource, true)
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
    if (!stat.isFile()) return 'is no file'
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
    else if (!statSync(path).isFile()) deviates(file, 'is no file')
    else return readRegularFile(path).toString()
  } catch (error) {
    deviates(file, `cannot be read: ${systemReason(error)}`)
  }
  return null
}

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
