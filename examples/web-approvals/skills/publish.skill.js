export const frontmatter = {
  name: 'publish',
  description: 'Publishes a page.',
  metadata: {
    gated: true,
    params: { type: 'object', properties: { page: { type: 'string' } }, required: ['page'] },
  },
}

export default function publish(_ctx, { page }) {
  return `published ${page}`
}
