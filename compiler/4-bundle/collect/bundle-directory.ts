import { hash } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { AgentAppsError } from '../../../src/base/error.js'
import { type ContentRecord, isContent } from '../../../src/index/content-record.js'
import { emptyLines, encodeIndex, type Lines } from '../../../src/index/encode-index.js'
import {
  type CascadeRecord,
  type FileRecord,
  INDEX_FILE,
  type IndexHeader,
  isBroken,
  type NameRecord,
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
  readHeader,
  readParts,
} from '../../../src/index/read-index.js'
import type { SearchDirectory } from '../../../src/skill/path-entry.js'
import { isReferences } from '../../../src/skill/references.js'
import { holdsPrivateKey, looksSecret } from '../../../src/skill/secrets.js'
import { resourceUnreadable } from '../../../src/skill/skill-faults.js'
import { readRealFile } from '../../files/regular-file.js'
import { indexFiles } from '../../index/index-files.js'
import type { BundledDirectory, BundledSource } from '../parts/bundle-parts.js'

/** A compiled directory, as its index describes it. */
export interface IndexedDirectory {
  dir: string
  header: IndexHeader
  lines: Lines
  tools: Map<string, NameRecord>
}

/** A compiled directory that a bundle's project searches. */
export interface SearchedIndex extends IndexedDirectory {
  layer: string
  /** True for the project's own; cascades know these by their numbers. */
  isOwn: boolean
  isLibrary: boolean
}

/**
 * Reads the index of a directory that goes into a bundle.
 *
 * @throws BUNDLE_UNCOMPILED
 */
export function readIndexed({ dir, ignore }: Pick<SearchDirectory, 'dir' | 'ignore'>): IndexedDirectory {
  try {
    const index = openIndex(indexFiles, dir)
    if (index === null) throw uncompiled(dir, 'has no index')
    if (index.header.ignore.join('\0') !== ignore.join('\0'))
      throw uncompiled(dir, 'was compiled with other ignore patterns')
    return recordsOf(dir, index)
  } catch (error) {
    if (!(error instanceof IndexRefused)) throw error
    throw uncompiled(dir, `has an index that is not to be used: ${error.message}`)
  }
}

/** What an index says is only followed where it is what a compiler says: a bundle takes in the files that it names. */
function recordsOf(dir: string, index: OpenIndex): IndexedDirectory {
  const lines: Lines = emptyLines()
  const tools = new Map<string, NameRecord>()
  for (const part of readParts(indexFiles, dir, index)) {
    for (const section of SECTIONS) {
      for (const [key, line] of part[section].lines()) lines[section].set(key, line)
      for (const [key, record] of part[section].all()) {
        const fault = followedFault(section, key, record)
        if (fault !== null) throw new IndexRefused(fault)
      }
    }
    for (const [name, record] of part.tools.all()) tools.set(name, record)
  }
  return { dir, header: index.header, lines, tools }
}

/** The fault of a record that a runtime checks only when it uses it; bundling uses all at once. */
function followedFault(section: Section, key: string, record: object): string | null {
  if (section === 'contents' && !isContent(record)) return `the content of ${JSON.stringify(key)} is not ours`
  const { references = [] }: Partial<ToolDetails> = record
  const isFollowed = section === 'details'
  return isFollowed && !isReferences(references)
    ? `the references of ${JSON.stringify(key)} are not ours`
    : null
}

function uncompiled(dir: string, what: string): AgentAppsError {
  return new AgentAppsError(
    'BUNDLE_UNCOMPILED',
    `The directory ${dir} ${what}, and a bundle holds what is compiled.`,
    {
      hint: 'Compile it as a project of its own, ask who ships it for its index, or leave it out of the paths.',
      file: dir,
    },
  )
}

function records<Value>(lines: ReadonlyMap<string, string>): Map<string, Value> {
  const read = (name: string, line: string): Value =>
    (JSON.parse(`{${line}}`) as Record<string, Value>)[name] as Value
  return new Map([...lines].map(([name, line]) => [name, read(name, line)]))
}

export function detailsOf({ lines }: IndexedDirectory): Map<string, ToolDetails> {
  return records(lines.details)
}

export function cascadesOf({ lines }: IndexedDirectory): Map<string, CascadeRecord> {
  return records(lines.cascades)
}

export function contentsOf({ lines }: IndexedDirectory): Map<string, ContentRecord> {
  return records(lines.contents)
}

export function filesOf({ lines }: IndexedDirectory): Map<string, FileRecord> {
  return records(lines.files)
}

/**
 * * Removes the tools of a directory that are not kept, and the files that gave only such tools. A file that
 * should be a main skill stays, since it keeps the tools in its folder from being run.
 */
export function withTools(indexed: IndexedDirectory, isKept: (name: string) => boolean): IndexedDirectory {
  const { lines, tools } = indexed
  const only = <Value>(map: ReadonlyMap<string, Value>) => new Map([...map].filter(([name]) => isKept(name)))
  const files = [...filesOf(indexed)].filter(
    ([, { tools: given, diagnostics }]) =>
      given.length === 0 || given.some(isKept) || diagnostics.some(({ rule }) => rule === 'main-broken'),
  )
  return {
    ...indexed,
    tools: only(tools),
    lines: {
      tools: only(lines.tools),
      details: only(lines.details),
      cascades: only(lines.cascades),
      contents: only(lines.contents),
      files: new Map(files.map(([path]) => [path, lines.files.get(path) ?? ''])),
    },
  }
}

/**
 * Everything that a bundle takes from a directory. Files outside the directory are not taken, even if its
 * index names them.
 */
export function bundledDirectory(indexed: IndexedDirectory, at: string): BundledDirectory {
  const { dir, tools } = indexed
  const details = detailsOf(indexed)
  const sound = [...tools].filter((entry): entry is [string, ToolRecord] => !isBroken(entry[1]))
  const sources = new Map<string, BundledSource>()
  for (const [name, record] of sound) {
    addSource(sources, dir, at, record)
    const { resources = [] } = details.get(name) ?? {}
    if (record.kind === 'folder')
      for (const { path } of resources) addResource(sources, dir, at, dirname(record.file), path, name)
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
 * Adds the parts of a skill file that hold contents. A file that was changed since gets none, so that reading
 * it reports the change.
 */
function addSource(
  sources: Map<string, BundledSource>,
  dir: string,
  at: string,
  { file, kind, content, size }: ToolRecord,
): void {
  const path = below(at, file)
  const absolute = join(dir, file)
  // As at run time: a SKILL.md that is a link leads only to a file of its own folder.
  const real = kind === 'folder' ? realInside(dirname(absolute), absolute) : regularFile(absolute)
  const source = sources.get(path) ?? { path, size, parts: [] }
  sources.set(path, source)
  if (!content || real === null || statSync(real).size !== size) return
  const [start, end] = content
  source.parts.push({ start, end, bytes: readRealFile(real).subarray(start, end) })
}

function addResource(
  sources: Map<string, BundledSource>,
  dir: string,
  at: string,
  folder: string,
  resource: string,
  tool: string,
): void {
  const path = below(at, folder === '.' ? resource : `${folder}/${resource}`)
  if (sources.has(path) || !isInside(resource)) return
  const real = realInside(join(dir, folder), join(dir, folder, resource))
  if (real === null || looksSecret(basename(real))) return
  const bytes = resourceBytes(tool, real)
  if (holdsPrivateKey(bytes)) return
  sources.set(path, { path, size: bytes.length, parts: [{ start: 0, end: bytes.length, bytes }] })
}

function resourceBytes(tool: string, real: string): Buffer {
  try {
    return readRealFile(real)
  } catch (error) {
    throw resourceUnreadable(tool, real, error)
  }
}

function below(at: string, path: string): string {
  return at === '/' ? `/${path}` : `${at}/${path}`
}

/** The real path of a file; null for anything else. */
function regularFile(file: string): string | null {
  return isFile(file) ? realpathSync.native(file) : null
}

/** False too for a name that no file can have: an index may say anything. */
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

/** The texts of a directory's index, written anew from its records. */
function indexTexts(
  { lines, header }: IndexedDirectory,
  at: string,
): Pick<BundledDirectory, 'index' | 'shards' | 'digests'> {
  const { header: text, shards } = encodeIndex(lines, { ...header, modules: [] }, Buffer.from, indexFiles)
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
    shards: [...shards].map(([file, shard]) => {
      const part = Buffer.from(shard()).toString()
      return { path: below(at, file), text: part, digest: hash('sha256', part) }
    }),
    digests: [[digested, made.hash]],
  }
}
