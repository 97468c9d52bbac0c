import { disk } from '#disk'
import { AgentAppsError } from '../src/error.js'
import type { ToolDetails } from '../src/index-format.js'
import { nearest } from '../src/nearest.js'
import { defaultGlobals, type Globals } from './globals.js'
import { requireTool } from './invoke.js'
import { sourceOf } from './make-tool.js'
import type { ToolDef } from './tool-def.js'

/** The author's frontmatter as it was written, and the other files of a folder skill with size and digest. */
export function readDetails(tool: ToolDef): ToolDetails {
  const source = sourceOf(tool)
  return source?.names.details(tool.name) ?? { verbatim: {}, resources: [] }
}

/**
 * The bytes of one of a folder skill's files, by its path inside the skill's folder.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN; RESOURCE_NOT_FOUND for what is not listed among the skill's resources, is
 *   gone, or leads out of the skill's folder
 */
export async function readResource(
  ref: string,
  path: string,
  globals: Globals = defaultGlobals(),
): Promise<Uint8Array> {
  const tool = await requireTool(ref, globals)
  const { resources } = readDetails(tool)
  const isListed = resources.some(resource => resource.path === path)
  const source = sourceOf(tool)
  const folder = source && disk?.resolve(source.state.dir, source.record.file, '..')
  const bytes = isListed && folder !== undefined ? await disk?.readInside(folder, path) : null
  if (bytes) return bytes
  const near = nearest(
    path,
    resources.map(resource => resource.path),
  )
  throw new AgentAppsError(
    'RESOURCE_NOT_FOUND',
    `The skill "${tool.name}" has no file ${JSON.stringify(path)}.`,
    {
      hint: near === null ? 'Its resources are listed by `agent-apps describe`.' : `Did you mean "${near}"?`,
      tool: tool.name,
    },
  )
}
