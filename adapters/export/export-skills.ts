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
import { gzipSync } from 'fflate'
import { packTar } from 'modern-tar'
import { checkOptionsOf } from '../check-options.js'
import { checkPlace, realFolder } from './check-place.js'
import { checkClashes, chooseTools, type LeftOut, ownTools } from './choose-tools.js'
import { byText, type ExportedFiles, exportedFile, inFolder, jsonFile, sha256 } from './exported-files.js'
import { pluginFiles, pluginName } from './plugin.js'
import { type ExportedSkill, exportedSkill, SKILL_FILE } from './skill-files.js'
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

/** The result of an export. Names and paths are sorted. */
export interface ExportResult {
  /** The folder, absolute. */
  dir: string
  /** The skills, with their exported names. */
  skills: { name: string; tool: string; files: number }[]
  /** The tools that a plugin's server serves. */
  tools: string[]
  leftOut: LeftOut[]
  /** The features that skills lose. */
  remarks: { tool: string; message: string }[]
  diagnostics: Diagnostic[]
  /** The new and changed files, relative to `dir`. */
  written: string[]
  /** The files of the last export that this one lacks. */
  removed: string[]
}

const OPTIONS = ['to', 'dir', 'cwd', 'config', 'paths', 'patterns', 'name', 'dryRun']
const TARGETS = ['well-known', 'plugin', 'skills']

/**
 * Writes a project's skills in a form that other hosts read. It writes only `dir`, except that exporting a plugin with code
 * compiles the project first.
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
    // Within a turn, files are seen as they were at its start.
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

/** Opens the project as a program of its author would, but without the environment: the export is for others. */
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
  /** The faults of plugin manifests, which keep directories from being searched. */
  faults: Diagnostic[]
}

function nothing(leftOut: readonly LeftOut[], patterns: ExportOptions['patterns']): AgentAppsError {
  const [first] = leftOut
  return new AgentAppsError(
    'EXPORT_EMPTY',
    first
      ? `Nothing can be exported: ${first.tool} ${first.reason}${leftOut.length > 1 ? `, and ${leftOut.length - 1} more are left out` : ''}.`
      : `There is nothing to export${patterns === undefined ? '' : `: no skill matches ${[patterns].flat().join(' ')}`}.`,
    {
      hint: '`agent-apps list` shows the tools of the project, and docs/export.md explains which are exported.',
    },
  )
}

function checkOptions(options: ExportOptions): void {
  const {
    to,
    dir,
    name,
    dryRun = false,
    patterns = [],
  } = options as Partial<Record<keyof ExportOptions, unknown>>
  const { keys, oneOf, invalid } = checkOptionsOf('exportSkills')
  keys(options, OPTIONS)
  oneOf('to', to ?? null, TARGETS)
  if (typeof dir !== 'string' || dir === '') throw invalid('needs a `dir`', 'Name the folder to write.')
  if (name !== undefined && to !== 'plugin')
    throw invalid('takes a `name` only for a plugin', 'Leave it out, or export a plugin.')
  if (typeof dryRun !== 'boolean') throw invalid('takes a boolean as `dryRun`', 'Give true or false.')
  if (!Array.isArray(patterns) || patterns.some(one => typeof one !== 'string'))
    throw invalid('takes an array of strings as `patterns`', 'Put a single pattern into an array.')
}

/** Identifies version 0.2.0 of the discovery index. */
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

/**
 * The files of `/.well-known/agent-skills/`: the index, and each skill as a single file or an archive of its folder. URLs
 * are relative to the index, so that it can be served below any path.
 */
async function wellKnownFiles(skills: readonly ExportedSkill[]): Promise<ExportedFiles> {
  const files: ExportedFiles = new Map()
  const entries: object[] = []
  for (const { name, description, files: own } of skills) {
    const isArchive = own.size > 1
    const file = isArchive ? `${name}.tar.gz` : SKILL_FILE
    const artifact = isArchive ? exportedFile(await archive(own)) : own.get(SKILL_FILE)
    if (!artifact) continue
    for (const [path, one] of inFolder(name, new Map([[file, artifact]]))) files.set(path, one)
    entries.push({
      name,
      type: isArchive ? 'archive' : 'skill-md',
      description,
      url: `${name}/${file}`,
      digest: `sha256:${sha256(artifact.bytes)}`,
    })
  }
  files.set('index.json', jsonFile({ $schema: SCHEMA, skills: entries }))
  return files
}

/**
 * A `.tar.gz` with the same bytes on every machine: sorted, without times and owners, with one of two modes, and compressed
 * by a library, since Node's zlib differs between versions.
 */
async function archive(files: ExportedFiles): Promise<Uint8Array> {
  const sorted = [...files].sort(([a], [b]) => byText(a, b))
  const tar = await packTar(
    sorted.map(([name, { bytes, isExecutable }]) => ({
      header: {
        ...{ name, size: bytes.length, type: 'file', mode: isExecutable ? 0o755 : 0o644 },
        ...{ mtime: new Date(0), uid: 0, gid: 0 },
      },
      body: bytes,
    })),
  )
  return gzipSync(tar, { level: 9, mtime: 0 })
}
