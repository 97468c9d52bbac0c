import type { LinkedDirectory } from '../records/linked-directory.js'
import type { ParsedTool } from '../records/parsed-tool.js'
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
  /**
   * Parses a skill file again for the parts of a tool that no compile keeps; undefined where the tool is
   * gone.
   */
  parseTool: (file: string, name: string) => Promise<ParsedTool | undefined>
}
