export const frontmatter = { name: 'test-simple-text', description: 'Gives a text.' }
export default () => 'This is a simple text response for testing.'
