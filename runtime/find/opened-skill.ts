import { disk } from '#disk'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { readDetails } from './read-details.js'

/**
 * The result for an agent that opens a folder skill, so that it finds the `scripts/x.py` that the text names.
 */
export interface OpenedSkill {
  content: string
  /** The skill's folder, absolute. Absent where there is no file system, and in a bundle. */
  directory?: string
  /** Its other files, in order of path, relative to its folder. Size in bytes. */
  resources: { path: string; size: number }[]
}

/** A folder skill's content with where its other files are. */
export async function openSkill(tool: ToolDef, content: string, globals: Globals): Promise<OpenedSkill> {
  return { content, ...(await readFolder(tool, globals)) }
}

/** The folder of a skill, and the list of its other files. */
export async function readFolder(tool: ToolDef, globals: Globals): Promise<Omit<OpenedSkill, 'content'>> {
  const { resources } = await readDetails(tool, globals)
  const source = tool.kind === 'folder' ? sourceOf(tool) : undefined
  return {
    ...(disk.via !== 'bundle' &&
      source && { directory: disk.resolve(source.state.dir, source.record.file, '..') }),
    resources: resources.map(({ path, size }) => ({ path, size })),
  }
}
