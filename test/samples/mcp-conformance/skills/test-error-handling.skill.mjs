export const frontmatter = { name: 'test-error-handling', description: 'Fails.' }
export default () => {
  throw new Error('This tool intentionally returns an error for testing')
}
