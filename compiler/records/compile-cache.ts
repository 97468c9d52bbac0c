import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../../src/base/attempt.js'
import { type FileDigest, INDEX_DIRECTORY } from '../../src/index/index-format.js'
import type { Finding } from '../diagnostics/diagnostics.js'
import { VERSION } from '../files/package-place.js'
import { digestFile, type FileStat, isChangedSince, unlessGone } from '../files/regular-file.js'
import { appendSealed, LongList, readSealedAll, type SealedEnd, sealedJson } from '../files/sealed-file.js'
import type { LinkedDirectory } from './linked-directory.js'
import { isReadAnew, type SkillUnit } from './skill-unit.js'
import {
  isCacheable,
  readFinding,
  readUnit,
  type StoredFinding,
  type StoredUnit,
  storeFinding,
  storeUnit,
} from './stored-unit.js'

export const CACHE_FILE = `${INDEX_DIRECTORY}/cache.json`
export const BUNDLE_CACHE_FILE = `${INDEX_DIRECTORY}/cache-bundle.json`

/**
 * The state that the last compile of a directory left on this machine, so that the next one reads only changes. It
 * is not part of the output and may be deleted at any time: the index is the same without it.
 */
export interface CompileCache {
  /** SHA-256 of its `.agent-apps.json`. */
  header: string
  /** The packages that were not bundled. */
  external: string[]
  end: SealedEnd
  /** Milliseconds since the epoch. */
  savedAt: number
  files: Map<string, CachedFile>
  units: Map<string, SkillUnit>
  /** The digest of the unreadable places that reserve names. */
  unseen: string
  /** Modules by source key. */
  modules: Map<string, CachedModule>
  /** The files that schemas were compiled to, by digest of the schema. */
  validators: Map<string, string>
  /** All files that modules consist of, relative to the directory. */
  moduleFiles: string[]
  /** The digests of all files that code or schemas were compiled to, by path relative to the directory. */
  made: Map<string, FileDigest>
  /** The findings of cascades, by file, valid as long as the index's `cascadeKey`. */
  cascadeFindings: Map<string, Finding[]>
  /** The findings of contents, by file, valid as long as those contents. */
  contentFindings: Map<string, Finding[]>
  /** The findings that only the whole directory shows, by file. */
  found: Map<string, Finding[]>
  otherFiles: ReadonlyMap<string, FileDigest>
  /** Other people's directories, absolute, in which a base may be: cascades are valid while they are the same. */
  elsewhere: string[]
}

/** Code that was made a module. */
export interface CachedModule {
  /** Relative to the directory. */
  file: string
  /** The project's own files in it, relative to the directory; they may begin with `../`. */
  inputs: string[]
}

export interface CachedFile extends FileStat {
  sha256: string
}

interface StoredCache {
  version: string
  header: string
  external: string[]
  files: StoredFile[]
  units: StoredUnit[]
  unseen: string
  modules: [key: string, file: string, inputs: string[]][]
  validators: [digest: string, file: string][]
  moduleFiles: string[]
  made: StoredDigest[]
  cascadeFindings: StoredFindings
  contentFindings: StoredFindings
  found: StoredFindings
  otherFiles: StoredDigest[]
  elsewhere: string[]
}
type StoredDigest = [file: string, size: number, sha256: string]
type StoredFile = [path: string, size: number, mtimeMs: number, ctimeMs: number, ino: number, sha256: string]
type StoredFindings = [path: string, findings: StoredFinding[]][]

/** The cache of a directory; null if it is missing, or this version cannot use it. */
export function readCache(directory: string): CompileCache | null {
  const file = join(directory, CACHE_FILE)
  // Without a cache, or with one that cannot be read, the compile is slower and no different.
  return orNull(() => {
    const sealed = readSealedAll<StoredCache>(file)
    if (sealed === null || sealed.values.some(({ version }) => version !== VERSION)) return null
    return { ...decode(sealed.values), end: sealed.end, savedAt: statSync(file).mtimeMs }
  })
}

/** The state that a compile stores for the next one. */
export interface SeenByCompile
  extends Pick<
    CompileCache,
    | 'header'
    | 'external'
    | 'files'
    | 'unseen'
    | 'cascadeFindings'
    | 'contentFindings'
    | 'otherFiles'
    | 'elsewhere'
  > {
  linked: LinkedDirectory
  modules: Pick<CompileCache, 'modules' | 'validators' | 'moduleFiles' | 'made'>
}

/** The bytes of the cache's file, in pieces. */
export function encodeCache(seen: SeenByCompile): Uint8Array[] {
  return sealedJson(toStore(seen, seen.files, seen.linked.units))
}

/**
 * The bytes of a cache with the changes appended; the whole cache again if the changes have become large.
 *
 * @param isChanged true for a unit to store again; no units were added or removed
 */
export function addToCache(
  directory: string,
  cache: CompileCache,
  seen: SeenByCompile,
  isChanged: (unit: SkillUnit) => boolean,
): Uint8Array[] {
  const units = seen.linked.units.filter(isChanged)
  const change = toStore(seen, changedFiles(cache, seen.files), units)
  const added = units.every(isCacheable) ? appendSealed(join(directory, CACHE_FILE), cache.end, change) : null
  return added ?? encodeCache(seen)
}

/** The files of which a cache has another state, or none. */
export function changedFiles(
  cache: CompileCache,
  files: ReadonlyMap<string, CachedFile>,
): [path: string, file: CachedFile][] {
  return [...files].filter(([path, file]) => cache.files.get(path) !== file)
}

/** True for a unit that is the last compile's. */
export function isKnown(unit: SkillUnit, cache: CompileCache): boolean {
  return cache.units.get(unit.path) === unit && !unit.tools.some(isReadAnew)
}

function toStore(
  {
    modules,
    linked,
    cascadeFindings,
    contentFindings,
    otherFiles,
    header,
    external,
    unseen,
    elsewhere,
  }: SeenByCompile,
  files: Iterable<[string, CachedFile]>,
  units: readonly SkillUnit[],
): { [Key in keyof StoredCache]: StoredCache[Key] | LongList } {
  return {
    version: VERSION,
    header,
    external,
    files: new LongList(storeFiles(files)),
    units: new LongList(storeUnits(units, linked)),
    unseen,
    modules: [...modules.modules].map(([key, { file, inputs }]) => [key, file, inputs]),
    validators: [...modules.validators],
    moduleFiles: modules.moduleFiles,
    made: storeDigests(modules.made),
    cascadeFindings: storeFindings(cascadeFindings),
    contentFindings: storeFindings(contentFindings),
    found: storeFindings(linked.findings),
    otherFiles: storeDigests(otherFiles),
    elsewhere,
  }
}

function* storeFiles(files: Iterable<[string, CachedFile]>): Generator<StoredFile> {
  for (const [path, { size, mtimeMs, ctimeMs, ino, sha256 }] of files)
    yield [path, size, mtimeMs, ctimeMs, ino, sha256]
}

function* storeUnits(
  units: readonly SkillUnit[],
  { names }: Pick<LinkedDirectory, 'names'>,
): Generator<StoredUnit> {
  for (const unit of units)
    if (isCacheable(unit)) yield storeUnit(unit, tool => names.get(tool.name)?.tool === tool)
}

/** Restores a cache from its first object and the changes that were appended to it. */
function decode(stored: readonly StoredCache[]): Omit<CompileCache, 'end' | 'savedAt'> {
  const files = new Map<string, CachedFile>()
  for (const part of stored) for (const file of part.files) files.set(file[0], readFile(file))
  const units = new Map<string, SkillUnit>()
  for (const part of stored)
    for (const unit of part.units) {
      const file = files.get(unit[0])
      if (file) units.set(unit[0], readUnit(unit, file))
    }
  const last = stored.at(-1) as StoredCache
  return {
    header: last.header,
    // A value of another type throws here, where that is caught.
    external: [...last.external],
    files,
    units,
    unseen: last.unseen,
    modules: new Map(last.modules.map(([key, file, inputs]) => [key, { file, inputs }])),
    validators: new Map(last.validators),
    moduleFiles: last.moduleFiles,
    made: readDigests(last.made),
    cascadeFindings: readFindings(last.cascadeFindings),
    contentFindings: readFindings(last.contentFindings),
    found: readFindings(last.found),
    otherFiles: readDigests(last.otherFiles),
    elsewhere: [...last.elsewhere],
  }
}

function readFile(stored: StoredFile): CachedFile {
  return { size: stored[1], mtimeMs: stored[2], ctimeMs: stored[3], ino: stored[4], sha256: stored[5] }
}

function storeDigests(files: ReadonlyMap<string, FileDigest>): StoredDigest[] {
  return [...files].map(([file, { size, sha256 }]) => [file, size, sha256])
}

function readDigests(stored: readonly StoredDigest[]): Map<string, FileDigest> {
  return new Map(stored.map(([file, size, sha256]) => [file, { size, sha256 }]))
}

function storeFindings(findings: ReadonlyMap<string, Finding[]>): StoredFindings {
  return [...findings].map(([path, found]) => [path, found.map(storeFinding)])
}

function readFindings(stored: StoredFindings): Map<string, Finding[]> {
  return new Map(stored.map(([path, found]) => [path, found.map(readFinding)]))
}

/** True for a file whose bytes have not changed since the last compile. */
export function isAsMade(directory: string, file: string, cache: CompileCache | null): boolean {
  const made = cache?.made.get(file)
  const path = join(directory, file)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!cache || !made || !stat?.isFile() || stat.size !== made.size) return false
  return !isChangedSince(stat, cache.savedAt) || unlessGone(() => digestFile(path)) === made.sha256
}
