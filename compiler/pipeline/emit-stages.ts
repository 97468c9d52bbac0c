import { hash } from 'node:crypto'
import { dirname } from 'node:path/posix'
import { byCodePoint } from '../../src/base/code-point-order.js'
import {
  type EncodedIndex,
  encodeIndex,
  type HeaderFields,
  type KeptIndex,
  type KeptShards,
  type VectorPart,
} from '../../src/index/encode-index.js'
import { type FileDigest, type Section, shardKey, shardOf } from '../../src/index/index-format.js'
import { isInside } from '../../src/index/inside-path.js'
import type { OpenIndex } from '../../src/index/read-index.js'
import { readList } from '../../src/index/read-list.js'
import { modelOf } from '../../src/search/embedder.js'
import type { WholeSearch } from '../../src/search/search-file.js'
import type { TermStore } from '../../src/search/term-store.js'
import { type ReadSkills, rememberFiles } from '../1-read/read-skills.js'
import type { LocatedContents } from '../2-resolve/contents/project-contents.js'
import type { UnitModules } from '../2-resolve/modules/unit-modules.js'
import { keptShards, recordLines, searchPart, vectorsPart } from '../3-emit/index-parts.js'
import { outdatedFiles, saveCache, writeIndex } from '../3-emit/write-index.js'
import { isSettled } from '../files/regular-file.js'
import { changedNames } from '../index/changed-names.js'
import { withDirectoryLock } from '../index/index-directory.js'
import {
  indexFiles,
  partFiles,
  readSearch,
  readVectors,
  readWritten,
  storeLines,
  unlessRefused,
} from '../index/index-files.js'
import type { KeptLines } from '../index/line-store.js'
import { type ProjectDirectory, shownPath } from '../project/project.js'
import type { Job, Stage } from '../project/stage.js'
import {
  addToCache,
  changedFiles,
  encodeCache,
  isKnown,
  type SeenByCompile,
} from '../records/compile-cache.js'
import { type LinkedDirectory, withFindings } from '../records/linked-directory.js'
import type { SkillUnit } from '../records/skill-unit.js'
import { unitRecords } from '../records/unit.js'
import type { Walk, WalkedSkill } from '../records/walked.js'
import {
  leftOut,
  Overtaken,
  type PreparedDirectory,
  rememberInputs,
  type StartedDirectory,
  unseenDigest,
} from './directory-stages.js'
import type { DirectoryCascades } from './project-stages.js'

export interface CompiledDirectory {
  directory: ProjectDirectory
  linked: LinkedDirectory
  skipped: Walk['skipped']
  reused: number
  /** How many contents with directives were compiled again. */
  rendered: number
  outdated: string[]
  stale: string[]
}

/** A directory with all contents of its index. */
export interface ResolvedDirectory extends PreparedDirectory {
  cascades: DirectoryCascades
  contents: LocatedContents
}

/** The vectors of a directory's tools; null without an embedder. */
export interface EmbeddedDirectory {
  vectors: VectorPart | null
}

export interface EncodedDirectory {
  compiled: CompiledDirectory
  /** The parts to write; null if the index is up to date. */
  unwritten: {
    encoded: EncodedIndex
    /** The shards of the last compile's index that are kept unread; null if all were read. */
    shards: KeptShards | null
    /** Files beside the skills that records are made of. */
    otherFiles: ReadonlyMap<string, FileDigest>
    /** The parts of the last index, which are as they must be. */
    sound: Set<string>
    /** False if the index is up to date, so that at most the cache is written. */
    isOutdated: boolean
  } | null
}

/** Makes vectors of a directory's tools, except those that the last compile made. */
export const embed: Stage<ResolvedDirectory, EmbeddedDirectory> = {
  name: 'emit',
  when: resolved => wantedModel(resolved) !== undefined && !isUpToDate(resolved),
  idle: () => ({ vectors: null }),
  async run(resolved) {
    const { directory, linked, store, before, previous, job } = resolved
    const { dir, embedder } = directory
    const model = wantedModel(resolved) ?? ''
    const known = before && !job.force ? readVectors(dir, before.header) : null
    if (previous && !known) lost(previous.written, dir, job)
    const isSame = before?.header.vectors?.model === model
    return { vectors: await vectorsPart(linked, store, embedder, model, isSame ? known : null) }
  },
}

/** The model of the vectors that an index gets. A check runs no code of a configuration, and asks for those that are there. */
function wantedModel({ directory: { embedder }, before, job }: StartedDirectory): string | undefined {
  return modelOf(embedder) ?? (job.check ? before?.header.vectors?.model : undefined)
}

/** Encodes a directory's index, and finds which of its files are out of date. */
export const encode: Stage<ResolvedDirectory & EmbeddedDirectory, EncodedDirectory> = {
  name: 'emit',
  run(resolved) {
    const { directory, walked, read, modules, before, previous, store, cascades, contents, job } = resolved
    const { dir } = directory
    const linked = withFindings(withFindings(resolved.linked, cascades.findings), contents.findings)
    const reused = read.units.length - read.parsed
    const rendered = renderedIn(contents)
    const compiled = { directory, linked, skipped: walked.skipped, reused, rendered, outdated: [], stale: [] }
    // Nothing is known about a directory that may not be listed, so its index is kept.
    if (walked.isRefused || isUpToDate(resolved)) return { compiled, unwritten: null }
    if (resolved.isUnchanged) rememberInputs(dir, modules, read, walked)
    const included = rememberIncluded(resolved)
    const manifests = walked.manifests.map(({ path, ...digest }) => [path, digest] as const)
    const otherFiles = new Map([...otherInputs(read, modules, included), ...modules.made, ...manifests])
    const shards = keptShardsOf(resolved, linked, otherFiles)
    const isWanted = (section: Section, key: string): boolean =>
      shards === null || shards[shardOf(shardKey(section, key), shards.length)] === null
    const kept = keptLines(resolved, shards)
    const lines = recordLines(linked, kept, cascades.records, contents.records, otherFiles, store, isWanted)
    const fields = headerFields(resolved, linked)
    const encoded = encodeIndex(lines, fields, line => store.bytes(line), indexFiles, {
      list: true,
      makeSearch:
        resolved.terms && (() => searchPart(linked, resolved.terms as TermStore, keptSearch(resolved))),
      vectors: resolved.vectors,
      known: keptIndex(resolved, shards),
    })
    const sound = new Set(previous && partFiles(previous.written))
    const outdated = outdatedFiles(dir, encoded, modules, sound)
    if (!job.check)
      return { compiled, unwritten: { encoded, shards, otherFiles, sound, isOutdated: outdated.length > 0 } }
    const stale = changedNames(dir, before, lines, store)
    return { compiled: { ...compiled, outdated, stale }, unwritten: null }
  },
}

/** True for an index that holds, with its cascades and contents. */
function isUpToDate({ isUnchanged, cascades, contents }: ResolvedDirectory): boolean {
  return isUnchanged && cascades.records === null && renderedIn(contents) === 0
}

function renderedIn({ records }: LocatedContents): number {
  return [...records.values()].filter(record => record !== null).length
}

/** Writes a directory's index and cache, where they are out of date. */
export const write: Stage<ResolvedDirectory & EncodedDirectory, object> = {
  name: 'emit',
  async run({ compiled: { linked }, unwritten, ...resolved }) {
    const { directory, modules, before, previous, job } = resolved
    const { dir } = directory
    if (unwritten === null) {
      const renewed = renewedCache(resolved, linked)
      if (renewed !== null) await saveCache(dir, renewed)
      return {}
    }
    const { encoded, sound, isOutdated } = unwritten
    const cache = nextCache(resolved, linked, unwritten)
    if (!isOutdated) {
      if (!previous) await saveCache(dir, cache)
      return {}
    }
    const written = await withDirectoryLock(dir, () =>
      readWritten(dir)?.text === before?.text ? writeIndex(dir, encoded, modules, cache, sound) : null,
    )
    if (written === null) throw new Overtaken()
    for (const file of written) job.written.add(shownPath(directory, file))
    return {}
  },
}

/** The cache for the next compile: if only some shards changed, the last one's with those changes. */
function nextCache(
  resolved: ResolvedDirectory,
  linked: LinkedDirectory,
  { encoded, shards, otherFiles }: NonNullable<EncodedDirectory['unwritten']>,
): Uint8Array[] {
  const { directory, previous, contents } = resolved
  const seen = seenByCompile(resolved, linked, hash('sha256', encoded.header), otherFiles)
  if (previous === null || shards === null) return encodeCache(seen)
  const { cache } = previous
  const isRendered = ({ tools }: SkillUnit): boolean => tools.some(({ name }) => contents.records.get(name))
  return addToCache(directory.dir, cache, seen, unit => !isKnown(unit, cache) || isRendered(unit))
}

/** Digesting this many files is faster than saving the cache. */
const FEW_FILES = 10

/**
 * The last compile's cache for a directory that is the same, if files had to be digested to find that, and
 * need not be from now on; null if those are few. A fresh clone is such a directory: its files may have
 * changed in the moment before its first compile.
 */
function renewedCache(resolved: ResolvedDirectory, linked: LinkedDirectory): Uint8Array[] | null {
  const { directory, previous, isUnchanged, walked, read, modules } = resolved
  if (previous === null || !isUnchanged || walked.isRefused) return null
  const { cache } = previous
  const renewed = changedFiles(cache, read.files).filter(([, file]) => isSettled(file))
  if (renewed.length <= FEW_FILES) return null
  rememberInputs(directory.dir, modules, read, walked)
  rememberIncluded(resolved)
  return addToCache(
    directory.dir,
    cache,
    seenByCompile(resolved, linked, cache.header, cache.otherFiles),
    () => false,
  )
}

function seenByCompile(
  { directory, walked, read, modules, cascades, contents }: ResolvedDirectory,
  linked: LinkedDirectory,
  header: string,
  otherFiles: ReadonlyMap<string, FileDigest>,
): SeenByCompile {
  return {
    header,
    external: directory.externalPackages,
    files: read.files,
    linked,
    unseen: unseenDigest(walked),
    modules,
    cascadeFindings: cascades.findings,
    contentFindings: contents.findings,
    otherFiles,
    elsewhere: cascades.elsewhere,
  }
}

/** The shards of the last compile that are kept unread; null if all must be read. */
function keptShardsOf(
  { previous, cascades: { records, input }, contents }: ResolvedDirectory,
  linked: LinkedDirectory,
  otherFiles: ReadonlyMap<string, FileDigest>,
): KeptShards | null {
  const header = previous?.written.header
  // The digest is of all names, each with its file.
  if (!header || records !== null || header.cascadeInput !== input) return null
  return keptShards(header, previous.cache, { linked, contents: contents.records, otherFiles })
}

/** The last compile's lines, except those of kept shards. */
function keptLines(
  { directory: { dir }, previous, store, job }: PreparedDirectory,
  shards: KeptShards | null,
): KeptLines | null {
  if (previous === null) return null
  const { written } = previous
  const wanted = shards && (written.header.shards ?? []).filter((_, number) => shards[number] === null)
  return storeLines(dir, written, store, wanted ?? undefined) ?? lost(written, dir, job)
}

/** The shards of the last compile that are kept, with its list. */
function keptIndex(
  { directory: { dir }, previous, job }: PreparedDirectory,
  shards: KeptShards | null,
): KeptIndex | null {
  if (previous === null || shards === null) return null
  const { written } = previous
  const list = unlessRefused(() => readList(indexFiles, dir, written.header)) ?? lost(written, dir, job)
  return { shards, list }
}

/** The search file of the last compile. */
function keptSearch({ directory: { dir }, previous, job }: PreparedDirectory): WholeSearch | null {
  if (previous === null) return null
  const { written } = previous
  return unlessRefused(() => readSearch(dir, written.header)) ?? lost(written, dir, job)
}

/** Starts the compile over: parts of the last index are another compile's by now, or were damaged. */
function lost(written: OpenIndex, dir: string, job: Job): never {
  job.force ||= readWritten(dir)?.text === written.text
  throw new Overtaken()
}

/** Records the state of included files for the next compile, and returns their paths. */
function rememberIncluded({ directory, linked, read, walked }: PreparedDirectory): string[] {
  const included = [
    ...new Set(linked.units.flatMap(({ tools }) => tools.flatMap(({ included: files = [] }) => files))),
  ]
  rememberFiles(directory.dir, included, read.files, walked.walkedAt)
  return included
}

function headerFields(
  {
    directory: { ignore, namespace, discover },
    walked,
    modules,
    cascades: { input, key, ownKey },
  }: ResolvedDirectory,
  { units, given, copies }: LinkedDirectory,
): HeaderFields {
  const skipped = units.filter(({ path }) => !given.has(path) && !copies.has(path)).length + leftOut(walked)
  const files = units.length + leftOut(walked)
  return {
    ignore,
    ...(namespace !== undefined && { namespace }),
    ...(discover && { discover }),
    listing: walked.listing,
    ...(walked.listed && { listed: walked.listed }),
    folders: skillFolders(walked.skills),
    ...unitRecords(walked),
    plugins: walked.plugins,
    manifests: walked.manifests,
    counts: { files, found: files - skipped, skipped },
    ...(walked.skipped.some(({ finding }) => finding.rule === 'walk-limit') && { cut: true }),
    cascadeInput: input,
    cascadeKey: key,
    ...(ownKey !== undefined && { ownCascadeKey: ownKey }),
    modules: modules.files,
  }
}

/** A header lists no more folders, so that opening an index stays quick. */
const FOLDERS_MAX = 1000

/** The folders with skills, except the directory itself, those with most skills first. */
function skillFolders(skills: readonly WalkedSkill[]): string[] {
  const counts = new Map<string, number>()
  for (const { path, kind } of skills) {
    const folder = dirname(kind === 'folder' ? dirname(path) : path)
    if (folder !== '.') counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([a, some], [b, others]) => others - some || byCodePoint(a, b))
  return sorted.slice(0, FOLDERS_MAX).map(([folder]) => folder)
}

/**
 * Files of the directory that are part of modules or contents without being skills, for a reader to check
 * them too.
 */
function otherInputs(
  { units, files }: ReadSkills,
  { modules }: UnitModules,
  included: readonly string[],
): Map<string, FileDigest> {
  const skills = new Set(units.map(({ path }) => path))
  const inputs = [...[...modules.values()].flatMap(module => module.inputs), ...included].filter(
    path => isInside(path) && !skills.has(path),
  )
  return new Map(
    inputs.flatMap(path => {
      const file = files.get(path)
      return file ? [[path, { size: file.size, sha256: file.sha256 }] as const] : []
    }),
  )
}
