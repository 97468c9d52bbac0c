export const frontmatter = { name: 'test-embedded-resource', description: 'Gives a file.' }
export default () => ({
  title: 'A file',
  metadata: {},
  output: 'A file.',
  attachments: [{ mimeType: 'text/plain', data: btoa('This is an embedded resource content.'), filename: 'a.txt' }],
})
