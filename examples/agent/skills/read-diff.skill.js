import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'read-diff',
  description: 'Gives the files that a change touches.',
  params: { type: 'object', properties: { change: { type: 'string' } }, required: ['change'] },
  execute: ({ change }) => ({ change, files: ['src/total.js'] }),
})
