export const frontmatter = {
  name: 'shy',
  description: 'Runs around other tools.',
  metadata: { role: 'middleware', impatient: {}, $static: ['impatient'] },
}

export default (ctx) => ctx.manager.next()
