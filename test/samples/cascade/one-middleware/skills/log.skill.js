export const frontmatter = {
  name: 'log',
  description: 'Writes down what is called, and how it ended.',
  metadata: { role: 'middleware' },
}

export default async function log(ctx, { prefix }) {
  const { name } = ctx.envelope.target.run.tool
  console.error(prefix, name)
  const result = await ctx.manager.next()
  console.error(prefix, name, 'gave', result)
}
