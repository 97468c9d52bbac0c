import { hash } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { AgentAppsError } from '../../../src/base/error.js'
import { expectCascade } from '../../../src/index/cascade-record.js'
import { isContent } from '../../../src/index/content-record.js'
import { emptyLines, encodeIndex, encodeNamesakes, type Lines } from '../../../src/index/encode-index.js'
import {
  INDEX_FILE,
  type IndexHeader,
  type IndexRecords,
  isBroken,
  type NamesakesRecord,
  SECTIONS,
  type Section,
  type ToolDetails,
  type ToolRecord,
} from '../../../src/index/index-format.js'
import { isInside } from '../../../src/index/inside-path.js'
import {
  hashedText,
  IndexRefused,
  type OpenIndex,
  openIndex,
  otherEntry,
  readHeader,
  readParts,
} from '../../../src/index/read-index.js'
import type { SearchDirectory } from '../../../src/skill/path-entry.js'
import { isReferences } from '../../../src/skill/reference.js'
import { containsPrivateKey, looksSecret } from '../../../src/skill/secrets.js'
import { resourceUnreadable } from '../../../src/skill/skill-faults.js'
import { readRealFile } from '../../files/regular-file.js'
import { indexFiles } from '../../index/index-files.js'
import { sectionLines } from '../../index/line-store.js'
import { ToolResolver } from '../../project/tool-resolver.js'
import type { BundledDirectory, BundledSource } from '../parts/bundle-parts.js'

/** A compiled directory, as its index describes it. */
interface IndexedDirectory {
  dir: string
  header: IndexHeader
  lines: Lines
  records: Records
  /** The qualified names that a bare name means, where it has no effect own. */
  namesakes: Map<string, readonly string[]>
}

/** The records of an index by section and key, except those of bare names, which only point to other names. */
type Records = { [Name in Section]: Map<string, Exclude<IndexRecords[Name][string], NamesakesRecord>> }

/** The tools of a directory that a project searches. */
export interface SearchedTools extends Pick<IndexedDirectory, 'dir' | 'namesakes'> {
  records: Pick<Records, 'tools' | 'files' | 'cascades'>
  layer: string
  /** True for the project's own; cascades know these by their numbers. */
  isOwn: boolean
  isLibrary: boolean
}

/** A compiled directory that a bundle's project searches. */
export interface SearchedIndex extends IndexedDirectory, Omit<SearchedTools, 'records'> {}

/**
 * Reads the index of a directory for a bundle.
 *
 * @throws BUNDLE_UNCOMPILED
 */
export function readIndexed(
  entry: Pick<SearchDirectory, 'dir' | 'ignore' | 'namespace' | 'discover'>,
): IndexedDirectory {
  const { dir } = entry
  try {
    const index = openIndex(indexFiles, dir)
    if (index === null) throw uncompiled(dir, 'has no index')
    const other = otherEntry(index.header, entry)
    if (other !== null) throw uncompiled(dir, other)
    return recordsOf(dir, index)
  } catch (error) {
    if (!(error instanceof IndexRefused)) throw error
    throw uncompiled(dir, `has an index that is not to be used: ${error.message}`)
  }
}

/** Reads all records, and refuses those that no compiler writes: a bundle takes in the files that they name. */
function recordsOf(dir: string, index: OpenIndex): IndexedDirectory {
  const lines: Lines = emptyLines()
  const records = emptyLines<object>()
  const namesakes = new Map<string, readonly string[]>()
  for (const part of readParts(indexFiles, dir, index)) {
    for (const section of SECTIONS) {
      for (const [key, line] of sectionLines(part[section].text)) lines[section].set(key, line)
      for (const [key, record] of part[section].all()) {
        const fault = followedFault(section, key, record)
        if (fault !== null) throw new IndexRefused(fault)
        if (section === 'tools' && 'names' in record) namesakes.set(key, record.names)
        else records[section].set(key, record)
      }
    }
  }
  return { dir, header: index.header, lines, records: records as Records, namesakes }
}

/** The fault of a record that a runtime checks only when it uses it; bundling uses all at once. */
function followedFault(section: Section, key: string, record: object): string | null {
  if (section === 'cascades') expectCascade(key, record)
  if (section === 'contents' && !isContent(record)) return `the content of ${JSON.stringify(key)} is not ours`
  const { references = [] }: Partial<ToolDetails> = record
  return section === 'details' && !isReferences(references)
    ? `the references of ${JSON.stringify(key)} are not ours`
    : null
}

function uncompiled(dir: string, what: string): AgentAppsError {
  return new AgentAppsError(
    'BUNDLE_UNCOMPILED',
    `The directory ${dir} ${what}, and a bundle contains only compiled skills.`,
    {
      hint: 'Compile it as its own project, ask its author for an index, or remove it from the paths.',
      file: dir,
    },
  )
}

/**
 * Removes the tools of a directory that are not kept, and the files that gave only such tools. A file that
 * should be a main skill stays, since it keeps the tools in its folder from being run.
 */
export function withTools<Indexed extends IndexedDirectory>(
  indexed: Indexed,
  isKept: (name: string) => boolean,
): Indexed {
  const stays = (path: string): boolean => {
    const { tools: given = [], diagnostics = [] } = indexed.records.files.get(path) ?? {}
    return given.length === 0 || given.some(isKept) || diagnostics.some(({ rule }) => rule === 'main-broken')
  }
  const of = <Maps extends Lines | Records>(maps: Maps): Maps => {
    const kept = SECTIONS.map((section): [Section, Map<string, unknown>] => {
      const isIn = section === 'files' ? stays : isKept
      return [section, new Map<string, unknown>([...maps[section]].filter(([key]) => isIn(key)))]
    })
    return Object.fromEntries(kept) as Maps
  }
  const lines = of(indexed.lines)
  const namesakes = keptNamesakes(indexed, isKept)
  for (const [name, names] of namesakes) lines.tools.set(name, encodeNamesakes(name, names))
  return { ...indexed, lines, namesakes, records: of(indexed.records) }
}

/** The meaning of bare names among the tools that are kept. None comes to mean another tool than before. */
function keptNamesakes(
  { namesakes }: IndexedDirectory,
  isKept: (name: string) => boolean,
): Map<string, string[]> {
  const kept = new Map<string, string[]>()
  for (const [name, names] of namesakes)
    if (names[0] !== undefined && isKept(names[0])) kept.set(name, names.filter(isKept))
  return kept
}

/**
 * Collects everything that a bundle takes from a directory. Files outside the directory are not taken, even if
 * its index names them.
 */
export function bundledDirectory(indexed: IndexedDirectory, at: string): BundledDirectory {
  const { dir, records } = indexed
  const sound = [...records.tools].filter((entry): entry is [string, ToolRecord] => !isBroken(entry[1]))
  const sources = new Map<string, BundledSource>()
  for (const [name, record] of sound) {
    addSource(sources, dir, below(at, record.file), record)
    const { resources = [] } = records.details.get(name) ?? {}
    const folder = dirname(record.file)
    for (const { path } of record.kind === 'folder' ? resources : []) {
      const place = below(at, folder === '.' ? path : `${folder}/${path}`)
      if (!sources.has(place)) addResource(sources, join(dir, folder), place, path, name)
    }
  }
  const modules = sound.flatMap(([, { module, delegate, validators = {} }]) => [
    ...(module ? [module.file] : []),
    ...(delegate && 'file' in delegate ? [delegate.file] : []),
    ...Object.values(validators),
  ])
  return {
    at,
    dir,
    ...indexTexts(indexed, at),
    files: [...sources.values()],
    modules: [...new Set(modules)].sort(),
  }
}

/**
 * Adds the parts of a skill file that are contents. A file that has changed since gets none, so that reading
 * it reports the change.
 */
function addSource(
  sources: Map<string, BundledSource>,
  dir: string,
  path: string,
  { file, kind, content, size }: ToolRecord,
): void {
  const absolute = join(dir, file)
  // As at run time, a SKILL.md that is a link may point only into its own folder.
  const real = kind === 'folder' ? realInside(dirname(absolute), absolute) : regularFile(absolute)
  const source = sources.get(path) ?? { path, size, parts: [] }
  sources.set(path, source)
  if (!content || real === null || statSync(real).size !== size) return
  const [start, end] = content
  source.parts.push({ start, end, bytes: readRealFile(real).subarray(start, end) })
}

function addResource(
  sources: Map<string, BundledSource>,
  folder: string,
  path: string,
  resource: string,
  tool: string,
): void {
  const real = isInside(resource) ? realInside(folder, join(folder, resource)) : null
  if (real === null || looksSecret(real)) return
  let bytes: Buffer
  try {
    bytes = readRealFile(real)
  } catch (error) {
    throw resourceUnreadable(tool, real, error)
  }
  if (containsPrivateKey(bytes)) return
  sources.set(path, { path, size: bytes.length, parts: [{ start: 0, end: bytes.length, bytes }] })
}

function below(at: string, path: string): string {
  return at === '/' ? `/${path}` : `${at}/${path}`
}

function regularFile(file: string): string | null {
  return isFile(file) ? realpathSync.native(file) : null
}

/** False also for an impossible name: an index is untrusted. */
function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return false
    throw error
  }
}

/** The real path of a file, where that lies in a folder; else null. */
export function realInside(folder: string, file: string): string | null {
  const real = regularFile(file)
  return real?.startsWith(realpathSync.native(folder) + sep) ? real : null
}

function indexTexts(
  { lines, header }: IndexedDirectory,
  at: string,
): Pick<BundledDirectory, 'index' | 'shards' | 'digests'> {
  // A bundle has its own list.
  const fields = { ...header, modules: [] }
  const { header: text, parts } = encodeIndex(lines, fields, Buffer.from, indexFiles)
  const made = readHeader(text)
  const digested = hashedText(text, made)
  const path = below(at, INDEX_FILE)
  if (made.shards === undefined) {
    const start = text.indexOf(digested)
    const after = text.slice(start + digested.length)
    const index = { path, before: text.slice(0, start), digested, after, digest: made.hash }
    return { index, shards: [], digests: [] }
  }
  return {
    index: { path, before: text, digested: '', after: '', digest: '' },
    shards: [...parts].map(([file, shard]) => {
      const part = Buffer.from(shard()).toString()
      return { path: below(at, file), text: part, digest: hash('sha256', part) }
    }),
    digests: [[digested, made.hash]],
  }
}

export interface NamedRecord<Directory extends SearchedTools = SearchedIndex> {
  name: string
  directory: Directory
}

/**
 * Resolves the references of compiled directories. A path without a fragment refers to the first tool
 * of its file, whether or not a bundle keeps that.
 */
export function bundledResolver<Directory extends SearchedTools>(
  directories: readonly Directory[],
): ToolResolver<NamedRecord<Directory>> {
  return new ToolResolver(
    directories.map(directory => ({
      dir: directory.dir,
      layer: directory.layer,
      named(name) {
        const { records, namesakes } = directory
        const own = records.tools.has(name) ? name : namesakes.get(name)?.[0]
        return own === undefined ? null : { name: own, directory }
      },
      inFiles: () =>
        [...directory.records.files].flatMap(([file, { tools }]) =>
          tools.map((name): [string, NamedRecord<Directory>] => [file, { name, directory }]),
        ),
    })),
  )
}
