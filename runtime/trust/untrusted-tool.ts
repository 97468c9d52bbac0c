import { disk } from '#disk'
import { guardsOf } from '../policy/guards-of.js'
import type { UntrustedTool } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'

/** A tool as a person is shown it who decides about its project. */
export function untrustedTool(tool: ToolDef): UntrustedTool {
  const { name, origin } = tool
  const { required, optional, gated = null } = guardsOf(tool)
  return {
    name,
    file: disk.resolve(origin.entry, origin.file),
    permissions: { required, optional },
    gated,
    shadows: origin.shadows,
  }
}
