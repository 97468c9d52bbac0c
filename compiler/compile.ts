import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { OptionTable } from '../src/base/options.js'
import { cascadeKeyText } from '../src/index/index-format.js'
import { isSameFile, toolParser } from './1-read/read-skills.js'
import { cascadeInputDigest } from './2-resolve/cascade/cascade-tools.js'
import { type LocatedContents, projectContents } from './2-resolve/contents/project-contents.js'
import { tidyDirectory } from './3-emit/write-index.js'
import type { BundleOptions, BundleReport } from './4-bundle/bundle.js'
import { checkReferences } from './check/check-references.js'
import { unmatchedPatterns } from './check/unmatched-patterns.js'
import type { Finding, Message } from './diagnostics/diagnostics.js'
import { type CompiledDirectory, type DirectoryCascades, emitDirectory } from './pipeline/emit-directory.js'
import { type PreparedDirectory, prepareDirectory } from './pipeline/prepare-directory.js'
import { projectCascades } from './pipeline/project-cascades.js'
import { readProject } from './pipeline/read-project.js'
import { type Job, type Looks, type Progress, type Stage, throwIfAborted, timed } from './project/job.js'
import { isLibrary, libraryBelow } from './project/library.js'
import { checkProjectOptions } from './project/option-checks.js'
import { type Project, type ProjectOptions, shownPath } from './project/project.js'
import { type Report, report } from './project/report.js'
import { isReadAnew, type SkillUnit, type UnitTool } from './records/skill-unit.js'

/** Which project `compile` compiles, and how. */
export interface CompileOptions extends ProjectOptions, BundleOptions {
  /** Ignore what the last compile left. */
  force?: boolean | undefined
  /** Write nothing; `outdated` then says what would be written. */
  check?: boolean | undefined
  signal?: AbortSignal | undefined
  /** Called as files are read. */
  onProgress?: ((progress: Progress) => void) | undefined
}

export type { Progress } from './project/job.js'

/** What `compile` found and wrote. Nothing that is wrong with a skill is thrown: it stands in `diagnostics`. */
export interface CompileResult extends Report {
  /** The directories compiled, as shown paths. */
  directories: string[]
  /** Files written, as shown paths. */
  written: string[]
  /** Files of the bundle that were written, relative to `cwd`. */
  bundled: string[]
  /** Skill files that had not changed, so that they were not parsed. */
  reused: number
  /** Contents with directives that were searched anew: those of files that changed, or that include one which did. */
  rendered: number
  /** With `check`: the files that a compile would write, as shown paths; empty where all is up to date. */
  outdated: string[]
  /** With `check`: the names that the indexes have otherwise, have not, or have no longer. */
  stale: string[]
  /** Milliseconds spent in each stage. */
  timings: Record<Stage, number>
}

export const COMPILE_OPTIONS: OptionTable<Exclude<keyof CompileOptions, keyof ProjectOptions>> = {
  force: 'boolean',
  check: 'boolean',
  signal: 'object',
  onProgress: 'function',
  bundle: 'string',
  keep: 'strings',
  minify: 'boolean',
  sourcemap: 'boolean',
}

/**
 * Compiles the skills of a project's directories: finds them, reads what changed, makes each directory's table
 * of names, resolves what runs around each tool, and writes it all as indexes. Faults of skills are diagnostics of
 * the result, never thrown.
 *
 * @throws OPTIONS_INVALID, DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, CONFIG_*, INDEX_NOT_WRITABLE, INDEX_LOCKED, COMPILE_ABORTED, BUNDLE_*
 */
export async function compile(options: CompileOptions = {}): Promise<CompileResult> {
  checkProjectOptions('compile', options, COMPILE_OPTIONS)
  return compileProject(options)
}

/** The same with sound options, telling where it looks. */
export async function compileProject(options: CompileOptions, looks?: Looks): Promise<CompileResult> {
  const project = await readProject(options, options.check !== true, looks?.path)
  if (options.bundle !== undefined) (await import('./4-bundle/bundle.js')).checkBundle(project, options)
  const { check } = options
  const { made, outdated, ...result } = await compileRead(project, options, looks, (job, files) =>
    bundleOf(project, options, files, job),
  )
  return {
    ...result,
    bundled: check ? [] : made.files,
    outdated: check ? [...outdated, ...made.files] : outdated,
  }
}

/** What a project came to, and what was made of its indexes. */
interface CompiledProject<Made> extends Omit<CompileResult, 'bundled'> {
  made: Made
}

/**
 * The same with a project that was read.
 *
 * @param make makes what is made of the indexes; given those of their files that are out of date
 */
export async function compileRead<Made extends { diagnostics: Message[] }>(
  project: Project,
  options: CompileOptions,
  looks: Looks | undefined,
  make: (job: Job, outdated: readonly string[]) => Promise<Made>,
): Promise<CompiledProject<Made>> {
  const job: Job = {
    ...options,
    looks,
    done: 0,
    total: 0,
    written: new Set(),
    timings: { walk: 0, read: 0, modules: 0, link: 0, resolve: 0, contents: 0, emit: 0, bundle: 0 },
  }
  const compiled = await compileUndisturbed(project, job)
  const outdated = compiled.flatMap(({ directory, outdated: files }) =>
    files.map(file => shownPath(directory, file)),
  )
  const made = await timed(job, 'bundle', () => make(job, outdated))
  const told = report(
    await checkReferences(compiled, project, { links: false }),
    await unmatchedPatterns(compiled, project),
  )
  return {
    ...told,
    diagnostics: [...told.diagnostics, ...made.diagnostics],
    directories: project.directories.map(directory => shownPath(directory, '')),
    written: [...job.written],
    made,
    outdated,
    stale: compiled.flatMap(({ stale }) => stale),
    reused: compiled.reduce((sum, { reused }) => sum + reused, 0),
    rendered: compiled.reduce((sum, { rendered }) => sum + rendered, 0),
    timings: job.timings,
  }
}

/** Compiles until nothing changes under it meanwhile. */
async function compileUndisturbed(project: Project, job: Job): Promise<CompiledDirectory[]> {
  try {
    let compiled = await compileOnce(project, job)
    while (compiled === 'overtaken') compiled = await compileOnce(project, job)
    return compiled
  } finally {
    if (!job.check) for (const { dir } of project.directories) await tidyDirectory(dir)
  }
}

/** The files of the project's bundle that were written; where nothing is to be written, those that would be. */
async function bundleOf(
  project: Project,
  options: CompileOptions,
  outdated: readonly string[],
  job: Job,
): Promise<BundleReport> {
  const { bundle: file, check } = options
  if (file === undefined) return { files: [], diagnostics: [] }
  throwIfAborted(job)
  const { bundle, outdatedBundle } = await import('./4-bundle/bundle.js')
  if (!check) return bundle(project, options, job.looks)
  // It is made of the indexes, so that it is out of date with them.
  return outdated.length > 0 ? { files: [file], diagnostics: [] } : outdatedBundle(project, options)
}

/**
 * The pipeline: walk → read → modules → link, directory by directory; then the cascades and the contents of all
 * together; then emit.
 * Overtaken where something changed under it meanwhile.
 */
async function compileOnce(project: Project, job: Job): Promise<CompiledDirectory[] | 'overtaken'> {
  const prepared: PreparedDirectory[] = []
  for (const directory of project.directories) {
    const one = await prepareDirectory(directory, job)
    if (one === 'overtaken') return one
    prepared.push(one)
  }
  const cascades = await timed(job, 'resolve', () => cascadesOf(prepared, project))
  const contents = await timed(job, 'contents', () =>
    contentsOf(prepared, cascades, project, job.check !== true),
  )
  for (const one of prepared) for (const path of includedFiles(one)) job.looks?.path(path)
  const compiled: CompiledDirectory[] = []
  for (const [number, one] of prepared.entries()) {
    const emitted = await emitDirectory(
      one,
      cascades[number] as DirectoryCascades,
      contents[number] as LocatedContents,
      job,
    )
    if (emitted === 'overtaken') return emitted
    compiled.push(emitted)
  }
  return compiled
}

/** The files, absolute, that are part of a directory's modules and contents. */
function includedFiles({ directory: { dir }, linked, modules }: PreparedDirectory): Set<string> {
  const inModules = [...modules.modules.values()].flatMap(({ inputs }) => inputs)
  const inContents = linked.units.flatMap(({ tools }) => tools.flatMap(({ included = [] }) => included))
  return new Set([...inModules, ...inContents].map(path => join(dir, path)))
}

/** What each directory's cascades come to: what the last compile made of them, where nothing that they are made of changed. */
async function cascadesOf(
  prepared: readonly PreparedDirectory[],
  project: Project,
): Promise<DirectoryCascades[]> {
  const inputs = prepared.map(({ linked }) => cascadeInputDigest(linked))
  const library = libraryBelow(project)
  // The library's own cascades depend on nothing else.
  const key = hash(
    'sha256',
    isLibrary(project.directories)
      ? cascadeKeyText([], inputs[0] ?? null)
      : cascadeKeyText(inputs, library?.cascadeInput ?? null),
  )
  const elsewhere = project.others.map(({ dir }) => dir)
  if (prepared.every(one => isStillResolved(one, key, elsewhere))) {
    return prepared.map(({ previous }, number) => ({
      input: inputs[number] ?? '',
      key,
      records: null,
      findings: previous?.cache.cascadeFindings ?? new Map(),
      elsewhere,
    }))
  }
  const parts = prepared.map(({ directory, linked, walked: { skills } }) => ({
    directory,
    linked,
    skills,
    parseTool: toolParser(skills),
  }))
  const cascades = await projectCascades(parts, library, project)
  return cascades.map((resolved, number) => ({ input: inputs[number] ?? '', key, ...resolved, elsewhere }))
}

/** What the directives of each directory's contents come to: what the last compile made, where that holds. */
function contentsOf(
  prepared: readonly PreparedDirectory[],
  cascades: readonly DirectoryCascades[],
  project: Project,
  evaluate: boolean,
): Promise<LocatedContents[]> {
  const parts = prepared.map(
    ({ directory, linked, walked: { skills }, before, previous, recorded }, number) => ({
      directory,
      linked,
      skills,
      parseTool: toolParser(skills),
      recorded: before?.header.cascadeKey === cascades[number]?.key ? recorded : null,
      keptFindings(unit: SkillUnit): Finding[] | null {
        if (previous === null || previous.written.header.cascadeKey !== cascades[number]?.key) return null
        const { cache } = previous
        const isSame = (tool: UnitTool): boolean =>
          !isReadAnew(tool) && (tool.included ?? []).every(file => isSameFile(directory.dir, file, cache))
        const findings = cache.contentFindings.get(unit.path) ?? []
        // What is at fault may lie in another file.
        const isSound = findings.every(
          ({ rule }) => rule === 'directive-unknown' || rule === 'directive-idle',
        )
        return isSound && unit.tools.every(isSame) ? [...findings] : null
      },
    }),
  )
  return projectContents(parts, libraryBelow(project), project, evaluate)
}

/** True where the last compile resolved from the same, and no file that it found at fault was written anew. */
function isStillResolved(
  { previous, linked }: PreparedDirectory,
  key: string,
  elsewhere: readonly string[],
): boolean {
  if (previous?.written.header.cascadeKey !== key) return false
  const { cascadeFindings } = previous.cache
  if (previous.cache.elsewhere.join('\0') !== elsewhere.join('\0')) return false
  return linked.units.every(({ path, tools }) => !cascadeFindings.has(path) || !tools.some(isReadAnew))
}
