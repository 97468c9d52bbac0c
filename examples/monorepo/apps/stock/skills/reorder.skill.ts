import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'reorder',
  description: 'Says how many pieces to order, by how many are left and how many are sold in a week.',
  params: {
    type: 'object',
    properties: {
      left: { type: 'integer', minimum: 0 },
      weekly: { type: 'integer', minimum: 0 },
    },
    required: ['left', 'weekly'],
    additionalProperties: false,
  },
  execute: ({ left, weekly }) => Math.max(0, 4 * weekly - left),
})
