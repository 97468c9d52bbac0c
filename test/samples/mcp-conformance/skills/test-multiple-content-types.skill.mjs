const RED =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

export const frontmatter = { name: 'test-multiple-content-types', description: 'Gives a text, an image and a file.' }
export default () => ({
  title: 'Three',
  metadata: {},
  output: 'Multiple content types test:',
  attachments: [
    { mimeType: 'image/png', data: RED },
    { mimeType: 'application/json', data: btoa('{"test":"data","value":123}'), filename: 'data.json' },
  ],
})
