import { disk } from '#disk'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { loadParser } from './read-files.js'

export interface WrittenPlace {
  /** Absolute. */
  file: string
  /** From 1; absent without the compiler's reader. */
  position?: { line: number; column: number }
}

/** Finds the place of a part of a tool's metadata; null for a registered tool. */
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

/** A tool's file, absolute; null for a registered tool. */
export function writtenFile({ origin }: ToolDef): string | null {
  return origin.entry === '' ? null : disk.resolve(origin.entry, origin.file)
}
