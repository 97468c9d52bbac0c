import type { JsonObject } from '../../src/base/json.js'
import { type Guards, isGuard, readGuards, UNGUARDED } from '../../src/policy/guards.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

/** Keyed by metadata. */
const known = new WeakMap<JsonObject, Guards>()

export function guardsOf({ frontmatter: { metadata } }: ToolDef): Guards {
  if (!Object.keys(metadata).some(isGuard)) return UNGUARDED
  const guards = known.get(metadata) ?? readGuards(metadata)
  known.set(metadata, guards)
  return guards
}

/** False for a tool that the host's configuration disables, which hides it from agents. */
export function isEnabled({ name }: ToolDef, { toolConfig }: Globals): boolean {
  return toolConfig?.[name]?.enabled !== false
}
