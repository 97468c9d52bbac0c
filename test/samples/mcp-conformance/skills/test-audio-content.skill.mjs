const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

export const frontmatter = { name: 'test-audio-content', description: 'Gives a sound.' }
export default () => ({
  title: 'Silence',
  metadata: {},
  output: 'A sound.',
  attachments: [{ mimeType: 'audio/wav', data: SILENCE }],
})
