import { AgentAppsError } from '../../src/base/error.js'
import { writtenPlace } from '../directory/written-place.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { resolveAll, toolId } from './resolve-cascade.js'

/**
 * Turns a middleware's error about its configuration into one of the tool that it is around, with the place
 * where the value is written, be that in another skill.
 */
export async function configurationInvalid(
  error: AgentAppsError,
  middleware: string,
  tool: ToolDef,
  globals: Globals,
): Promise<AgentAppsError> {
  const { resolution, toolOfId } = await resolveAll(tool, globals)
  const origin = resolution.tools.get(toolId(tool))?.metadata.get(middleware)?.from
  const place = origin && (await writtenPlace(toolOfId(origin.tool), origin.path, globals))
  return new AgentAppsError(
    'MIDDLEWARE_CONFIG',
    `The middleware "${middleware}" of "${tool.name}" cannot use its configuration: ${error.message}`,
    { hint: error.hint, tool: tool.name, ...place, cause: error },
  )
}
