export const frontmatter = {
  name: 'ring-two',
  description: 'Runs around other tools.',
  metadata: { role: 'middleware', 'ring-one': {}, $dynamic: ['ring-one'] },
}

export default (ctx) => ctx.manager.next()
