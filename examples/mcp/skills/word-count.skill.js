import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'word-count',
  description: 'Counts the words of a text.',
  params: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  permissions: { required: ['read'] },
  execute: ({ text }) => text.split(/\s+/).filter(Boolean).length,
})
