import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

/** False for a tool that the host's configuration disables: agents may not know of it. */
export function isEnabled({ name }: ToolDef, { toolConfig }: Globals): boolean {
  return toolConfig?.[name]?.enabled !== false
}
