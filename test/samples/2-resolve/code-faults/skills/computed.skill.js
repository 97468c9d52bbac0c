export const frontmatter = {
  description: 'Its name is computed.',
  name: ['a', 'b'].join('-'),
}
export default () => 1
