export const frontmatter = {
  name: 'publish',
  description: 'Publishes a page.',
  metadata: {
    permissions: { required: ['write'] },
    params: { type: 'object', properties: { page: { type: 'string' } }, required: ['page'] },
  },
}

export default (_ctx, { page }) => `published ${page}`
