import { type Context, matchPattern, normalizeTags, resolveJsonSchema, type ToolDef } from 'agent-apps'

/** Returns what a model needs to choose a tool. */
export function summaryOf({ name, frontmatter: { description, tags } }: ToolDef) {
  return { name, ...(description !== undefined && { description }), tags }
}

/** Returns what a model needs to call a tool, with the schemas that apply in the context. */
export function schemasOf({ frontmatter: { params, returns } }: ToolDef, ctx: Context) {
  return {
    ...(params && { params: resolveJsonSchema(params, ctx) }),
    ...(returns && { returns: resolveJsonSchema(returns, ctx) }),
  }
}

/** True for this library's tools. The layer counts too, as any index could claim the tag. */
export function isLibrary({ origin, frontmatter: { tags } }: ToolDef): boolean {
  return origin.layer === 'bundled' && tags.includes('meta-internal')
}

/** The tools that have all of the tags and match one of the patterns, which spaces separate. */
export function selected(
  tools: readonly ToolDef[],
  { tags = [], pattern }: { tags?: string[]; pattern?: string },
): ToolDef[] {
  const wanted = normalizeTags(tags)
  const patterns = pattern?.split(/\s+/).filter(one => one !== '')
  return tools.filter(
    ({ name, frontmatter }) =>
      wanted.every(tag => frontmatter.tags.includes(tag)) &&
      (patterns === undefined || patterns.some(one => matchPattern(one, name, frontmatter.tags))),
  )
}
