import { isJsonObject } from '../base/json.js'
import { checkOptions, type OptionTable } from '../base/options.js'
import {
  agentsProblem,
  type ConfiguredAgent,
  type ConfiguredPolicy,
  policyProblem,
} from '../policy/configured-policy.js'
import type { PathEntry } from '../skill/path-entry.js'
import { INDEX_DIRECTORY } from './index-format.js'

/**
 * The file that `compile` writes beside the configuration, and that a runtime without `paths` reads: what the
 * configuration says, without the code that may say it.
 */
export const PROJECT_FILE = `${INDEX_DIRECTORY}/project.json`
const PROJECT_VERSION = 1

/** The parts of a configuration that a runtime needs. A field that the configuration leaves out is absent. */
export interface ProjectFile {
  /** The path entries in search order. Directories are relative to the project's folder, or as configured. */
  paths: PathEntry[]
  freshness?: 'trust' | 'check'
  library?: boolean
  external?: readonly string[]
  env?: readonly string[]
  /** The limits of agents, in effect as far as the project is trusted. */
  policy?: ConfiguredPolicy
  /** The agents that are called by their ids, once the project is trusted. */
  agents?: readonly ConfiguredAgent[]
}

const FIELDS: OptionTable<keyof ProjectFile> = {
  paths: 'paths',
  freshness: ['trust', 'check'],
  library: 'boolean',
  external: 'strings',
  env: 'strings',
  policy: 'object',
  agents: 'objects',
}

/** The text of a project file: the same for the same configuration, on every machine. */
export function encodeProject(project: ProjectFile): string {
  const { paths, freshness, library, external, env, policy, agents } = project
  const ordered = { paths, freshness, library, external, env, policy, agents }
  return `${JSON.stringify({ version: PROJECT_VERSION, ...ordered }, null, 2)}\n`
}

/**
 * Reads the text of a project file.
 *
 * @returns null for a text that `encodeProject` of this version did not write
 */
export function decodeProject(text: string): ProjectFile | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value) || value.version !== PROJECT_VERSION || value.paths === undefined) return null
    const { version: _, ...project } = value
    checkOptions(PROJECT_FILE, project, FIELDS)
    const { policy = {}, agents = [] } = project
    if (policyProblem(policy) ?? agentsProblem(agents)) return null
    return project as unknown as ProjectFile
  } catch {
    return null
  }
}
