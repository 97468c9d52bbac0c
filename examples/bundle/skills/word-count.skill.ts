export const frontmatter = {
  name: 'word-count',
  description: 'Counts the words of a text.',
  metadata: {
    loud: true,
    params: {
      type: 'object',
      properties: { text: { type: 'string', minLength: 1 } },
      required: ['text'],
      additionalProperties: false,
    },
    returns: { type: 'string' },
  },
}

export default function wordCount(_ctx: unknown, { text }: { text: string }): string {
  return `${text.trim().split(/\s+/).length} words`
}
