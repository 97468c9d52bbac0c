import { defineTool } from 'agent-apps'

let calls = 0

/** Its first call fails, as services do; `retry`, which it inherits, calls again. */
export default defineTool({
  name: 'forecast',
  description: 'Says how the weather will be in a city.',
  params: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  metadata: { $inherit: 'outside', stopwatch: true, limit: 60 },
  execute: async ({ city }) => {
    calls++
    if (calls === 1) throw Object.assign(new Error('The service is busy.'), { retryable: true })
    return `In ${city} the sun will shine, with some clouds in the afternoon and a light wind from the west.`
  },
})
