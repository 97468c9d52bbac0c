import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { ToolDef } from 'agent-apps'

/** The annotations of a tool, from the `permissions` that it declares. Undefined for code that declares none. */
export function annotationsOf({ runs, frontmatter }: ToolDef): ToolAnnotations | undefined {
  const { permissions } = frontmatter.metadata
  if (permissions === undefined && runs) return undefined
  const declared = wordsIn(permissions)
  const changes = declared.has('write') || declared.has('execute')
  return {
    readOnlyHint: !changes && !declared.has('network'),
    destructiveHint: changes,
    openWorldHint: declared.has('network') || declared.has('execute'),
  }
}

/** The words of `permissions`, required or optional. One that cannot be read keeps the tool from running at all. */
function wordsIn(permissions: unknown): Set<unknown> {
  if (typeof permissions !== 'object' || permissions === null) return new Set()
  const { required, optional } = permissions as { required?: unknown; optional?: unknown }
  return new Set([required, optional].flat())
}
