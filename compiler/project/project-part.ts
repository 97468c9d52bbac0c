import { namespaceAt } from '../../src/index/namespace-at.js'
import type { LinkedDirectory } from '../records/linked-directory.js'
import type { ParsedTool } from '../records/parsed-tool.js'
import type { Unit } from '../records/unit.js'
import type { WalkedSkill } from '../records/walked.js'
import type { ProjectDirectory } from './project.js'

/** One of a project's directories with its table of names. Arrays of them are in search order. */
export interface LinkedPart {
  directory: ProjectDirectory
  linked: LinkedDirectory
}

/** A linked directory whose skill files can be read once more. */
export interface ProjectPart extends LinkedPart {
  skills: readonly WalkedSkill[]
  /** The units of the directory. */
  units: readonly Unit[]
  /**
   * Parses a skill file again for the parts of a tool that no compile keeps; undefined where the tool is
   * gone.
   */
  parseTool: (file: string, name: string) => Promise<ParsedTool | undefined>
}

/** The namespace in which a file of a directory is written; empty for none. */
export function namespaceOfFile(
  { directory: { namespace }, linked, units }: ProjectPart,
  file: string,
): string {
  return linked.namespaces.get(file) ?? namespaceAt(file, { namespace, units })
}
