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
 * The file that `compile` writes beside the configuration, and that a runtime without `paths` reads: the
 * configuration as data, even if it is written in code.
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

/** Encodes a project file: the same bytes for the same configuration, on every machine. */
export function encodeProject(project: ProjectFile): string {
  const { paths, freshness, library, external, env, policy, agents } = project
  const ordered = { paths, freshness, library, external, env, policy, agents }
  return `${JSON.stringify({ version: PROJECT_VERSION, ...ordered }, null, 2)}\n`
}

/**
 * Decodes a project file.
 *
 * @returns null unless `encodeProject` of this version wrote the text
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
