export const frontmatter = {
  name: 'far',
  description: 'Runs around other tools.',
  metadata: { role: 'middleware', outer: {} },
}

export default (ctx) => ctx.manager.next()
