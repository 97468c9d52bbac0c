import { type Context, ctxTarget } from 'agent-apps'

export const frontmatter = {
  name: 'log',
  description: 'Says what is called, how it ended and how long it took.',
  // Nothing is to run around it, whatever the project promotes.
  metadata: { role: 'middleware', $inherit: false, $self: { prefix: '>' } },
}

export default async function log(ctx: Context, { prefix }: { prefix: string }): Promise<void> {
  const { args, run } = ctxTarget(ctx)
  const started = performance.now()
  const say = (text: string) => console.error(prefix, run.tool.name, text)
  const took = () => `after ${(performance.now() - started).toFixed(1)} ms`
  say(`is called with ${JSON.stringify(args)}`)
  try {
    await ctx.manager.next()
    say(`gave its result ${took()}`)
  } catch (error) {
    say(`failed ${took()}: ${error}`)
    throw error
  }
}
