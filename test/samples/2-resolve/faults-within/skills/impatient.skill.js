export const frontmatter = {
  name: 'impatient',
  description: 'Runs around other tools.',
  metadata: { role: 'middleware', timeout: 'soon' },
}

export default (ctx) => ctx.manager.next()
