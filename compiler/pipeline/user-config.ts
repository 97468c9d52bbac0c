import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, sep } from 'node:path'
import { isJsonObject, type JsonObject } from '../../src/base/json.js'
import { nearest } from '../../src/base/nearest.js'
import {
  agentsProblem,
  type ConfiguredAgent,
  type ConfiguredPolicy,
  policyProblem,
} from '../../src/policy/configured-policy.js'
import { projectRoot } from '../esbuild/project-root.js'
import { readRegularFile } from '../files/regular-file.js'
import { configInvalid } from './read-config.js'

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
