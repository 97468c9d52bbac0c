export const frontmatter = { name: 'test-tool-with-progress', description: 'Reports its progress.' }
export default ctx => {
  for (const progress of [0, 50, 100]) ctx.run.update({ title: `${progress} of 100`, progress, total: 100 })
  return 'done'
}
