export const frontmatter = {
  name: 'stopwatch',
  description: 'Says how long each part of a call took.',
  metadata: { role: 'middleware', $hook: '$next', $self: { unit: 'ms', digits: 1 } },
}

export default async function stopwatch(ctx, { unit, digits }) {
  const started = performance.now()
  await ctx.manager.next()
  const took = (performance.now() - started).toFixed(digits)
  ctx.run.update({ title: `${ctx.run.hook.target}: ${took} ${unit}` })
}
