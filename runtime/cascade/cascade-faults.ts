import { AgentAppsError } from '../../src/base/error.js'
import type { RecordedProblem } from '../../src/index/index-format.js'
import { isInRange } from '../../src/own/version-range.js'
import { type WrittenPlace, writtenFile } from '../directory/written-place.js'
import type { ToolDef } from '../state/tool-def.js'

/** The error for a tool that is not run since its metadata, or that of one it inherits from, has a fault. */
export function cascadeInvalid(
  tool: ToolDef,
  { message, hint }: Pick<RecordedProblem, 'message' | 'hint'>,
  place: WrittenPlace | null,
): AgentAppsError {
  return new AgentAppsError(
    'CASCADE_INVALID',
    `The metadata of "${tool.name}" cannot be resolved: ${message}.`,
    { hint, tool: tool.name, ...place },
  )
}

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
