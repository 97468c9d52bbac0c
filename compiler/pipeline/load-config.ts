import { hash } from 'node:crypto'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import { isJsonObject } from '../../src/base/json.js'
import { nearest } from '../../src/base/nearest.js'
import { checkOptions, kindProblem, type OptionKind, type OptionTable } from '../../src/base/options.js'
import { isRefusal } from '../../src/base/refusal.js'
import { CONVENTIONAL_DIRECTORIES, isIgnoreEntry, type PathEntry } from '../../src/skill/path-entry.js'
import { readRegularFile } from '../files/regular-file.js'
import { temporaryName } from '../files/temporary-name.js'
import { CLOSELY, packagesProblem, wrongPathEntry } from '../project/option-checks.js'

/** The configuration in `agent-apps.config.*`, or in `agent-apps` of `package.json`. */
export interface Config {
  /** Where skills lie, searched left to right; directories relative to the configuration's own. */
  paths?: PathEntry[]
  /** Whether the runtime looks at source files before it trusts an index; see `docs/resolving.md`. */
  freshness?: 'trust' | 'check'
  /** Whether the skills that agent-apps ships are searched after all others. Default: true. */
  library?: boolean
  /** npm packages that are not bundled with skills' code, but found when it runs. */
  external?: string[]
  /** Names of the tools that a bundle keeps, as patterns, with what those lead to. Default: all. */
  keep?: string[]
  /** Variables of the environment that `${env.…}` in metadata and content may name. Default: none. */
  env?: string[]
}

const FIELDS: OptionTable<keyof Config> = {
  paths: 'paths',
  freshness: ['trust', 'check'],
  library: 'boolean',
  external: 'strings',
  keep: 'strings',
  env: 'strings',
}

/** The configuration that counts for a directory, and where it was found. */
export interface LoadedConfig {
  config: Config
  /** The file it came from, absolute; null where there is none. */
  file: string | null
  /** The path entries with every directory absolute; the conventional ones where none are configured. */
  paths: PathEntry[]
}

/** Where the configuration is looked for. */
export interface LoadConfigOptions {
  /** Where to begin looking. Default: the process's. */
  cwd?: string
  /** A configuration file to use instead of looking for one. */
  config?: string
  /**
   * Also search the conventional directories of the user's home; only for interactive hosts. Default: false.
   */
  global?: boolean
  /**
   * Whether a configuration that is code is run. Where it is not, it is read as far as it is literal.
   * Default: true.
   */
  evaluate?: boolean
}

const OPTIONS: OptionTable<keyof LoadConfigOptions> = {
  cwd: 'string',
  config: 'string',
  global: 'boolean',
  evaluate: 'boolean',
}

const CONFIG_FILES = [
  'agent-apps.config.ts',
  'agent-apps.config.js',
  'agent-apps.config.mjs',
  'agent-apps.config.json',
]
const HOME_DIRECTORIES = ['.agents/skills', '.claude/skills', '.agent-apps/tools']

/**
 * * The configuration that is nearest above a directory, with the conventional paths where it names none.
 *
 * @throws CONFIG_INVALID, CONFIG_NOT_FOUND, OPTIONS_INVALID; NOT_EVALUATED where it is code that would have
 * to be run
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  checkOptions('loadConfig', options, OPTIONS, CLOSELY)
  const { cwd = process.cwd(), config, global = false, evaluate = true } = options
  const file = config === undefined ? findConfig(resolve(cwd)) : explicitConfig(resolve(cwd, config))
  const loaded = file === null ? {} : checkConfig(await readConfig(file, evaluate), file)
  const base = file === null ? resolve(cwd) : dirname(file)
  const paths = loaded.paths?.map(entry => withAbsoluteDirectory(entry, base)) ?? conventionalPaths(base)
  return { config: loaded, file, paths: global ? [...paths, ...homePaths()] : paths }
}

/** A path entry with its directory made absolute; `~/` is the user's home. */
export function withAbsoluteDirectory(entry: PathEntry, base: string): PathEntry {
  if (typeof entry === 'string') return absolute(entry, base)
  return isIgnoreEntry(entry) ? entry : { ...entry, dir: absolute(entry.dir, base) }
}

function absolute(directory: string, base: string): string {
  if (directory === '~' || directory.startsWith('~/')) return join(homedir(), directory.slice(1))
  return isAbsolute(directory) ? directory : resolve(base, directory)
}

function conventionalPaths(base: string): PathEntry[] {
  return CONVENTIONAL_DIRECTORIES.map(directory => join(base, directory)).filter(isDirectory)
}

function homePaths(): PathEntry[] {
  return HOME_DIRECTORIES.map(directory => join(homedir(), directory))
    .filter(isDirectory)
    .map(dir => ({ dir, layer: 'global' as const, external: true }))
}

/** True also for a file that may not be looked at, which reading it reports. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch (error) {
    if (isRefusal(error)) return true
    throw error
  }
}

/**
 * The paths that decide on a configuration: the files looked for, and the conventional directories that count
 * without one.
 */
export function configuringPaths(cwd: string, config?: string): string[] {
  if (config !== undefined) return [resolve(cwd, config)]
  const found = findConfig(cwd)
  const paths = found === null ? CONVENTIONAL_DIRECTORIES.map(directory => join(cwd, directory)) : []
  for (let directory = cwd; ; directory = dirname(directory)) {
    paths.push(...[...CONFIG_FILES, 'package.json'].map(name => join(directory, name)))
    if (directory === dirname(found ?? '/') || directory === dirname(directory)) return paths
  }
}

function findConfig(cwd: string): string | null {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const file = CONFIG_FILES.map(name => join(directory, name)).find(existsSync)
    if (file !== undefined) return file
    const manifest = join(directory, 'package.json')
    if (existsSync(manifest) && manifestConfig(manifest) !== undefined) return manifest
    if (directory === dirname(directory)) return null
  }
}

function explicitConfig(file: string): string {
  if (existsSync(file)) return file
  throw new AgentAppsError('CONFIG_NOT_FOUND', `There is no configuration file ${file}.`, {
    hint: 'Correct --config, or leave it out to use the nearest one above the working directory.',
    file,
  })
}

async function readConfig(file: string, evaluate: boolean): Promise<unknown> {
  try {
    if (file.endsWith('package.json')) return manifestConfig(file)
    if (file.endsWith('.json')) return JSON.parse(readRegularFile(file).toString())
    if (!evaluate) return await literalConfig(file)
    return file.endsWith('.ts') ? await importTypeScript(file) : await importDefault(file)
  } catch (error) {
    if (isAgentAppsError(error)) throw error
    throw invalid(file, `cannot be read: ${(error as Error).message}`, error)
  }
}

/**
 * The `agent-apps` key of a package.json; undefined where it has none. A package.json that is no JSON is not
 * ours to report.
 */
function manifestConfig(manifest: string): unknown {
  try {
    return (JSON.parse(readRegularFile(manifest).toString()) as Record<string, unknown>)['agent-apps']
  } catch {
    return undefined
  }
}

/** @throws NOT_EVALUATED */
async function literalConfig(file: string): Promise<unknown> {
  const { readLiteralDefault } = await import('../1-read/code/read-code.js')
  const language = file.endsWith('.ts') ? 'typescript' : 'javascript'
  const value = readLiteralDefault(readRegularFile(file).toString(), language)
  if (value !== undefined) return value
  throw new AgentAppsError(
    'NOT_EVALUATED',
    `The configuration ${file} is not evaluated: it is no literal, and only \`compile\`, \`run\` and \`render\` run code of a project.`,
    {
      hint: 'Export an object of literals with nothing else beside it, or write it as agent-apps.config.json.',
      file,
    },
  )
}

async function importDefault(file: string): Promise<unknown> {
  // A module is imported once by its URL, so that a changed one needs another URL.
  const url = `${pathToFileURL(file).href}?${hash('sha256', readRegularFile(file)).slice(0, 16)}`
  const module: { default?: unknown } = await import(url)
  return module.default
}

/**
 * Node 20 reads no TypeScript, so a `.ts` configuration goes through esbuild into a file beside it, for as
 * long as it is read.
 */
async function importTypeScript(file: string): Promise<unknown> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [file],
    absWorkingDir: dirname(file),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    write: false,
    logLevel: 'silent',
  })
  const compiled = temporaryName(file, 'mjs')
  try {
    writeFileSync(compiled, outputFiles[0]?.contents ?? '')
    return await importDefault(compiled)
  } finally {
    rmSync(compiled, { force: true })
  }
}

function checkConfig(value: unknown, file: string): Config {
  if (!isJsonObject(value)) throw invalid(file, 'must be a mapping')
  for (const [field, found] of Object.entries(value)) {
    const known = Object.hasOwn(FIELDS, field) && FIELDS[field as keyof Config]
    // A field of another program is no fault; a misspelt field of ours would silently do nothing.
    const near = known ? null : nearest(field, Object.keys(FIELDS))
    if (near !== null) throw invalid(file, `has a field \`${field}\`; did you mean \`${near}\`?`)
    const fault = known && found !== undefined ? fieldProblem(field, found, known) : null
    if (fault !== null) throw invalid(file, `is wrong: ${fault}`)
  }
  return value
}

/** What is wrong with a field; null where nothing is. */
function fieldProblem(field: string, value: unknown, kind: OptionKind): string | null {
  const problem =
    kindProblem(value, kind, CLOSELY) ?? (field === 'external' ? packagesProblem(value as string[]) : null)
  return problem && `\`${field}\` ${problem}${field === 'paths' ? wrongPathEntry(value) : ''}`
}

function invalid(file: string, problem: string, cause?: unknown): AgentAppsError {
  const end = problem.endsWith('?') ? '' : '.'
  return new AgentAppsError('CONFIG_INVALID', `The configuration ${file} ${problem}${end}`, {
    hint: 'See node_modules/agent-apps/docs/configuration.md for what it may hold.',
    file,
    ...(cause !== undefined && { cause }),
  })
}
