import { disk } from '#disk'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { loadParser } from './read-files.js'

/** A place in a skill's file. */
export interface WrittenPlace {
  /** Absolute. */
  file: string
  /** From 1; absent where there is no reader of skill files. */
  position?: { line: number; column: number }
}

/** The place in which a part of a tool's metadata is written; null for a tool that a program registered. */
export async function writtenPlace(
  tool: ToolDef,
  path: readonly (string | number)[],
  globals: Globals,
): Promise<WrittenPlace | null> {
  const file = writtenFile(tool)
  if (file === null) return null
  const { name, origin } = tool
  const parser = await loadParser(globals)
  const state = sourceOf(tool)?.state
  const position = state && (await parser?.placeOf(state, origin.file, name, path))
  return { file, ...(position && { position }) }
}

/** A tool's file, absolute; null for one that a program registered. */
export function writtenFile({ origin }: ToolDef): string | null {
  return origin.entry === '' ? null : disk.resolve(origin.entry, origin.file)
}
