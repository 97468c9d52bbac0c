import { isJsonObject } from '../base/json.js'
import { checkOptions, type OptionTable } from '../base/options.js'
import type { PathEntry } from '../skill/path-entry.js'
import { INDEX_DIRECTORY } from './index-format.js'

/**
 * The file that `compile` writes beside the configuration, and that a runtime without `paths` reads: what the
 * configuration says, without the code that may say it.
 */
export const PROJECT_FILE = `${INDEX_DIRECTORY}/project.json`
const PROJECT_VERSION = 1

/** What a runtime needs of a configuration. What the configuration leaves out is absent here too. */
export interface ProjectFile {
  /** The path entries in search order. Directories are relative to the project's folder, or as configured. */
  paths: PathEntry[]
  freshness?: 'trust' | 'check'
  library?: boolean
  external?: readonly string[]
  env?: readonly string[]
}

const FIELDS: OptionTable<keyof ProjectFile> = {
  paths: 'paths',
  freshness: ['trust', 'check'],
  library: 'boolean',
  external: 'strings',
  env: 'strings',
}

/** The text of a project file: the same for the same configuration, on every machine. */
export function encodeProject({ paths, freshness, library, external, env }: ProjectFile): string {
  return `${JSON.stringify({ version: PROJECT_VERSION, paths, freshness, library, external, env }, null, 2)}\n`
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
    return project as unknown as ProjectFile
  } catch {
    return null
  }
}
