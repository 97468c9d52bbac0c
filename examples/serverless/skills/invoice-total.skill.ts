import { defineTool } from 'agent-apps'

interface Line {
  cents: number
  count: number
  currency: string
}

export default defineTool({
  name: 'invoice-total',
  description: 'Adds up the lines of an invoice, in cents, without and with tax.',
  params: {
    type: 'object',
    properties: {
      lines: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            cents: { type: 'integer' },
            count: { type: 'integer', default: 1 },
            currency: { type: 'string', pattern: '^[A-Z]{3}$', default: 'EUR' },
          },
          required: ['cents'],
          additionalProperties: false,
        },
      },
      percent: { type: 'number', minimum: 0, default: 19 },
    },
    required: ['lines'],
    additionalProperties: false,
  },
  execute: ({ lines, percent }: { lines: Line[]; percent: number }) => {
    const currencies = new Set(lines.map(({ currency }) => currency))
    if (currencies.size > 1)
      throw Object.assign(new Error(`One invoice, ${[...currencies].join(' and ')}.`), {
        code: 'CURRENCIES_DIFFER',
      })
    const net = lines.reduce((sum, { cents, count }) => sum + cents * count, 0)
    return { net, gross: Math.round((net * (100 + percent)) / 100), currency: lines[0]?.currency }
  },
})
