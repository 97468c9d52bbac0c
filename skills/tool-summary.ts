import { type Context, matchPattern, normalizeTags, resolveJsonSchema, type ToolDef } from 'agent-apps'

/** The data by which a model chooses a tool. */
export function summaryOf({ name, frontmatter: { description, tags } }: ToolDef) {
  return { name, ...(description !== undefined && { description }), tags }
}

export function schemasOf({ frontmatter: { params, returns } }: ToolDef, ctx: Context) {
  return {
    ...(params && { params: resolveJsonSchema(params, ctx) }),
    ...(returns && { returns: resolveJsonSchema(returns, ctx) }),
  }
}

/** True for this library's tools. Checks the layer, since any index could claim the tag. */
export function isLibrary({ origin, frontmatter: { tags } }: ToolDef): boolean {
  return origin.layer === 'bundled' && tags.includes('meta-internal')
}

/** The tools that have all of the tags and match one of the space-separated patterns. */
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
