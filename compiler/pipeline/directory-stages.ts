import { hash } from 'node:crypto'
import { join } from 'node:path'
import { type FileDigest, INLINE_RECORDS, type ManifestRecord } from '../../src/index/index-format.js'
import type { OpenIndex } from '../../src/index/read-index.js'
import { modelOf } from '../../src/search/embedder.js'
import { TermStore } from '../../src/search/term-store.js'
import { checkDelegates } from '../1-read/code/delegates.js'
import type { WalkedEntry } from '../1-read/discover/walk-entry.js'
import { isSameFile, type ReadSkills, readSkills, rememberFiles, rereadUnits } from '../1-read/read-skills.js'
import { compileValidators, soundValidators } from '../2-resolve/modules/compile-validators.js'
import {
  attachModules,
  bundleUnits,
  NO_MODULES,
  type UnitModules,
  unitsWithNewModules,
} from '../2-resolve/modules/unit-modules.js'
import { withModules } from '../3-emit/write-index.js'
import { partsHold, readWritten } from '../index/index-files.js'
import { LineStore } from '../index/line-store.js'
import { type RecordedIndex, recordedIndex } from '../index/recorded-index.js'
import type { ProjectDirectory } from '../project/project.js'
import { type Job, type Stage, throwIfAborted } from '../project/stage.js'
import { type CompileCache, readCache } from '../records/compile-cache.js'
import { encodeTools } from '../records/encode-tools.js'
import type { LinkedDirectory } from '../records/linked-directory.js'
import { isReadAnew, type SkillUnit } from '../records/skill-unit.js'
import type { Walk } from '../records/walked.js'
import { walkToCompile } from './read-project.js'

/** A directory that is about to be compiled. */
export interface StartedDirectory {
  directory: ProjectDirectory
  job: Job
  before: OpenIndex | null
  /** The last compile, as far as this one can build on it. */
  previous: PreviousCompile | null
  /** The results of running code that the index records, for a compile that runs none; else null. */
  recorded: RecordedIndex | null
  /** The lines of this compile. */
  store: LineStore
}

/** A directory that was read, as far as that is possible without the others. */
export interface PreparedDirectory extends StartedDirectory {
  walked: WalkedDirectory
  /** The terms of this compile; null where the index gets no search file. */
  terms: TermStore | null
  read: ReadSkills
  code: UnitModules
  /** The files of the last compile's schemas that are still sound, by the schema's digest. */
  validators: Map<string, string>
  modules: MadeModules
  linked: LinkedDirectory
  /** True if the index is up to date except for cascades. */
  isUnchanged: boolean
}

/** The modules that a directory's code and its tools' schemas are compiled to. */
export interface MadeModules extends UnitModules {
  /** The file that each schema was compiled to, by the schema's digest. */
  validators: Map<string, string>
  /** The files that code was compiled to. */
  moduleFiles: string[]
  /** The digests of `files`. */
  made: Map<string, FileDigest>
}

/**
 * Another compile, or an editor, changed files while a stage used them: everything must be done
 * again.
 */
export class Overtaken extends Error {}

export function startDirectory(directory: ProjectDirectory, job: Job): StartedDirectory {
  const before = readWritten(directory.dir)
  return {
    directory,
    job,
    before,
    previous: job.force || job.check ? null : previousCompile(directory, before),
    recorded: job.check ? recordedIndex(directory.dir, before) : null,
    store: new LineStore(),
  }
}

/** The terms of fewer skill files are made as quickly as they are read. */
const SEARCHED_FILES = INLINE_RECORDS / 2

/** Finds a directory's skill files. */
export const walkDirectory: Stage<StartedDirectory, Pick<PreparedDirectory, 'walked' | 'terms'>> = {
  name: 'walk',
  run({ directory, job }) {
    const walkedAt = Date.now()
    const walked = walkToCompile(directory, { onDirectory: job.watchSink?.directory })
    for (const { path } of walked.manifests) job.watchSink?.path(join(directory.dir, path))
    job.total += walked.skills.length
    const isLarge = walked.skills.length > SEARCHED_FILES
    return { walked: { ...walked, walkedAt }, terms: isLarge && directory.hasSearch ? new TermStore() : null }
  },
}

/** Reads the skill files that changed since the last compile. */
export const readChanged: Stage<
  StartedDirectory & Pick<PreparedDirectory, 'walked' | 'terms'>,
  Pick<PreparedDirectory, 'read'>
> = {
  name: 'read',
  async run({ directory: { dir }, walked: { skills, walkedAt }, previous, store, terms, job }) {
    const onUnit = (unit: SkillUnit, file: string): void => encodeTools(unit, file, store, terms)
    const onFile = (): void => {
      throwIfAborted(job)
      job.done++
      job.onProgress?.({ done: job.done, total: job.total })
    }
    return { read: await readSkills(dir, skills, previous?.cache ?? null, { walkedAt, onUnit, onFile }) }
  },
}

/** Bundles the directory's code into modules, unless the last compile's still hold. */
export const bundleCode: Stage<
  StartedDirectory & Pick<PreparedDirectory, 'walked' | 'read'>,
  Pick<PreparedDirectory, 'code'>
> = {
  name: 'modules',
  when: hasCode,
  idle: () => ({ code: NO_MODULES }),
  async run({ directory: { dir, externalPackages }, read, previous }) {
    const cache = previous?.cache ?? null
    const isSame = (path: string): boolean => cache !== null && isSameFile(dir, path, cache)
    return { code: await bundleUnits(dir, read.units, cache, isSame, externalPackages) }
  },
}

/** Reads again the skill files for which the last compile's records no longer hold. */
export const renewRecords: Stage<
  StartedDirectory & Pick<PreparedDirectory, 'walked' | 'terms' | 'read' | 'code'>,
  Pick<PreparedDirectory, 'validators' | 'isUnchanged'>
> = {
  name: 'modules',
  async run({ directory, walked, terms, read: { units, ...read }, code, previous }) {
    const { dir } = directory
    const validators = previous ? soundValidators(dir, previous.cache) : new Map<string, string>()
    const areWhole = validators.size === (previous?.cache.validators.size ?? 0)
    const isSearched = terms !== null && previous?.written.header.shards !== undefined
    if (
      previous &&
      areWhole &&
      isSearched === (previous.written.header.search !== undefined) &&
      isUnchanged(directory, walked, { ...read, units }, code, previous)
    )
      return { validators, isUnchanged: true }
    const unready = new Set([
      ...units.filter(({ tools }) => tools.some(tool => !isReadAnew(tool) && !(previous && tool.written))),
      ...unitsWithNewModules(units, code, previous?.cache ?? null),
      ...(areWhole ? [] : unitsWithLostValidators(units, validators)),
    ])
    if (!(await rereadUnits(dir, [...unready], walked.skills))) throw new Overtaken()
    return { validators, isUnchanged: false }
  },
}

/** Adds modules to the records of code, and runs those whose metadata is known only by running them. */
export const attachCode: Stage<
  StartedDirectory & Pick<PreparedDirectory, 'walked' | 'read' | 'code' | 'isUnchanged'>,
  object
> = {
  name: 'modules',
  when: ({ read, isUnchanged }) => !isUnchanged && hasCode({ read }),
  idle: () => ({}),
  async run({ directory: { dir }, walked, read, code, recorded, job: { check } }) {
    await checkDelegates(dir, read.units)
    await attachModules(
      dir,
      read.units,
      code,
      check ? { recorded } : { withModules: (outputs, run) => withModules(dir, outputs, run) },
    )
    rememberInputs(dir, code, read, walked)
    return {}
  },
}

/** Compiles the schemas of tools to modules. */
export const compileSchemas: Stage<
  StartedDirectory & Pick<PreparedDirectory, 'read' | 'code' | 'validators' | 'isUnchanged'>,
  Pick<PreparedDirectory, 'modules'>
> = {
  name: 'modules',
  when: ({ read, isUnchanged }) => !isUnchanged && read.units.some(hasSchemas),
  idle: ({ code, validators, isUnchanged, previous }) => ({
    modules: withValidators(code, isUnchanged ? validators : new Map(), previous?.cache ?? null),
  }),
  async run({ read, code, validators, previous }) {
    const { files, outputs } = await compileValidators(read.units, validators)
    return { modules: withValidators(code, files, previous?.cache ?? null, outputs) }
  },
}

function hasCode({ read: { units } }: { read: Pick<ReadSkills, 'units'> }): boolean {
  return units.some(({ sources }) => sources.length > 0)
}

function hasSchemas({ tools }: SkillUnit): boolean {
  return tools.some(({ fresh, validators = [] }) => {
    const { params, returns } = fresh?.record.frontmatter ?? {}
    return validators.length > 0 || (params ?? returns) !== undefined
  })
}

function withValidators(
  modules: UnitModules,
  validators: Map<string, string>,
  cache: CompileCache | null,
  schemaOutputs: ReadonlyMap<string, Uint8Array> = new Map(),
): MadeModules {
  const files = [...new Set([...modules.files, ...validators.values()])].sort()
  const outputs = new Map([...modules.outputs, ...schemaOutputs])
  const made = files.map(file => [file, madeFile(outputs.get(file), cache?.made.get(file))] as const)
  return {
    ...modules,
    files,
    outputs,
    validators,
    moduleFiles: modules.files,
    made: new Map(made),
  }
}

/** The digest of a file that this compile writes, or else that the last one wrote. */
function madeFile(contents: Uint8Array | undefined, before: FileDigest | undefined): FileDigest {
  if (contents) return { size: contents.length, sha256: hash('sha256', contents) }
  if (before) return before
  throw new Error('A file is neither made now nor was before.')
}

/** The units whose records of the last compile name compiled schemas that are gone. */
function unitsWithLostValidators(
  units: ReadSkills['units'],
  sound: ReadonlyMap<string, string>,
): SkillUnit[] {
  const there = new Set(sound.values())
  return units.filter(({ tools }) =>
    tools.some(({ validators = [] }) => validators.some(file => !there.has(file))),
  )
}

/** Keeps the state of the files that are in modules for the next compile. */
export function rememberInputs(
  dir: string,
  { modules }: UnitModules,
  { files }: ReadSkills,
  { walkedAt }: WalkedDirectory,
): void {
  const inputs = new Set([...modules.values()].flatMap(module => module.inputs))
  rememberFiles(dir, inputs, files, walkedAt)
}

/** The last compile of a directory, as far as this one can build on it. */
export interface PreviousCompile {
  cache: CompileCache
  written: OpenIndex
}

function previousCompile(
  { dir, externalPackages, namespace, embedder }: ProjectDirectory,
  written: OpenIndex | null,
): PreviousCompile | null {
  if (written?.header.namespace !== namespace) return null
  const cache = written && readCache(dir)
  if (cache === null || written === null || hash('sha256', written.text) !== cache.header) return null
  if (cache.external.join() !== externalPackages.join()) return null
  if (written.header.vectors?.model !== modelOf(embedder)) return null
  // An index of shards gets a list, even if an older version wrote it.
  if (written.header.shards && !written.header.list) return null
  return partsHold(dir, written, cache.savedAt) ? { cache, written } : null
}

export interface WalkedDirectory extends WalkedEntry {
  /** Milliseconds since the epoch. */
  walkedAt: number
}

/** True if no file was read again and the directory has the same entries, so that the index is still valid. */
function isUnchanged(
  { ignore }: ProjectDirectory,
  walked: WalkedDirectory,
  read: ReadSkills,
  { outputs }: UnitModules,
  { cache, written: { header } }: PreviousCompile,
): boolean {
  const files = read.units.length + leftOut(walked)
  const now = [ignore, walked.listing, files, unseenDigest(walked), digests(walked.manifests)]
  const before = [
    header.ignore,
    header.listing,
    header.counts?.files,
    cache.unseen,
    digests(header.manifests),
  ]
  const isSame = JSON.stringify(now) === JSON.stringify(before)
  return isSame && read.parsed === 0 && read.units.length === cache.units.size && outputs.size === 0
}

/** Digests of the manifests: units and plugins in an index depend on them. */
function digests(manifests: readonly ManifestRecord[] = []): string[] {
  return manifests.map(({ path, sha256 }) => `${sha256} ${path}`)
}

/** The digest of the unreadable places that reserve names. */
export function unseenDigest({ skipped }: Walk): string {
  return hash('sha256', JSON.stringify(skipped.filter(({ names }) => names)))
}

/** How many files would be skills if they lay elsewhere. */
export function leftOut({ skipped }: Walk): number {
  return skipped.filter(({ counts }) => counts).length
}
