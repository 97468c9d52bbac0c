const SHARED = { tags: ['One', 'Two Words'], limits: [[1, 2], [3]] }
export const frontmatter = {
  name: 'one',
  description: `Is ${'read'} without running.`,
  author: 'me',
  metadata: { ...SHARED, visibility: 'hidden' },
}
export default () => 'one'
