import { hash } from 'node:crypto'
import { AgentAppsError } from '../src/error.js'
import { isInside, listingText } from '../src/index-format.js'
import { describesEntry } from './1-read/describes-entry.js'
import {
  isSameFile,
  type ReadOptions,
  type ReadSkills,
  readSkills,
  rememberFiles,
  rereadUnits,
} from './1-read/read-skills.js'
import { type Walk, walk } from './1-read/walk.js'
import { compileValidators, soundValidators } from './2-resolve/compile-validators.js'
import { linkDirectory } from './2-resolve/link.js'
import {
  attachModules,
  bundleUnits,
  type UnitModules,
  unitsWithNewModules,
} from './2-resolve/unit-modules.js'
import { withDirectoryLock } from './3-emit/directory-lock.js'
import { changedNames, encodeIndex, type HeaderFields, type Lines } from './3-emit/encode-index.js'
import { recordLines } from './3-emit/record-lines.js'
import {
  outdatedFiles,
  readLines,
  readWritten,
  saveCache,
  shardFiles,
  shardsHold,
  type WrittenIndex,
  writeIndex,
} from './3-emit/write-index.js'
import { type CachedFile, type CompileCache, encodeCache, readCache } from './compile-cache.js'
import type { LinkedDirectory } from './linked-directory.js'
import { type ProjectDirectory, type ProjectOptions, projectDirectories, shownPath } from './project.js'
import { type Report, report } from './report.js'
import type { SkillUnit } from './skill-unit.js'

export interface CompileOptions extends ProjectOptions {
  /** Ignore what the last compile left. */
  force?: boolean | undefined
  /** Write nothing; `outdated` then says what would be written. */
  check?: boolean | undefined
  signal?: AbortSignal | undefined
  /** Called as files are read. */
  onProgress?: ((progress: Progress) => void) | undefined
}

export interface Progress {
  /** Skill files read so far, over all directories. */
  done: number
  /** Skill files found so far. */
  total: number
}

export interface CompileResult extends Report {
  /** The directories compiled, as shown paths. */
  directories: string[]
  /** Files written, as shown paths. */
  written: string[]
  /** Skill files that had not changed, so that they were not parsed. */
  reused: number
  /** With `check`: the files that a compile would write, as shown paths; empty where all is up to date. */
  outdated: string[]
  /** With `check`: the names that the indexes have otherwise, have not, or have no longer. */
  stale: string[]
  /** Milliseconds spent in each stage. */
  timings: Record<Stage, number>
}

type Stage = 'walk' | 'read' | 'modules' | 'link' | 'emit'

/**
 * Compiles the skills of a project's directories: finds them, reads what changed, makes each directory's table
 * of names and writes it as an index. Faults of skills are diagnostics of the result, never thrown.
 *
 * @throws DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, CONFIG_*, INDEX_NOT_WRITABLE, INDEX_LOCKED, COMPILE_ABORTED
 */
export async function compile(options: CompileOptions = {}): Promise<CompileResult> {
  const directories = await projectDirectories(options)
  const job: Job = {
    ...options,
    done: 0,
    total: 0,
    timings: { walk: 0, read: 0, modules: 0, link: 0, emit: 0 },
  }
  const compiled: CompiledDirectory[] = []
  for (const directory of directories) compiled.push(await compileDirectory(directory, job))
  return {
    ...report(compiled),
    directories: directories.map(directory => shownPath(directory, '')),
    written: compiled.flatMap(({ directory, written }) => written.map(file => shownPath(directory, file))),
    outdated: compiled.flatMap(({ directory, outdated }) => outdated.map(file => shownPath(directory, file))),
    stale: compiled.flatMap(({ stale }) => stale),
    reused: compiled.reduce((sum, { reused }) => sum + reused, 0),
    timings: job.timings,
  }
}

/** What all directories of one compile share. */
interface Job extends CompileOptions, Progress {
  timings: Record<Stage, number>
}

interface CompiledDirectory {
  directory: ProjectDirectory
  linked: LinkedDirectory
  skipped: Walk['skipped']
  reused: number
  written: string[]
  outdated: string[]
  stale: string[]
}

async function compileDirectory(directory: ProjectDirectory, job: Job): Promise<CompiledDirectory> {
  for (;;) {
    const compiled = await attempt(directory, job)
    if (compiled !== 'overtaken') return compiled
  }
}

/** The pipeline: walk → read → modules → link → emit. Overtaken where something changed under it meanwhile. */
async function attempt(directory: ProjectDirectory, job: Job): Promise<CompiledDirectory | 'overtaken'> {
  const { dir } = directory
  const before = readWritten(dir)
  const previous = job.force || job.check ? null : previousCompile(dir, before)
  const walked = await timed(job, 'walk', () => walkDirectory(directory, job))
  const read = await timed(job, 'read', () =>
    readSkills(dir, walked.skills, previous?.cache ?? null, readOptions(walked, job)),
  )
  const modules = await timed(job, 'modules', () => makeModules(directory, read, walked, previous, job))
  if (modules === 'overtaken') return modules
  const linked = await timed(job, 'link', () => linkDirectory(read.units))
  const reused = read.units.length - read.parsed
  const compiled = {
    directory,
    linked,
    skipped: walked.skipped,
    reused,
    written: [],
    outdated: [],
    stale: [],
  }
  if (modules === 'unchanged') return compiled

  const fields = headerFields(directory, walked, linked, modules)
  const lines = await timed(job, 'emit', () => recordLines(linked, modules.lines, otherInputs(read, modules)))
  const encoded = await timed(job, 'emit', () => encodeIndex(lines, fields))
  const sound = new Set(previous && modules.lines ? shardFiles(previous.written) : null)
  const outdated = outdatedFiles(dir, encoded, modules, sound)
  if (job.check)
    return { ...compiled, outdated, stale: changedNames(before && readLines(dir, before), lines) }
  throwIfAborted(job)
  const cache = encodeCache({ header: hash('sha256', encoded.header), files: read.files, linked, modules })
  if (outdated.length === 0) {
    if (!previous) saveCache(dir, cache)
    return compiled
  }
  const written = await timed(job, 'emit', () =>
    withDirectoryLock(dir, () =>
      readWritten(dir)?.text === before?.text ? writeIndex(dir, encoded, modules, cache, sound) : null,
    ),
  )
  return written === null ? 'overtaken' : { ...compiled, written }
}

interface ReadyModules extends UnitModules {
  /** The last compile's lines, for the records that still hold. */
  lines: Lines | null
  /** By digest of a schema: the file that it was compiled to. */
  validators: Map<string, string>
  /** Those of `files` that code was compiled to. */
  moduleFiles: string[]
}

/** Makes the directory's code modules, and the records of everything that the last compile's no longer serve. */
async function makeModules(
  directory: ProjectDirectory,
  read: ReadSkills,
  walked: WalkedDirectory,
  previous: PreviousCompile | null,
  { check }: Job,
): Promise<ReadyModules | 'unchanged' | 'overtaken'> {
  const { dir } = directory
  const cache = previous?.cache ?? null
  const isSame = (path: string): boolean => cache !== null && isSameFile(dir, path, cache)
  const bundled = await bundleUnits(dir, read.units, cache, isSame)
  const validators = soundValidators(dir, cache?.validators)
  const areWhole = validators.size === (cache?.validators.size ?? 0)
  if (previous && areWhole && isUnchanged(directory, walked, read, bundled, previous)) return 'unchanged'
  const lines = previous && readLines(dir, previous.written)
  const unready = new Set([
    ...read.units.filter(({ tools }) => tools.some(({ fresh, written }) => !fresh && !(lines && written))),
    ...unitsWithNewModules(read.units, bundled, cache),
    ...(areWhole ? [] : unitsWithLostValidators(read.units, validators)),
  ])
  if (!(await rereadUnits(dir, [...unready], walked.skills))) return 'overtaken'
  await attachModules(dir, read.units, bundled, { evaluate: check ? 'written' : 'all' })
  const inputs = new Set([...bundled.modules.values()].flatMap(module => module.inputs))
  rememberFiles(dir, inputs, read.files, walked.walkedAt)
  const schemas = await compileValidators(read.units, validators)
  return {
    ...bundled,
    files: [...new Set([...bundled.files, ...schemas.files.values()])].sort(),
    outputs: new Map([...bundled.outputs, ...schemas.outputs]),
    lines,
    validators: schemas.files,
    moduleFiles: bundled.files,
  }
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

/** Files inside the directory that are part of modules and no skills of their own: a reader looks at them too. */
function otherInputs({ units, files }: ReadSkills, { modules }: UnitModules): Map<string, CachedFile> {
  const skills = new Set(units.map(({ path }) => path))
  const inputs = [...modules.values()]
    .flatMap(module => module.inputs)
    .filter(path => isInside(path) && !skills.has(path))
  return new Map(
    inputs.flatMap(path => {
      const file = files.get(path)
      return file ? [[path, file] as const] : []
    }),
  )
}

/** The last compile of a directory, as far as this one can build on it. */
interface PreviousCompile {
  cache: CompileCache
  written: WrittenIndex
}

function previousCompile(directory: string, written: WrittenIndex | null): PreviousCompile | null {
  const cache = written && readCache(directory)
  if (cache === null || written === null || hash('sha256', written.text) !== cache.header) return null
  return shardsHold(directory, written, cache.savedAt) ? { cache, written } : null
}

interface WalkedDirectory extends Walk {
  /** Milliseconds since the epoch. */
  walkedAt: number
}

function walkDirectory({ dir, isIgnored }: ProjectDirectory, job: Job): WalkedDirectory {
  throwIfAborted(job)
  const walkedAt = Date.now()
  const walked = walk(dir, { isIgnored, describesEntry })
  job.total += walked.skills.length
  return { ...walked, walkedAt }
}

function readOptions({ walkedAt }: WalkedDirectory, job: Job): ReadOptions {
  const onFile = (): void => {
    throwIfAborted(job)
    job.done++
    job.onProgress?.({ done: job.done, total: job.total })
  }
  return { walkedAt, onFile }
}

function headerFields(
  { ignore }: ProjectDirectory,
  walked: Walk,
  { units, given }: LinkedDirectory,
  modules: UnitModules,
): HeaderFields {
  const skipped = units.filter(({ path }) => !given.has(path)).length + leftOut(walked)
  const files = units.length + leftOut(walked)
  return {
    ignore,
    listing: listingDigest(walked),
    counts: { files, found: files - skipped, skipped },
    modules: modules.files,
  }
}

/** True where nothing was read anew and the directory lists the same, so that the index is right as it stands. */
function isUnchanged(
  { ignore }: ProjectDirectory,
  walked: WalkedDirectory,
  read: ReadSkills,
  { outputs }: UnitModules,
  { cache, written: { header } }: PreviousCompile,
): boolean {
  const now = [ignore, listingDigest(walked), read.units.length + leftOut(walked)]
  const before = [header.ignore, header.listing, header.counts?.files]
  const isSame = JSON.stringify(now) === JSON.stringify(before)
  return isSame && read.parsed === 0 && read.units.length === cache.units.size && outputs.size === 0
}

function listingDigest({ listing }: Walk): string {
  return hash('sha256', listingText(listing))
}

/** How many files would be skills if they lay elsewhere. */
function leftOut({ skipped }: Walk): number {
  return skipped.filter(({ counts }) => counts).length
}

async function timed<Result>(
  { timings }: Job,
  stage: Stage,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const started = performance.now()
  try {
    return await work()
  } finally {
    timings[stage] += performance.now() - started
  }
}

function throwIfAborted({ signal }: Job): void {
  if (!signal?.aborted) return
  throw new AgentAppsError('COMPILE_ABORTED', 'The compile was aborted.', {
    hint: 'Run it again. The indexes not yet written are as they were.',
    cause: signal.reason,
  })
}
