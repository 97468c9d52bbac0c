import { type Context, ctxHookTarget } from 'agent-apps'

export const frontmatter = {
  name: 'stopwatch',
  description: 'Says how long each part of a call took: every middleware around the tool, and the tool.',
  metadata: { role: 'middleware', $hook: '$next', $inherit: false },
}

export default async function stopwatch(ctx: Context): Promise<void> {
  const started = performance.now()
  try {
    await ctx.manager.next()
  } finally {
    const took = (performance.now() - started).toFixed(1)
    console.error(`    ${ctxHookTarget(ctx)} took ${took} ms`)
  }
}
