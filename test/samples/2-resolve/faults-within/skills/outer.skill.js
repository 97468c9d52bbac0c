export const frontmatter = {
  name: 'outer',
  description: 'Runs around other tools.',
  metadata: { role: 'middleware', misspelt: {} },
}

export default (ctx) => ctx.manager.next()
