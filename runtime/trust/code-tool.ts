import { isAgentAppsError } from '../../src/base/error.js'
import { chainOf } from '../cascade/chain-of.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'

/** True for a tool for which any code runs, be it its own or that of a tool that its text names. */
export async function isCodeTool(tool: ToolDef, view: Globals): Promise<boolean> {
  const { kind, frontmatter } = tool
  const { delegate = null, agent = null } = frontmatter.metadata
  if (kind === 'code' || delegate !== null || agent !== null) return true
  if (sourceOf(tool)?.record.directives) return true
  try {
    const { steps, body } = await chainOf(tool, view)
    return steps.length > 0 || body !== undefined
  } catch (error) {
    // Nothing of it runs, whoever trusts it.
    if (isAgentAppsError(error) && (error.code === 'CASCADE_INVALID' || error.code === 'TOOL_BROKEN'))
      return false
    throw error
  }
}
