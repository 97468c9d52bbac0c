import type { ToolDef } from 'agent-apps/runtime'

/**
 * True for the tools with which the library serves skills, such as `skill-list`: they are offered where they are named.
 * Those of a workspace are there because a host opened one, and are offered as its own tools are.
 */
export function isLibraryTool({ origin, frontmatter: { tags } }: ToolDef): boolean {
  // The layer counts too, as any index could claim the tag.
  return origin.layer === 'bundled' && tags.includes('meta-internal') && !tags.includes('meta-workspace')
}
