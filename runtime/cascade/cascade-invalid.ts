import { AgentAppsError } from '../../src/base/error.js'
import type { RecordedProblem } from '../../src/index/index-format.js'
import type { WrittenPlace } from '../directory/written-place.js'
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
