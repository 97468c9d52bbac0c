import { type Context, ctxTarget } from 'agent-apps'

export const frontmatter = {
  name: 'loud',
  description: 'Makes the result of a tool loud.',
  metadata: { role: 'middleware' },
}

export default async function loud(ctx: Context): Promise<string> {
  const result = await ctx.manager.next()
  return `${String(result).toUpperCase()}! (${ctxTarget(ctx).run.tool.name})`
}
