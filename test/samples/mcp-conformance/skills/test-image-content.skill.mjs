const RED =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

export const frontmatter = { name: 'test-image-content', description: 'Gives an image.' }
export default () => ({
  title: 'A dot',
  metadata: {},
  output: 'A red dot.',
  attachments: [{ mimeType: 'image/png', data: RED }],
})
