import { resolve } from 'node:path'
import {
  AgentAppsError,
  createRuntime,
  type Diagnostic,
  type PathEntry,
  type Runtime,
  type ToolDef,
} from 'agent-apps'
import { guessedDirectories, loadConfig } from 'agent-apps/compiler'
import { checkPlace, realFolder } from './check-place.js'
import { checkClashes, chooseTools, type LeftOut, ownTools } from './choose-tools.js'
import { byText, type ExportedFiles, inFolder } from './exported-files.js'
import { pluginFiles, pluginName } from './plugin.js'
import { type ExportedSkill, exportedSkill } from './skill-files.js'
import { wellKnownFiles } from './well-known.js'
import { writeExport } from './write-export.js'

export type { LeftOut } from './choose-tools.js'

/** The options of `exportSkills`. Any other key is OPTIONS_INVALID. */
export interface ExportOptions {
  /**
   * The kind of export: `well-known`, the discovery index of a website; `plugin`, a plugin for Claude Code;
   * `skills`, plain folders.
   */
  to: 'well-known' | 'plugin' | 'skills'
  /** The folder that is written, relative to `cwd`. */
  dir: string
  /** Default: the process's working directory. */
  cwd?: string | undefined
  /** The configuration file. Default: the one that is found from `cwd`. */
  config?: string | undefined
  /** Path entries, instead of those of the configuration. */
  paths?: PathEntry[] | undefined
  /** Exports only what one of these patterns matches. Default: all of the project's. */
  patterns?: readonly string[] | undefined
  /** The name of a plugin. Default: that of `package.json`, or of `cwd`. */
  name?: string | undefined
  /** Writes nothing, and returns what would be written. Default: false. */
  dryRun?: boolean | undefined
}

/** The exported files and skills. Names and paths are sorted. */
export interface ExportResult {
  /** The folder, absolute. */
  dir: string
  /** The skills, by their names there. */
  skills: { name: string; tool: string; files: number }[]
  /** The names of the tools that a plugin's server has. */
  tools: string[]
  leftOut: LeftOut[]
  /** The features that skills lose in the export. */
  remarks: { tool: string; message: string }[]
  /** The problems of the project that were found on the way. */
  diagnostics: Diagnostic[]
  /** The files that were new or changed, relative to `dir`. */
  written: string[]
  /** The files of the last export that this one does not have. */
  removed: string[]
}

const OPTIONS = ['to', 'dir', 'cwd', 'config', 'paths', 'patterns', 'name', 'dryRun']
const TARGETS = ['well-known', 'plugin', 'skills']

/**
 * Writes a project's skills in a form that other hosts read. Nothing but `dir` is written, except that a plugin with
 * code compiles the project first.
 *
 * @throws EXPORT_CLASH, EXPORT_EMPTY, EXPORT_PLACE, OPTIONS_INVALID; for a plugin with code also MODULE_MISSING and
 *   what `compileBundle` throws; what loading the configuration, directives and files throw
 */
export async function exportSkills(options: ExportOptions): Promise<ExportResult> {
  checkOptions(options)
  const cwd = realFolder(resolve(options.cwd ?? ''))
  const place = { cwd, dir: realFolder(resolve(cwd, options.dir)) }
  const name = options.to === 'plugin' ? pluginName(cwd, options.name) : ''
  const project = await open(cwd, options)
  try {
    // Files that change meanwhile are seen as they were at first.
    return await project.runtime.turn(() => exportProject(project, { ...options, ...place, name }))
  } finally {
    await project.runtime.close()
  }
}

async function exportProject(
  { runtime, paths, faults }: Project,
  options: ExportOptions & { cwd: string; name: string },
): Promise<ExportResult> {
  const { to, dir, cwd, patterns, dryRun = false } = options
  const tools = await ownTools(runtime, cwd, paths)
  checkPlace(dir, { cwd, paths, tools })
  const { texts, running, leftOut } = await chooseTools(runtime, tools, patterns, to === 'plugin')
  const served = to === 'plugin' ? running : []
  if (to !== 'plugin')
    leftOut.push(...running.map(({ name }) => ({ tool: name, reason: 'runs code, which only a plugin can' })))
  checkClashes(texts)
  const skills: ExportedSkill[] = []
  for (const tool of texts) {
    const skill = await exportedSkill(runtime, tool, () => to === 'plugin')
    if ('reason' in skill) leftOut.push(skill)
    else skills.push(skill)
  }
  if (skills.length + served.length === 0) throw nothing(leftOut, patterns)
  const files = await filesOf(skills, served, options)
  return {
    dir,
    skills: skills.map(({ name, tool, files }) => ({ name, tool: tool.name, files: files.size })),
    tools: served.map(({ name }) => name),
    leftOut: leftOut.sort((a, b) => byText(a.tool, b.tool)),
    remarks: skills.flatMap(({ tool, remarks }) => remarks.map(message => ({ tool: tool.name, message }))),
    diagnostics: [...faults, ...runtime.diagnostics()],
    ...writeExport(dir, files, dryRun),
  }
}

async function filesOf(
  skills: readonly ExportedSkill[],
  served: readonly ToolDef[],
  { to, cwd, name, config, paths }: ExportOptions & { cwd: string; name: string },
): Promise<ExportedFiles> {
  if (to === 'well-known') return wellKnownFiles(skills)
  const folders: ExportedFiles = new Map(skills.flatMap(skill => inFolder(skill.name, skill.files)))
  if (to === 'skills') return folders
  const project = { cwd, ...(config !== undefined && { config }), ...(paths && { paths }) }
  return pluginFiles(name, folders, served, project)
}

/** The project as a program of its author has it, without the author's environment: what is exported is for others. */
async function open(cwd: string, { config, paths }: ExportOptions): Promise<Project> {
  const loaded = paths
    ? null
    : await loadConfig({ cwd, trusted: true, ...(config !== undefined && { config }) })
  const searched = loaded ? [...loaded.paths, ...(await guessedDirectories(loaded.paths))] : (paths ?? [])
  const { freshness = 'check', library = true, external = [] } = loaded?.config ?? {}
  const runtime = createRuntime({ paths: searched, cwd, freshness, library, external, env: [] })
  return { runtime, paths: searched, faults: loaded?.faults ?? [] }
}

interface Project {
  runtime: Runtime
  paths: PathEntry[]
  /** The faults of plugin manifests that keep directories from being searched. */
  faults: Diagnostic[]
}

function nothing(leftOut: readonly LeftOut[], patterns: ExportOptions['patterns']): AgentAppsError {
  const [first] = leftOut
  return new AgentAppsError(
    'EXPORT_EMPTY',
    first
      ? `Nothing can be exported: ${first.tool} ${first.reason}${leftOut.length > 1 ? `, and ${leftOut.length - 1} more are left out` : ''}.`
      : `There is nothing to export${patterns === undefined ? '' : `: no skill matches ${[patterns].flat().join(' ')}`}.`,
    { hint: '`agent-apps list` shows the tools of the project, and docs/export.md says which are exported.' },
  )
}

function checkOptions(options: ExportOptions): void {
  const { to, dir, name, dryRun, patterns } = options as Partial<Record<keyof ExportOptions, unknown>>
  const unknown = Object.keys(options).find(key => !OPTIONS.includes(key))
  const problem =
    unknown !== undefined
      ? `There is no option ${JSON.stringify(unknown)} of \`exportSkills\`.`
      : !TARGETS.some(target => target === to)
        ? `The option "to" of \`exportSkills\` must be one of ${TARGETS.join(', ')}.`
        : typeof dir !== 'string' || dir === ''
          ? 'The option "dir" of `exportSkills` must name a folder.'
          : name !== undefined && to !== 'plugin'
            ? 'Only a plugin has a name.'
            : dryRun !== undefined && typeof dryRun !== 'boolean'
              ? 'The option "dryRun" of `exportSkills` must be a boolean.'
              : patterns !== undefined && !isStrings(patterns)
                ? 'The option "patterns" of `exportSkills` must be an array of strings.'
                : null
  if (problem === null) return
  throw new AgentAppsError('OPTIONS_INVALID', problem, { hint: `There are ${OPTIONS.join(', ')}.` })
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(one => typeof one === 'string')
}
