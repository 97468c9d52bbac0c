import { defineTool } from 'agent-apps'

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const

export default defineTool({
  name: 'opening-hours',
  description: 'Says from when to when the shop is open on a day of the week.',
  params: {
    type: 'object',
    properties: { day: { type: 'string', enum: DAYS } },
    required: ['day'],
    additionalProperties: false,
  },
  execute: ({ day }) => {
    if (day === 'sunday') return 'closed'
    return day === 'saturday' ? '10:00–14:00' : '09:00–18:00'
  },
})
