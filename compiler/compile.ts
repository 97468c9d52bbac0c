import { join } from 'node:path'
import type { OptionTable } from '../src/base/options.js'
import { PROJECT_FILE } from '../src/index/project-file.js'
import type { LocatedContents } from './2-resolve/contents/project-contents.js'
import { tidyDirectory } from './3-emit/write-index.js'
import { isProjectWritten, writeProject } from './3-emit/write-project.js'
import type { BundleOptions, BundleReport } from './4-bundle/bundle.js'
import { checkReferences, unmatchedPatterns } from './check/check-references.js'
import { fromMessage, type Message } from './diagnostics/diagnostics.js'
import { type RuleSettings, withSetting } from './diagnostics/rule-settings.js'
import { Overtaken, type PreparedDirectory, startDirectory } from './pipeline/directory-stages.js'
import type { CompiledDirectory } from './pipeline/emit-stages.js'
import { COMPILE } from './pipeline/pipelines.js'
import type { DirectoryCascades } from './pipeline/project-stages.js'
import { readProject } from './pipeline/read-project.js'
import { checkProjectOptions } from './project/option-checks.js'
import { type Project, type ProjectOptions, type ReportOptions, shownPath } from './project/project.js'
import { type Report, report } from './project/report.js'
import { type Job, type Progress, runStages, type StageName, type WatchSink } from './project/stage.js'

/** The options of `compile`. */
export interface CompileOptions extends ReportOptions, BundleOptions {
  /** Ignore the results of the last compile. */
  force?: boolean | undefined
  /** Write nothing; `outdated` then lists the files that would be written. */
  check?: boolean | undefined
  /**
   * A file, `….d.ts`, that declares the names, arguments and results of all tools, for
   * `createRuntime<Tools>()`. Relative to `cwd`.
   */
  types?: string | undefined
  /** Stops the compile. */
  signal?: AbortSignal | undefined
  /** Called as files are read. */
  onProgress?: ((progress: Progress) => void) | undefined
}

export type { Progress } from './project/stage.js'

/** The findings and files of `compile`. Faults of skills are never thrown: they are in `diagnostics`. */
export interface CompileResult extends Report {
  /** Files written, as shown paths. */
  written: string[]
  /** Files of the bundle that were written, relative to `cwd`. */
  bundled: string[]
  /** How many skill files were not parsed, since they had not changed. */
  reused: number
  /**
   * How many contents with directives were compiled again: those of files that changed, or that include a
   * changed file.
   */
  rendered: number
  /** With `check`: the files that a compile would write, as shown paths; empty where all is up to date. */
  outdated: string[]
  /** With `check`: the names whose records in the indexes are missing, superfluous or different. */
  stale: string[]
  /** Milliseconds spent in each stage. */
  timings: Record<StageName, number>
}

export const COMPILE_OPTIONS: OptionTable<Exclude<keyof CompileOptions, keyof ProjectOptions>> = {
  force: 'boolean',
  check: 'boolean',
  rules: 'object',
  signal: 'object',
  onProgress: 'function',
  bundle: 'string',
  keep: 'strings',
  minify: 'boolean',
  sourcemap: 'boolean',
  host: 'string',
  types: 'string',
  libraryTypes: 'boolean',
}

/**
 * Compiles the skills of a project's directories: finds them, reads those that changed, makes each
 * directory's table of names, resolves the chain of each tool, and writes all of it as indexes. Faults of
 * skills are never thrown: they are diagnostics of the result.
 *
 * @throws OPTIONS_INVALID, DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, CONFIG_*, INDEX_NOT_WRITABLE, INDEX_LOCKED,
 * COMPILE_ABORTED, BUNDLE_*
 */
export async function compile(options: CompileOptions = {}): Promise<CompileResult> {
  checkProjectOptions('compile', options, COMPILE_OPTIONS)
  return compileProject(options)
}

/**
 * Compiles with options that were checked, and reports to `watchSink` every path that the result depends on.
 */
export async function compileProject(options: CompileOptions, watchSink?: WatchSink): Promise<CompileResult> {
  const project = await readProject(options, options.check !== true, watchSink?.path)
  if (options.bundle !== undefined) (await import('./4-bundle/bundle.js')).checkBundle(project, options)
  const { check, types } = options
  const place = types === undefined ? undefined : (await projectTypes()).typesPlace(project, types)
  const { made, outdated, ...result } = await compileRead(project, options, watchSink, async (job, files) => {
    const stale = await emitProject(project, job)
    if (place !== undefined)
      stale.push(
        ...(await (await projectTypes()).emitTypes(project, place, files, job, options.libraryTypes)),
      )
    return { ...(await bundleOf(project, options, files, job)), stale }
  })
  return {
    ...result,
    bundled: check ? [] : made.files,
    outdated: check ? [...outdated, ...made.stale, ...made.files] : outdated,
  }
}

const projectTypes = (): Promise<typeof import('./project-types.js')> => import('./project-types.js')

/** Writes the project's file, or with `check` returns it where it is out of date. */
async function emitProject({ projectFile }: Project, job: Job): Promise<string[]> {
  if (projectFile === null || isProjectWritten(projectFile)) return []
  const shown = shownPath(projectFile, PROJECT_FILE)
  if (job.check) return [shown]
  await writeProject(projectFile)
  job.written.add(shown)
  return []
}

/**
 * Compiles a project that has already been loaded.
 *
 * @param make makes something of the indexes, such as a bundle; its argument is the index files that are out
 *   of date
 */
export async function compileRead<Made extends { diagnostics: Message[] }>(
  project: Project,
  options: CompileOptions,
  watchSink: WatchSink | undefined,
  make: (job: Job, outdated: readonly string[]) => Promise<Made>,
): Promise<Omit<CompileResult, 'bundled'> & { made: Made }> {
  const job: Job = {
    ...options,
    watchSink,
    done: 0,
    total: 0,
    written: new Set(),
    timings: { walk: 0, read: 0, modules: 0, link: 0, resolve: 0, contents: 0, emit: 0, bundle: 0 },
  }
  const compiled = await compileUndisturbed(project, job)
  const outdated = compiled.flatMap(({ directory, outdated: files }) =>
    files.map(file => shownPath(directory, file)),
  )
  const made = await make(job, outdated)
  const found = await report(
    await checkReferences(compiled, project, { links: false }),
    await unmatchedPatterns(compiled, project),
    project,
  )
  return {
    ...found,
    diagnostics: [...found.diagnostics, ...(await setMessages(made.diagnostics, project.rules))],
    written: [...job.written],
    made,
    outdated,
    stale: compiled.flatMap(({ stale }) => stale),
    reused: compiled.reduce((sum, { reused }) => sum + reused, 0),
    rendered: compiled.reduce((sum, { rendered }) => sum + rendered, 0),
    timings: job.timings,
  }
}

/** Messages with the configured severities, without those whose rule is off. */
async function setMessages(messages: readonly Message[], rules: RuleSettings): Promise<Message[]> {
  if (messages.length === 0) return []
  const { toMessage } = await import('./diagnostics/to-message.js')
  return messages.flatMap(message => {
    const set = withSetting(fromMessage(message), rules)
    return set === null ? [] : [toMessage(set)]
  })
}

/** Compiles until nothing changes under it meanwhile. */
async function compileUndisturbed(project: Project, job: Job): Promise<CompiledDirectory[]> {
  try {
    for (;;) {
      try {
        return await compileOnce(project, job)
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error
      }
    }
  } finally {
    if (!job.check) for (const { dir } of project.directories) await tidyDirectory(dir)
  }
}

/** @throws Overtaken where something changed under it meanwhile */
async function compileOnce(project: Project, job: Job): Promise<CompiledDirectory[]> {
  const prepared: PreparedDirectory[] = []
  for (const directory of project.directories)
    prepared.push(await runStages(COMPILE.directory, startDirectory(directory, job), job))
  const { cascades, contents } = await runStages(COMPILE.project, { prepared, project, job }, job)
  for (const one of prepared) for (const path of includedFiles(one)) job.watchSink?.path(path)
  const compiled: CompiledDirectory[] = []
  for (const [number, one] of prepared.entries()) {
    const resolved = {
      ...one,
      cascades: cascades[number] as DirectoryCascades,
      contents: contents[number] as LocatedContents,
    }
    compiled.push((await runStages(COMPILE.emit, resolved, job)).compiled)
  }
  return compiled
}

/** The files, absolute, that are part of a directory's modules and contents. */
function includedFiles({ directory: { dir }, linked, modules }: PreparedDirectory): Set<string> {
  const inModules = [...modules.modules.values()].flatMap(({ inputs }) => inputs)
  const inContents = linked.units.flatMap(({ tools }) => tools.flatMap(({ included = [] }) => included))
  return new Set([...inModules, ...inContents].map(path => join(dir, path)))
}

/** Runs the stage that makes a bundle of the indexes. */
export async function runBundleStage<Made extends object>(
  job: Job,
  make: () => Promise<Made>,
): Promise<Made> {
  return (await runStages([{ name: 'bundle', run: async () => ({ made: await make() }) }], {}, job)).made
}

/** The files of the project's bundle that were written; with `check` those that would be. */
async function bundleOf(
  project: Project,
  options: CompileOptions,
  outdated: readonly string[],
  job: Job,
): Promise<BundleReport> {
  const { bundle: file, check } = options
  if (file === undefined) return { files: [], diagnostics: [] }
  return runBundleStage(job, async () => {
    const { bundle, outdatedBundle } = await import('./4-bundle/bundle.js')
    if (!check) return bundle(project, options, job.watchSink)
    // A bundle is made of the indexes, so it is out of date whenever they are.
    return outdated.length > 0 ? { files: [file], diagnostics: [] } : outdatedBundle(project, options)
  })
}
