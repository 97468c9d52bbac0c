import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'file-expense',
  description: 'Files an expense, which is paid with the next salary.',
  params: {
    type: 'object',
    properties: { amount: { type: 'number', description: 'In euros.' } },
    required: ['amount'],
  },
  execute: ({ amount }) => `${amount} euros are paid with the next salary.`,
})
