import { byCodePoint } from '../base/code-point-order.js'
import { isJsonObject, type JsonObject } from '../base/json.js'
import type { SearchDirectory } from '../skill/path-entry.js'
import type { DirectoryNames } from './directory-names.js'
import {
  INDEX_END,
  INDEX_FILE,
  INDEX_VERSION,
  type IndexHeader,
  type IndexRecords,
  type NameRecord,
  SECTIONS,
  type Section,
  sealed,
  shardFile,
  shardKey,
  shardOf,
} from './index-format.js'
import { isHeader, recordFault } from './record-fault.js'

interface FileState {
  /** Bytes. */
  size: number
  /** Milliseconds since the epoch. */
  mtimeMs: number
  /** The file system's number for it: another one if the file was replaced. */
  ino: number
}

/** The files that indexes are read from, on disk or in a bundle, and their digests. */
export interface IndexFiles {
  via: 'index' | 'bundle'
  resolve: (directory: string, file: string) => string
  /** Null for what is not there, or is not a file. */
  stat: (path: string) => FileState | null
  readText: (path: string) => string | null
  /** False for a text that must be loaded before `readText` can give it: a shard in a bundle. */
  isLoaded: (path: string) => boolean
  loadTexts: (paths: readonly string[]) => Promise<void>
  /** SHA-256 of a string, of bytes; hexadecimal. */
  digestText: (text: string) => string
  digestOf: (bytes: Uint8Array) => string
}

/** The index must not be used; the message has the reason. */
export class IndexRefused extends Error {}

/** Parts of an index have to be loaded before they are read. */
export class PartsAway extends Error {
  constructor(readonly load: () => Promise<void>) {
    super('parts are not loaded')
  }
}

/** The text of an index file with its header. */
export interface IndexText {
  text: string
  header: IndexHeader
}

/** An index, open for looking names up. */
export interface OpenIndex extends DirectoryNames, IndexText {
  /** Identifies this state of the index file. */
  stamp: string
}

/**
 * Opens the index of a directory: reads its header at once, its shards and records when they are asked for.
 * The counterpart of
 * `encodeIndex`.
 *
 * @param isWhole true where a record may only be used after everything in its file was digested
 * @returns null where the directory has none
 * @throws IndexRefused, here or at any look-up, where it is truncated, foreign or reaches outside its
 * directory; PartsAway at a look-up in a
 *   bundle, which must be repeated after `load`
 */
export function openIndex(files: IndexFiles, directory: string, isWhole = false): OpenIndex | null {
  const path = files.resolve(directory, INDEX_FILE)
  const state = files.stat(path)
  const text = state && readable(() => files.readText(path))
  if (state === null || text === null) return null
  const header = readHeader(text)
  const { shards } = header
  const read = partReader(files, directory, text, header, isWhole)
  const expectLoaded = (digests: readonly unknown[]): void => {
    const paths = digests.filter(isShardDigest).map(digest => files.resolve(directory, shardFile(digest)))
    const away = paths.filter(one => !files.isLoaded(one))
    if (away.length > 0) throw new PartsAway(() => files.loadTexts(away))
  }
  // By digest: an index that names one shard a million times has it read once.
  const known = new Map<string | undefined, IndexPart>()
  const part = (digest: string | undefined): IndexPart => {
    let found = known.get(digest)
    if (!found) {
      expectLoaded([digest])
      found = read(digest)
      known.set(digest, found)
    }
    return found
  }
  const one = <Name extends Section>(section: Name, key: string): IndexRecords[Name][string] | undefined => {
    const { [section]: records }: IndexPart = part(shards?.[shardOf(shardKey(section, key), shards.length)])
    return records.one(key)
  }
  const all = (): IndexPart[] => {
    const digests = partDigests(header)
    expectLoaded(digests)
    return digests.map(part)
  }

  return {
    via: files.via,
    madeAt: state.mtimeMs,
    listing: header.listing,
    units: header.units,
    plugins: header.plugins,
    listed: header.listed,
    manifests: header.manifests,
    header,
    text,
    stamp: stampOf(state),
    tool: (name, isExact) => {
      const record = one('tools', name)
      if (!record || !('names' in record)) return record
      return isExact ? undefined : (one('tools', record.names[0] ?? '') as NameRecord)
    },
    details: name => one('details', name),
    file: file => one('files', file),
    cascade: name => one('cascades', name),
    content: name => one('contents', name),
    // Names are ASCII, which the language itself orders by code point.
    names: () => all().flatMap(ownNames).sort(),
    paths: () => all().flatMap(pathsIn).sort(byCodePoint),
  }
}

/** The fields that decide on an index besides its directory. */
const ENTRY_FIELDS = ['ignore', 'namespace', 'discover'] as const

/**
 * Returns why an index does not match the current configuration of its path entry, as the end of a sentence;
 * null if it does.
 */
export function otherEntry(
  header: IndexHeader,
  entry: Pick<SearchDirectory, (typeof ENTRY_FIELDS)[number]>,
): string | null {
  const text = (value: unknown): string => JSON.stringify([value || undefined])
  const other = ENTRY_FIELDS.find(field => text(header[field]) !== text(entry[field]))
  return other ? `was compiled with another \`${other}\`` : null
}

function pathsIn({ files }: IndexPart): string[] {
  return [...files.all().keys()]
}

/** The names of the tools in a part, except bare names that only refer to qualified ones. */
function ownNames({ tools }: IndexPart): string[] {
  return [...tools.all()].flatMap(([name, record]) => ('names' in record ? [] : name))
}

/** The current stamp of the index file; null without one. */
export function indexStamp(files: IndexFiles, directory: string): string | null {
  const state = files.stat(files.resolve(directory, INDEX_FILE))
  return state && stampOf(state)
}

function stampOf({ size, mtimeMs, ino }: NonNullable<ReturnType<IndexFiles['stat']>>): string {
  return `${size} ${mtimeMs} ${ino}`
}

/**
 * Reads all parts of an index that can be read at once, or those of some shards, one after the other, and
 * keeps none.
 *
 * @throws IndexRefused
 */
export function* readParts(
  files: IndexFiles,
  directory: string,
  { text, header }: IndexText,
  digests = partDigests(header),
): Generator<IndexPart> {
  const read = partReader(files, directory, text, header, true)
  for (const digest of digests) yield read(digest)
}

/**
 * The digest of each shard, once; where the records stand in the index file itself, undefined for that file.
 */
function partDigests({ shards }: IndexHeader): (string | undefined)[] {
  return [...new Set(shards ?? [undefined])]
}

/** Returns a function that reads a part by its shard's digest; for undefined, the index file itself. */
function partReader(
  files: IndexFiles,
  directory: string,
  text: string,
  header: IndexHeader,
  isWhole: boolean,
): (digest: string | undefined) => IndexPart {
  let isAsHashed = false
  return digest => {
    const partText = digest === undefined ? text : readPartText(files, directory, digest, shardFile)
    let isSame = false
    const expectSame = (): void => {
      if (isSame) return
      isAsHashed ||= files.digestText(hashedText(text, header)) === header.hash
      if (!isAsHashed || (digest !== undefined && !files.digestText(partText).startsWith(digest)))
        throw new IndexRefused(EDITED)
      isSame = true
    }
    if (isWhole) expectSame()
    return readPart(partText, isWhole ? undefined : expectSame)
  }
}

export const EDITED = 'its records were changed'

/**
 * The text of a shard or list, not yet digested. A missing one means that the index was replaced since its
 * header was
 * read: only then is there another to open.
 */
export function readPartText(
  files: IndexFiles,
  directory: string,
  digest: unknown,
  fileOf: (digest: string) => string,
): string {
  const text = isShardDigest(digest)
    ? readable(() => files.readText(files.resolve(directory, fileOf(digest))))
    : null
  if (text === null) throw new IndexRefused('a part is missing')
  return text
}

function readable<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new IndexRefused(`it cannot be read: ${(error as Error).message}`)
  }
}

/** True for a digest that can name a shard: any other value from an index must not become part of a path. */
export function isShardDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)
}

/** The text whose digest is an index's `hash`. */
export function hashedText(text: string, { shards }: Pick<IndexHeader, 'shards'>): string {
  return shards ? shards.join('\n') : text.slice(text.indexOf(`\n"${SECTIONS[0]}":`) + 1, -INDEX_END.length)
}

const CUT_OFF = 'it is cut off or no JSON'

/** @throws IndexRefused unless the text is JSON */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new IndexRefused(CUT_OFF)
  }
}

/**
 * The header of an index file, read without the sections that may follow it.
 *
 * @throws IndexRefused
 */
export function readHeader(text: string): IndexHeader {
  const end = text.indexOf(`,\n"${SECTIONS[0]}":{`)
  const value = parse(end === -1 ? text : `${text.slice(0, end)}}`)
  if (!isJsonObject(value)) throw new IndexRefused(CUT_OFF)
  const { version } = value
  if (version !== INDEX_VERSION) {
    const its = typeof version === 'object' ? 'no number' : JSON.stringify(version)
    throw new IndexRefused(`its version is ${its}, and this runtime reads ${INDEX_VERSION}`)
  }
  if (!isHeader(value)) throw new IndexRefused('its header is invalid')
  return value as unknown as IndexHeader
}

/** The records of a file, the index file itself or a shard, by section. */
type IndexPart = { [Name in Section]: SectionReader<IndexRecords[Name][string]> }

interface SectionReader<Value> {
  /** The record of a key. */
  one: (key: string) => Value | undefined
  all: () => ReadonlyMap<string, Value>
  /**
   * The records as they are written, braces and all. They are not looked at, and only `readParts` has them
   * digested.
   */
  text: string
}

/**
 * The start of a line that opens a section. It is unambiguous, as the value after a record's key is never
 * empty.
 */
const OPENING = new RegExp(`\\n"(${SECTIONS.join('|')})":(?=\\{[\\n}])`, 'y')

/**
 * Finds the sections in the text of an index file or a shard. A text that does not have them in their order,
 * each once, is refused:
 * another reader would find other records in it.
 *
 * @param expectSame throws if the text was changed, and is called before more than single records are read;
 * absent for a
 *   text that was digested
 * @throws IndexRefused, here or when records are read
 */
export function readPart(text: string, expectSame?: () => void): IndexPart {
  if (!text.endsWith(INDEX_END)) throw new IndexRefused(CUT_OFF)
  const openings = openingsIn(text)
  if (openings.map(opening => opening[1]).join() !== SECTIONS.join())
    throw new IndexRefused('a section is missing or repeated')
  return Object.fromEntries(
    openings.map(({ 0: { length }, 1: section, index }, number) => {
      // A comma stands before the next.
      const next = openings[number + 1]?.index ?? text.length + 1 - INDEX_END.length
      return [section, readSection(section as Section, text.slice(index + length, next - 1), expectSame)]
    }),
  ) as unknown as IndexPart
}

/** Looks only at the starts of lines, as a text is long and few of its lines open a section. */
function openingsIn(text: string): RegExpExecArray[] {
  const openings: RegExpExecArray[] = []
  for (let at = 0; at !== -1; at = text.indexOf('\n', at + 1)) {
    OPENING.lastIndex = at
    const opening = OPENING.exec(text)
    if (opening) openings.push(opening)
  }
  return openings
}

/** So many records of a section are read one by one: few are found sooner than all are parsed. */
const FEW = 8

/**
 * Reads the records of a section. The first eight records that are asked for are read from their own lines,
 * if the checksum of the line is right. A request for another digests the whole text and checks all records; if one is
 * invalid, the index is refused. A request for a key that has no line only digests the text.
 */
function readSection<Value extends object>(
  section: Section,
  text: string,
  expectSame: (() => void) | undefined,
): SectionReader<Value> {
  const known = new Map<string, Value>()
  let isRead = false
  const add = (key: string, record: unknown): void => {
    const fault = recordFault(section, key, record)
    if (fault !== null) throw new IndexRefused(fault)
    known.set(key, record as Value)
  }
  const all = (): ReadonlyMap<string, Value> => {
    if (isRead) return known
    expectSame?.()
    // All at once takes half as long as one by one.
    const records = parse(text) as JsonObject
    const keys = Object.keys(records)
    // JSON allows duplicate keys, and so the same record on two lines.
    if (text !== '{}' && text.split('\n').length !== keys.length + 2) throw new IndexRefused(EDITED)
    // Records that were handed out do not change.
    for (const key of keys) if (!known.has(key)) add(key, records[key])
    isRead = true
    return known
  }
  const one = (key: string): Value | undefined => {
    if (!known.has(key) && !isRead) {
      const at = text.indexOf(openingOf(key))
      const json = expectSame && at !== -1 && known.size < FEW ? sealedRecord(key, text, at) : null
      if (json !== null) add(key, parse(json))
      else if (expectSame && at === -1) expectSame()
      else all()
    }
    return known.get(key)
  }
  return { one, all, text }
}

/** The start of a record's line. */
function openingOf(key: string): string {
  return `\n${JSON.stringify(key)}:`
}

/** The JSON of a record, whose line starts at a place; null if the line is not as it was sealed. */
function sealedRecord(key: string, text: string, at: number): string | null {
  const row = text.slice(at + 1, text.indexOf('\n', at + 1))
  const line = row.endsWith(',') ? row.slice(0, -1) : row
  const unsealed = line.slice(0, -',"check":"00000000"}'.length)
  return sealed(unsealed) === line ? `${unsealed.slice(openingOf(key).length - 1)}}` : null
}
