import { hash } from 'node:crypto'
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import { isJsonObject, type JsonObject } from '../../src/base/json.js'
import { nearest } from '../../src/base/nearest.js'
import { decodeProject, PROJECT_FILE } from '../../src/index/project-file.js'
import {
  agentsProblem,
  type ConfiguredAgent,
  type ConfiguredPolicy,
  policyProblem,
} from '../../src/policy/configured-policy.js'
import { readYaml } from '../1-read/frontmatter/yaml.js'
import { type Place, toDiagnostic } from '../diagnostics/diagnostics.js'
import { placeAt } from '../diagnostics/source-text.js'
import { projectRoot } from '../esbuild/project-root.js'
import { readRegularFile } from '../files/regular-file.js'
import { temporaryName } from '../files/temporary-files.js'

/** `never`: a configuration in code is not run, and is read as compiled if it is not literal. */
export type Evaluate = boolean | 'never'

export async function readConfig(file: string, evaluate: Evaluate): Promise<unknown> {
  try {
    if (file.endsWith('package.json')) return manifestConfig(file)
    if (file.endsWith('.json')) return await readJson(file)
    if (/\.ya?ml$/.test(file)) return await readYamlConfig(file)
    if (evaluate === 'never') return await literalConfig(file).catch(error => asCompiled(file, error))
    if (!evaluate) return await literalConfig(file)
    return file.endsWith('.ts') ? await importTypeScript(file) : await importDefault(file)
  } catch (error) {
    if (isAgentAppsError(error)) throw error
    throw configInvalid(file, `cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** @throws CONFIG_INVALID at the place where the file is not JSON */
async function readJson(file: string): Promise<unknown> {
  const text = readRegularFile(file).toString()
  try {
    return JSON.parse(text)
  } catch (error) {
    const { jsonFault } = await import('../diagnostics/source-text.js')
    const { place, problem } = jsonFault(text, error)
    throw configInvalid(file, problem, { cause: error, position: place })
  }
}

/**
 * The `agent-apps` key of a package.json; undefined without one. A package.json that is not JSON is not
 * ours to report.
 */
export function manifestConfig(manifest: string): unknown {
  try {
    return (JSON.parse(readRegularFile(manifest).toString()) as Record<string, unknown>)['agent-apps']
  } catch {
    return undefined
  }
}

/** The compiled form of a configuration in code that is not run; empty without one, so that skills are discovered. */
function asCompiled(file: string, error: unknown): unknown {
  if (!isAgentAppsError(error) || error.code !== 'NOT_EVALUATED') throw error
  const compiled = join(dirname(file), PROJECT_FILE)
  return (existsSync(compiled) && decodeProject(readRegularFile(compiled).toString())) || {}
}

/** More than a configuration has, and less than keeps a parser busy. */
const BYTES_MAX = 64 * 1024

/**
 * Reads a configuration in YAML, by the rules of frontmatter: nothing in it is code, and no alias makes a short
 * text a huge value.
 *
 * @throws CONFIG_INVALID
 */
function readYamlConfig(file: string): JsonObject {
  const bytes = readRegularFile(file)
  if (bytes.length > BYTES_MAX) throw configInvalid(file, `is longer than ${BYTES_MAX} bytes`)
  // A document may begin with a line of three dashes.
  const text = bytes.toString().replace(/^\uFEFF?---[ \t]*(?=\r?\n)/, '')
  const { value, problem } = readYaml(text)
  if (!problem) return value
  const position = placeAt(text, problem.offset)
  const { reason } = toDiagnostic(file, {
    rule: problem.rule,
    place: position,
    found: problem.found,
  })
  throw configInvalid(file, `is not usable YAML: ${reason}`, { position })
}

/** @throws NOT_EVALUATED */
async function literalConfig(file: string): Promise<unknown> {
  const { readLiteralDefault } = await import('../1-read/code/read-code.js')
  const language = file.endsWith('.ts') ? 'typescript' : 'javascript'
  const value = readLiteralDefault(readRegularFile(file).toString(), language)
  if (value !== undefined) return value
  throw new AgentAppsError(
    'NOT_EVALUATED',
    `The configuration ${file} is not evaluated: it is not a literal, and only \`compile\`, \`run\` and \`render\` run code of a project.`,
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

/** The error for a configuration with a fault. `problem` is the end of a sentence about its file. */
export function configInvalid(
  file: string,
  problem: string,
  details: { cause?: unknown; position?: Place } = {},
): AgentAppsError {
  const end = problem.endsWith('?') ? '' : '.'
  const { position } = details
  const place = position ? `${file}:${position.line}:${position.column}` : file
  return new AgentAppsError('CONFIG_INVALID', `The configuration ${place} ${problem}${end}`, {
    hint: 'See node_modules/agent-apps/docs/configuration.md for its fields.',
    file,
    ...details,
  })
}

/** The user's own limits of agents, in every project: they count as the host's, like a program's options. */
export interface UserConfig {
  policy?: ConfiguredPolicy & { trust?: { project?: 'ask' | 'allow' | 'deny' } }
  agents?: ConfiguredAgent[]
}

const FIELDS = ['policy', 'agents', '$schema']

/**
 * Reads the user's own configuration. A file inside a project's repository is ignored: an environment
 * variable may point there, and hosts load the `.env` of a clone.
 *
 * @throws CONFIG_INVALID
 */
export function readUserConfig(project: string): UserConfig {
  const { XDG_CONFIG_HOME = '' } = process.env
  const folder = isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), '.config')
  const file = join(folder, 'agent-apps/config.json')
  if (!existsSync(file) || realpathSync.native(file).startsWith(projectRoot(project) + sep)) return {}
  const value = parsed(file)
  const unknown = Object.keys(value).find(field => !FIELDS.includes(field))
  if (unknown !== undefined) {
    const near = nearest(unknown, FIELDS)
    throw configInvalid(file, `has a field \`${unknown}\`${near ? `; did you mean \`${near}\`?` : ''}`)
  }
  const { policy = {}, agents = [] } = value
  const { trust = {}, ...rest } = isJsonObject(policy) ? policy : { wrong: policy }
  const { project: answer = 'ask', ...others } = isJsonObject(trust) ? trust : { wrong: trust }
  const isTrust = Object.keys(others).length === 0 && ['ask', 'allow', 'deny'].includes(String(answer))
  const problem =
    policyProblem(rest) ??
    (isTrust ? null : '`policy.trust.project` must be "ask" or "allow" or "deny"') ??
    agentsProblem(agents)
  if (problem !== null) throw configInvalid(file, `is wrong: ${problem}`)
  const { $schema: _, ...config } = value
  return config
}

function parsed(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readRegularFile(file).toString())
    if (isJsonObject(value)) return value
  } catch (error) {
    throw configInvalid(file, `cannot be read: ${(error as Error).message}`, { cause: error })
  }
  throw configInvalid(file, 'must be a mapping')
}
