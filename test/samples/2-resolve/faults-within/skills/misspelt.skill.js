export const frontmatter = {
  name: 'misspelt',
  description: 'Runs around other tools.',
  metadata: { role: 'middleware', $ordre: ['retry'] },
}

export default (ctx) => ctx.manager.next()
