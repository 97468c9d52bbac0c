import { hash } from 'node:crypto'
import { AgentAppsError } from '../src/error.js'
import { listingText } from '../src/index-format.js'
import { describesEntry } from './1-read/describes-entry.js'
import { makeRecords, type ReadOptions, type ReadSkills, readSkills } from './1-read/read-skills.js'
import { type Walk, walk } from './1-read/walk.js'
import { linkDirectory, outcomes } from './2-resolve/link.js'
import { withDirectoryLock } from './3-emit/directory-lock.js'
import { changedNames, encodeIndex, type HeaderFields, type Lines } from './3-emit/encode-index.js'
import { recordLines } from './3-emit/record-lines.js'
import {
  outdatedFiles,
  readLines,
  readWritten,
  saveCache,
  shardsHold,
  type WrittenIndex,
  writeIndex,
} from './3-emit/write-index.js'
import { type CompileCache, encodeCache, readCache } from './compile-cache.js'
import type { LinkedDirectory } from './linked-directory.js'
import { type ProjectDirectory, type ProjectOptions, projectDirectories, shownPath } from './project.js'
import { type Report, report } from './report.js'

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

type Stage = 'walk' | 'read' | 'link' | 'emit'

/**
 * Compiles the skills of a project's directories: finds them, reads what changed, makes each directory's table
 * of names and writes it as an index. Faults of skills are diagnostics of the result, never thrown.
 *
 * @throws DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, CONFIG_*, INDEX_NOT_WRITABLE, INDEX_LOCKED, COMPILE_ABORTED
 */
export async function compile(options: CompileOptions = {}): Promise<CompileResult> {
  const directories = await projectDirectories(options)
  const job: Job = { ...options, done: 0, total: 0, timings: { walk: 0, read: 0, link: 0, emit: 0 } }
  const compiled: CompiledDirectory[] = []
  for (const directory of directories) compiled.push(await compileDirectory(directory, job))
  const outcome = outcomes(compiled.map(({ linked }) => linked))
  return {
    ...report(compiled.map((part, index) => ({ ...part, outcomes: outcome[index] ?? new Map() }))),
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

/** The pipeline: walk → read → link → emit. Overtaken where something changed under it meanwhile. */
async function attempt(directory: ProjectDirectory, job: Job): Promise<CompiledDirectory | 'overtaken'> {
  const { dir } = directory
  const before = readWritten(dir)
  const previous = job.force || job.check ? null : previousCompile(dir, before)
  const walked = timed(job, 'walk', () => walkDirectory(directory, job))
  const read = timed(job, 'read', () =>
    readSkills(walked.skills, previous?.cache ?? null, readOptions(walked, job)),
  )
  const linked = timed(job, 'link', () => linkDirectory(read.units))
  const fields = headerFields(directory, walked, linked)
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
  if (previous && isUnchanged(read, fields, previous)) return compiled

  const lines = timed(job, 'emit', () => makeLines(dir, walked, linked, previous))
  if (lines === null) return 'overtaken'
  const encoded = timed(job, 'emit', () => encodeIndex(lines, fields))
  const outdated = outdatedFiles(dir, encoded)
  if (job.check) {
    return { ...compiled, outdated, stale: changedNames(before && readLines(dir, before), lines) }
  }
  throwIfAborted(job)
  const cache = encodeCache({ header: hash('sha256', encoded.header), files: read.files, linked })
  if (outdated.length === 0) {
    if (!previous) saveCache(dir, cache)
    return compiled
  }
  const started = performance.now()
  const written = await withDirectoryLock(dir, () =>
    readWritten(dir)?.text === before?.text ? writeIndex(dir, encoded, cache) : null,
  )
  job.timings.emit += performance.now() - started
  return written === null ? 'overtaken' : { ...compiled, written }
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
): HeaderFields {
  const elsewhere = walked.skipped.filter(({ counts }) => counts).length
  const skipped = units.filter(({ path }) => !given.has(path)).length + elsewhere
  const files = units.length + elsewhere
  return {
    ignore,
    listing: hash('sha256', listingText(walked.listing)),
    counts: { files, found: files - skipped, skipped },
  }
}

function isUnchanged(
  read: ReadSkills,
  { ignore, listing, counts }: HeaderFields,
  { cache, written }: PreviousCompile,
): boolean {
  const { header } = written
  const same =
    JSON.stringify([ignore, listing, counts]) ===
    JSON.stringify([header.ignore, header.listing, header.counts])
  return read.parsed === 0 && read.units.length === cache.units.size && same
}

/** The index's lines, those of the last compile where they still hold; null where a file changed since it was read. */
function makeLines(
  directory: string,
  { skills }: Walk,
  linked: LinkedDirectory,
  previous: PreviousCompile | null,
): Lines | null {
  const lines = previous && readLines(directory, previous.written)
  // What the last compile did not write (another file had the name then) is made after all.
  const unmade = linked.units.filter(({ tools }) =>
    tools.some(({ fresh, written }) => !fresh && !(lines && written)),
  )
  return makeRecords(unmade, skills) ? recordLines(linked, lines) : null
}

function timed<Result>({ timings }: Job, stage: Stage, work: () => Result): Result {
  const started = performance.now()
  try {
    return work()
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
