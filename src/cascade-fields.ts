import type { CascadeTool } from './cascade-types.js'
import type { ToolFrontmatter } from './frontmatter.js'

/** What of a tool's frontmatter cascades are made of. */
export function cascadeFields({
  role,
  metadata,
  params,
  returns,
}: ToolFrontmatter): Pick<CascadeTool, 'role' | 'metadata' | 'params' | 'returns'> {
  return {
    metadata,
    ...(role && { role }),
    ...(params && { params }),
    ...(returns && { returns }),
  }
}
