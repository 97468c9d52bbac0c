import { defineTool } from 'agent-apps'

const WORDS_PER_MINUTE = 230

export default defineTool({
  name: 'reading-time',
  description: 'Says how many words a text has, and in how many minutes it is read.',
  params: {
    type: 'object',
    properties: { text: { type: 'string', minLength: 1 } },
    required: ['text'],
    additionalProperties: false,
  },
  execute: ({ text }) => {
    const words = text.trim().split(/\s+/).length
    return { words, minutes: Math.ceil(words / WORDS_PER_MINUTE) }
  },
})
