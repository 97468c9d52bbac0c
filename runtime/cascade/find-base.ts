import { disk } from '#disk'
import type { CascadeTool } from '../../src/cascade/types.js'
import { namespaceOf } from '../../src/skill/names.js'
import { parseReference } from '../../src/skill/reference.js'
import { brokenFault, shadowedFault } from '../../src/skill/skill-faults.js'
import { diagnosticInEntry } from '../directory/directory-diagnostics.js'
import { directoryStates, lookUp } from '../directory/look-up.js'
import { resolve } from '../find/find-tool.js'
import { resolveWithin } from '../find/require-tool.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

/**
 * Finds the base that an `$inherit` reference names. A path is relative to the file that it is written in.
 */
export async function findBase(ref: string, from: ToolDef, globals: Globals): Promise<FoundBase | null> {
  const { entry, file } = from.origin
  const isRelative = parseReference(ref).kind === 'path' && entry !== ''
  const resolution = isRelative
    ? await resolve(disk.resolve(entry, file, '..', ref), globals)
    : await resolveWithin(namespaceOf(from.name), ref, globals)
  if (!resolution) return null
  const { tool } = resolution
  if (tool) return tool.origin.entry === '' ? { tool } : baseInEntry(tool, globals)
  const broken = diagnosticInEntry(resolution.broken, globals)
  return broken && { fault: brokenFault(broken) }
}

type FoundBase = { tool: ToolDef; fault?: never } | { fault: CascadeTool['fault']; tool?: never }

/**
 * A base that was found in a file. A file outside all path entries is in no index, so no tool can inherit
 * from it.
 */
async function baseInEntry(tool: ToolDef, globals: Globals): Promise<FoundBase | null> {
  const { name, origin } = tool
  const state = directoryStates(globals).find(({ dir }) => dir === origin.entry)
  if (!state) return null
  const first = await lookUp(state, name, globals)
  const isShadowed = first && first.record.file !== origin.file
  return isShadowed ? { fault: shadowedFault(origin.file, name, first.record.file) } : { tool }
}
