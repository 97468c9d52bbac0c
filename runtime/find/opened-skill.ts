import { disk } from '#disk'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { readDetails } from './read-details.js'

/**
 * An opened folder skill, with its folder and files, so that an agent finds a `scripts/x.py` that the content names.
 */
export interface OpenedSkill {
  content: string
  /** The skill's folder, absolute. Absent without a file system, and in a bundle. */
  directory?: string
  /** Its other files, in order of path, relative to its folder. Size in bytes. */
  resources: { path: string; size: number }[]
}

/** Adds the folder and the other files of a skill to its content. */
export async function openSkill(tool: ToolDef, content: string, globals: Globals): Promise<OpenedSkill> {
  return { content, ...(await readFolder(tool, globals)) }
}

/** Lists the folder of a skill and its other files. */
export async function readFolder(tool: ToolDef, globals: Globals): Promise<Omit<OpenedSkill, 'content'>> {
  const { resources } = await readDetails(tool, globals)
  const source = tool.kind === 'folder' ? sourceOf(tool) : undefined
  return {
    ...(disk.via !== 'bundle' &&
      source && { directory: disk.resolve(source.state.dir, source.record.file, '..') }),
    resources: resources.map(({ path, size }) => ({ path, size })),
  }
}
