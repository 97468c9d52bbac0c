import type { ToolDef } from 'agent-apps/runtime'

/**
 * True for the library's tools about skills, such as `skill-list`, which are offered only by name. Tools of a workspace, which
 * the host opened, are offered like the host's own.
 */
export function isLibraryTool({ origin, frontmatter: { tags } }: ToolDef): boolean {
  // Checks the layer, since any index could claim the tag.
  return origin.layer === 'bundled' && tags.includes('meta-internal') && !tags.includes('meta-workspace')
}
