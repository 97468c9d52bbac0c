import { AgentAppsError } from '../src/error.js'
import type { RecordedProblem } from '../src/index-format.js'
import type { Globals } from './globals.js'
import type { ToolDef } from './tool-def.js'
import { writtenPlace } from './written-place.js'

/**
 * The error for a tool that is not run since its metadata, or that of one it inherits from, has a fault.
 *
 * @param owner the tool whose metadata it is
 */
export async function cascadeInvalid(
  tool: ToolDef,
  { message, hint, path }: RecordedProblem,
  owner: ToolDef,
  globals: Globals,
): Promise<AgentAppsError> {
  return new AgentAppsError(
    'CASCADE_INVALID',
    `The metadata of "${tool.name}" cannot be resolved: ${message}.`,
    { hint, tool: tool.name, ...(await writtenPlace(owner, path, globals)) },
  )
}
