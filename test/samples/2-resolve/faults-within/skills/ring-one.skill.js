export const frontmatter = {
  name: 'ring-one',
  description: 'Runs around other tools.',
  metadata: { role: 'middleware', 'ring-two': {}, $dynamic: ['ring-two'] },
}

export default (ctx) => ctx.manager.next()
