import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import { AgentAppsError } from '../../src/base/error.js'
import { definedFields, isJsonObject } from '../../src/base/json.js'
import { nearestKey } from '../../src/base/nearest.js'
import {
  checkOptions,
  type Kind,
  kindProblem,
  type OptionKind,
  type OptionTable,
} from '../../src/base/options.js'
import { isRefusal } from '../../src/base/refusal.js'
import {
  agentsProblem,
  type ConfiguredAgent,
  type ConfiguredPolicy,
  type ConfiguredProject,
  narrowing,
  policyProblem,
} from '../../src/policy/configured-policy.js'
import { PATTERNS } from '../../src/policy/policy-options.js'
import { type Embedder, isEmbedder } from '../../src/search/embedder.js'
import { type DirectoryEntry, mapPaths, type PathEntry, placePaths } from '../../src/skill/path-entry.js'
import { type RuleSettings, ruleSettingsProblem } from '../diagnostics/rule-settings.js'
import { CLOSELY, packagesProblem, wrongPathEntry } from '../project/option-checks.js'
import { type ExpandedPaths, expandPaths } from './expand-paths.js'
import {
  configInvalid,
  type Evaluate,
  manifestConfig,
  readConfig,
  readUserConfig,
  type UserConfig,
} from './read-config.js'

/** The configuration in `agent-apps.config.*`, or in `agent-apps` of `package.json`. */
export interface Config {
  /** Path entries, searched left to right; directories relative to the configuration's own. */
  paths?: PathEntry[]
  /** `check` compares source files with the index before it is trusted; see `docs/resolving.md`. */
  freshness?: 'trust' | 'check'
  /** True if the skills that agent-apps ships are searched after all others. Default: true. */
  library?: boolean
  /**
   * False if indexes get no search file, so that the first search of a process reads every skill. An embedder, which only code can
   * be, has indexes get vectors, too. Default: true.
   */
  search?: boolean | Embedder
  /** npm packages that are not bundled with skills' code, but found when it runs. */
  external?: string[]
  /** Patterns of the tools that a bundle keeps, with everything they depend on. Default: all. */
  keep?: string[]
  /** Patterns of the tools that hosts have of their own, which `allowed-tools` may name. Default: none. */
  hostTools?: string | string[]
  /** Variables of the environment that `${env.…}` in metadata and content may name. Default: none. */
  env?: string[]
  /** The severity of rules, by name. Defaults: docs/rules.md. */
  rules?: RuleSettings
  /** The limits of agents. Before the project is trusted, only `deny` and the rules that ask or deny count. */
  policy?: ConfiguredPolicy
  /** Agents that `forAgent` knows by their ids, once the project is trusted. */
  agents?: ConfiguredAgent[]
}

const SEARCH: Kind = [
  'a boolean, or an object with a function `embed` and a string `model`',
  value => typeof value === 'boolean' || (isJsonObject(value) && isEmbedder(value)),
]

const FIELDS: OptionTable<keyof Config> = {
  paths: 'paths',
  freshness: ['trust', 'check'],
  library: 'boolean',
  search: SEARCH,
  external: 'strings',
  keep: 'strings',
  hostTools: PATTERNS,
  env: 'strings',
  rules: 'object',
  policy: 'object',
  agents: 'objects',
}

/** The configuration that counts for a directory, and where it was found. */
export interface LoadedConfig {
  config: Config
  /** Its file, absolute; null without one. */
  file: string | null
  /** The path entries with every directory absolute; where none are configured, the repository as a whole. */
  paths: PathEntry[]
  /** The configuration's part about agents, for createRuntime, which applies it as far as the project is trusted. */
  project: ConfiguredProject
  /** The user's own configuration of agents, if `global` asks for it. */
  user: UserConfig
  /** The faults of plugin manifests for which directories that globs match are left out. `file` is absolute. */
  faults: Diagnostic[]
}

/** The places in which a configuration is looked for. */
export interface LoadConfigOptions {
  /** The folder to begin in. Default: the process's. */
  cwd?: string
  /** A configuration file to use instead of looking for one. */
  config?: string
  /**
   * Also search the conventional directories of the user's home; only for interactive hosts. Default: false.
   */
  global?: boolean
  /**
   * False: a configuration in code is not run, and must be literal. Default: as `trusted`;
   * then values that are not literal are read as `compile` wrote them, or left out.
   */
  evaluate?: boolean
  /**
   * True: you trust the whole configuration. Otherwise `paths` belong to a project whose code agents get
   * only once a person trusts it, and `config` is without `env`, `agents` and every allowing part of
   * `policy`. Default: false.
   */
  trusted?: boolean
}

const OPTIONS: OptionTable<keyof LoadConfigOptions> = {
  cwd: 'string',
  config: 'string',
  global: 'boolean',
  evaluate: 'boolean',
  trusted: 'boolean',
}

const CONFIG_FILES = [
  'agent-apps.config.ts',
  'agent-apps.config.js',
  'agent-apps.config.mjs',
  'agent-apps.config.json',
  'agent-apps.config.yaml',
  'agent-apps.config.yml',
]
const HOME_DIRECTORIES = ['.agents/skills', '.claude/skills', '.agent-apps/tools']

/**
 * Loads the nearest configuration at or above a directory. If it names no paths, its directory is a repository
 * whose skills are to be discovered.
 *
 * @throws CONFIG_INVALID, CONFIG_NOT_FOUND, OPTIONS_INVALID; NOT_EVALUATED where it is code that would have
 * to be run
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  checkOptions('loadConfig', options, OPTIONS, CLOSELY)
  const { trusted = false } = options
  const evaluate = options.evaluate ?? (trusted || 'never')
  const loaded = await readConfiguration({ ...options, evaluate })
  return trusted ? loaded : untrusted(loaded)
}

/** Narrows a configuration that is not trusted. The user's own directories are. */
function untrusted(loaded: LoadedConfig): LoadedConfig {
  const { env: _, agents: __, policy, ...config } = loaded.config
  return {
    ...loaded,
    config: { ...config, ...(policy && { policy: narrowing(policy) }) },
    paths: mapPaths(loaded.paths, (dir, _, entry) => [
      typeof entry === 'object' && 'layer' in entry && entry.layer === 'global' && isOfHome(dir)
        ? entry
        : { ...(typeof entry === 'string' ? {} : (entry as DirectoryEntry)), dir, trust: 'ask' },
    ]),
  }
}

function isOfHome(directory: string): boolean {
  return HOME_DIRECTORIES.some(name => join(homedir(), name) === directory)
}

/**
 * Loads a configuration with options that were checked.
 *
 * @param onPath called with each directory in which a new entry could match a glob of its paths, and with
 *   each manifest beside a match
 */
export async function readConfiguration(
  options: Omit<LoadConfigOptions, 'evaluate'> & { evaluate?: Evaluate },
  onPath?: (path: string) => void,
): Promise<LoadedConfig> {
  const { cwd = process.cwd(), config, global = false, evaluate = true } = options
  const file = config === undefined ? findConfig(resolve(cwd)) : explicitConfig(resolve(cwd, config))
  const loaded = file === null ? {} : checkConfig(await readConfig(file, evaluate), file)
  const base = file === null ? resolve(cwd) : dirname(file)
  const { paths, faults } = loaded.paths
    ? await absolutePaths(loaded.paths, base, onPath)
    : { paths: [{ dir: base, discover: true }], faults: [] }
  const { policy, agents, env } = loaded
  return {
    config: loaded,
    file,
    paths: global ? [...paths, ...homePaths()] : paths,
    project: { root: base, ...definedFields({ policy, agents, env }) },
    user: global ? readUserConfig(base) : {},
    faults,
  }
}

/** Path entries with each directory made absolute, and each glob replaced by the directories that it matches. */
export function absolutePaths(
  paths: readonly PathEntry[],
  base: string,
  onPath?: (path: string) => void,
): Promise<ExpandedPaths> {
  return expandPaths(
    placePaths(paths, directory => absoluteDirectory(directory, base)),
    onPath,
  )
}

/** A directory as configured, made absolute; `~/` is the user's home. */
export function absoluteDirectory(directory: string, base: string): string {
  if (directory === '~' || directory.startsWith('~/')) return join(homedir(), directory.slice(1))
  return isAbsolute(directory) ? directory : resolve(base, directory)
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

/** The paths that decide on a configuration: the files looked for. */
export function configuringPaths(cwd: string, config?: string): string[] {
  if (config !== undefined) return [resolve(cwd, config)]
  const found = findConfig(cwd)
  const paths: string[] = []
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

function checkConfig(value: unknown, file: string): Config {
  if (!isJsonObject(value)) throw configInvalid(file, 'must be a mapping')
  for (const [field, found] of Object.entries(value)) {
    const known = Object.hasOwn(FIELDS, field) && FIELDS[field as keyof Config]
    // Fields of other programs are allowed; a misspelt field of ours would silently do nothing.
    const near = known ? null : nearestKey(field, Object.keys(FIELDS))
    if (near !== null) throw configInvalid(file, `has a field \`${field}\`; did you mean \`${near}\`?`)
    const fault = known && found !== undefined ? fieldProblem(field, found, known) : null
    if (fault !== null) throw configInvalid(file, `is wrong: ${fault}`)
  }
  return value
}

/** The fault of a field; null without one. */
function fieldProblem(field: string, value: unknown, kind: OptionKind): string | null {
  const problem =
    kindProblem(value, kind, CLOSELY) ??
    (field === 'external' ? packagesProblem(value as string[]) : null) ??
    (field === 'rules' ? ruleSettingsProblem(value) : null) ??
    (field === 'policy' ? policyProblem(value) : null) ??
    (field === 'agents' ? agentsProblem(value) : null)
  return problem?.startsWith('`')
    ? problem
    : problem && `\`${field}\` ${problem}${field === 'paths' ? wrongPathEntry(value) : ''}`
}
