import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'call-back',
  description: 'Says what to tell a caller who wants to be called back on a day of the week.',
  params: {
    type: 'object',
    properties: { day: { type: 'string' } },
    required: ['day'],
    additionalProperties: false,
  },
  execute: async ({ day }, { invoke }) => {
    const hours = await invoke('opening-hours', { day })
    return hours === 'closed' ? `We are closed on ${day}.` : `We call you on ${day}, ${hours}.`
  },
})
