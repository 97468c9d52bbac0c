import { AgentAppsError } from '../../src/base/error.js'
import { isInRange } from '../../src/own/version-range.js'
import { writtenFile } from '../directory/written-place.js'
import type { ToolDef } from '../state/tool-def.js'

/** This package's version, which `scripts/bundle-package.js` puts in. */
declare const PACKAGE_VERSION: string

/** The error for a tool whose `requires` this version does not meet; null for any other. */
export function unmetVersion(tool: ToolDef): AgentAppsError | null {
  const { requires } = tool.frontmatter.metadata
  if (typeof requires !== 'string' || isInRange(PACKAGE_VERSION, requires) !== false) return null
  const { name } = tool
  const file = writtenFile(tool)
  return new AgentAppsError(
    'TOOL_BROKEN',
    `The tool "${name}" requires agent-apps ${requires}, and this is ${PACKAGE_VERSION}.`,
    {
      hint: 'Install a version that the tool was written for, or correct its `requires`.',
      modelHint: 'Call one of the tools that are listed.',
      tool: name,
      ...(file !== null && { file }),
    },
  )
}
