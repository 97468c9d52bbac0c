import type { JsonObject } from '../../src/base/json.js'
import { type Guards, readGuards } from '../../src/policy/guards.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

/** Guards as they were read, by the metadata that they stand in. */
const known = new WeakMap<JsonObject, Guards>()

/** The guards of a tool. */
export function guardsOf({ frontmatter: { metadata } }: ToolDef): Guards {
  const guards = known.get(metadata) ?? readGuards(metadata)
  known.set(metadata, guards)
  return guards
}

/** False for a tool that the host's configuration disables: agents may not know of it. */
export function isEnabled({ name }: ToolDef, { toolConfig }: Globals): boolean {
  return toolConfig?.[name]?.enabled !== false
}
