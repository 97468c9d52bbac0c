import { byCodePoint } from '../../src/base/code-point-order.js'
import { isJsonObject } from '../../src/base/json.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import {
  headerText,
  INDEX_END,
  INDEX_FILE,
  INDEX_VERSION,
  type IndexHeader,
  type IndexRecords,
  SECTIONS,
  type Section,
  sectionRanges,
  sectionRecords,
  sectionsText,
  shardFile,
  shardOf,
  unsealed,
} from '../../src/index/index-format.js'
import { isHeader, recordFault } from '../../src/index/record-fault.js'
import type { Disk, FileState } from './disk-seam.js'

/** An index that is not to be used, with why. */
export class IndexRefused extends Error {}

/** Parts of an index have to be loaded before they are read. */
export class PartsAway extends Error {
  constructor(readonly load: () => Promise<void>) {
    super('parts of an index are not loaded')
  }
}

/** An index, open for looking names up. */
export interface OpenIndex extends DirectoryNames {
  header: IndexHeader
  /** Tells this state of the index file from another one. */
  stamp: string
}

/**
 * Opens the index of a directory: reads its header, and of its shards only those that are asked for, of these the records that are
 * asked for. The counterpart of `compiler/index/encode-index.ts`.
 *
 * @param isWhole true where no record may be used before all that it lies among was digested
 * @returns null where the directory has none
 * @throws IndexRefused, here or at any look-up, where it is truncated, foreign or reaches outside its directory; PartsAway at a look-up in a
 *   bundle, after whose `load` it is to be done again
 */
export function openIndex(disk: Disk, directory: string, isWhole = false): OpenIndex | null {
  const path = disk.resolve(directory, INDEX_FILE)
  const state = disk.stat(path)
  const text = state && readable(() => disk.readText(path))
  if (state === null || text === null) return null
  const header = headerIn(text)
  const { shards } = header
  let isAsHashed = false
  const expectHash = (): void => {
    if (isAsHashed) return
    if (disk.digestText(shards ? shards.join('\n') : sectionsText(text)) !== header.hash)
      throw new IndexRefused(EDITED)
    isAsHashed = true
  }
  const expectLoaded = (digests: readonly unknown[]): void => {
    const paths = digests.filter(isDigest).map(digest => disk.resolve(directory, shardFile(digest)))
    const away = paths.filter(one => !disk.isLoaded(one))
    if (away.length > 0) throw new PartsAway(() => disk.loadTexts(away))
  }
  // By digest: an index that names one shard a million times has it read once.
  const loaded = new Map<string | undefined, IndexPart>()

  const part = (digest: string | undefined): IndexPart => {
    const known = loaded.get(digest)
    if (known) return known
    expectLoaded([digest])
    const partText = shards ? readShard(disk, directory, digest) : text
    const read = readPart(partText, isWhole, () => {
      expectHash()
      if (shards && !disk.digestText(partText).startsWith(digest ?? '')) throw new IndexRefused(EDITED)
    })
    loaded.set(digest, read)
    return read
  }
  const partFor = (key: string): IndexPart => part(shards?.[shardOf(key, shards.length)])
  const keys = (section: Section): string[] => {
    const digests = [...new Set(shards ?? [undefined])]
    expectLoaded(digests)
    return digests.flatMap(digest => [...part(digest)[section].all().keys()])
  }

  return {
    via: disk.via,
    madeAt: state.mtimeMs,
    listing: header.listing,
    header,
    stamp: stampOf(state),
    tool: name => partFor(name).tools.one(name),
    details: name => partFor(name).details.one(name),
    file: file => partFor(file).files.one(file),
    cascade: name => partFor(name).cascades.one(name),
    content: name => partFor(name).contents.one(name),
    // Names are ASCII, which the language itself orders by code point.
    names: () => keys('tools').sort(),
    paths: () => keys('files').sort(byCodePoint),
  }
}

/** The stamp of the index file as it lies there now; null where there is none. */
export function indexStamp(disk: Disk, directory: string): string | null {
  const state = disk.stat(disk.resolve(directory, INDEX_FILE))
  return state && stampOf(state)
}

function stampOf({ size, mtimeMs, ino }: FileState): string {
  return `${size} ${mtimeMs} ${ino}`
}

const EDITED = 'its records are not those that it was written with'

/** A shard that is gone means that the index was replaced since its header was read: only then is there another to open. */
function readShard(disk: Disk, directory: string, digest: string | undefined): string {
  const text = isDigest(digest)
    ? readable(() => disk.readText(disk.resolve(directory, shardFile(digest))))
    : null
  if (text === null) throw new IndexRefused('one of its parts is missing')
  return text
}

function readable<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new IndexRefused(`it cannot be read: ${(error as Error).message}`)
  }
}

const CUT_OFF = 'it is cut off or no JSON'

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch {
    // Said below: what cannot be parsed is cut off or was never an index.
  }
  throw new IndexRefused(CUT_OFF)
}

/** The header, without the sections that may follow it. */
function headerIn(text: string): IndexHeader {
  const value = parseObject(headerText(text))
  const { version } = value
  if (version !== INDEX_VERSION) {
    const its = typeof version === 'object' ? 'no number' : JSON.stringify(version)
    throw new IndexRefused(`its version is ${its}, and this runtime reads ${INDEX_VERSION}`)
  }
  if (!isHeader(value)) throw new IndexRefused('its header is not one of ours')
  return value as unknown as IndexHeader
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)
}

/** The records of an index, or of a shard, by section. */
type IndexPart = { [Name in Section]: RecordReader<IndexRecords[Name][string]> }

interface RecordReader<Value> {
  one: (key: string) => Value | undefined
  all: () => ReadonlyMap<string, Value>
}

function readPart(text: string, isWhole: boolean, expectSame: () => void): IndexPart {
  if (!text.endsWith(INDEX_END)) throw new IndexRefused(CUT_OFF)
  const ranges = sectionRanges(text)
  if (ranges === null) throw new IndexRefused('it does not have each of its sections once')
  return Object.fromEntries(
    SECTIONS.map(section => [section, readSection(text, section, ranges[section], isWhole, expectSame)]),
  ) as unknown as IndexPart
}

/** So many records of a section are read one by one: few are found sooner than all are parsed. */
const FEW = 8

/**
 * The records of a section. One of few is read by its line, where that is as it was sealed. Whoever asks for more, or for one that is not
 * there, has the whole text digested and all records looked at: one that is not ours condemns all of them.
 */
function readSection<Value extends object>(
  text: string,
  section: Section,
  range: [start: number, end: number],
  isWhole: boolean,
  expectSame: () => void,
): RecordReader<Value> {
  const known = new Map<string, Value>()
  let isRead = false
  const all = (): ReadonlyMap<string, Value> => {
    if (isRead) return known
    expectSame()
    // What was handed out stays what it is.
    for (const [key, record] of recordsIn(text.slice(...range)))
      if (!known.has(key)) known.set(key, checked(section, key, record))
    isRead = true
    return known
  }
  const one = (key: string): Value | undefined => {
    const record = known.get(key)
    if (record || isRead) return record
    const line = isWhole || known.size >= FEW ? null : lineOf(key, text, range)
    if (line === null) return all().get(key)
    const read = checked<Value>(section, key, parseObject(line))
    known.set(key, read)
    return read
  }
  return { one, all }
}

function recordsIn(sectionText: string): Map<string, unknown> {
  try {
    const records = sectionRecords(sectionText)
    if (records) return records
  } catch {
    // A line that is no JSON: said below.
  }
  throw new IndexRefused(EDITED)
}

/** The JSON of a record; null where it is not there, or not as it was sealed. */
function lineOf(key: string, text: string, [start, end]: [start: number, end: number]): string | null {
  const opening = `\n${JSON.stringify(key)}:`
  const at = text.indexOf(opening, start)
  if (at === -1 || at >= end) return null
  const line = text.slice(at + 1, text.indexOf('\n', at + 1))
  return unsealed(line.endsWith(',') ? line.slice(0, -1) : line)?.slice(opening.length - 1) ?? null
}

function checked<Value>(section: Section, key: string, record: unknown): Value {
  const fault = recordFault(section, key, record)
  if (fault !== null) throw new IndexRefused(fault)
  return record as Value
}
