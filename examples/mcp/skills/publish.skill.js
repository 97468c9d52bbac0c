import { setTimeout } from 'node:timers/promises'
import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'publish',
  description: 'Publishes a page.',
  params: { type: 'object', properties: { page: { type: 'string' } }, required: ['page'] },
  permissions: { required: ['write'] },
  preview: ({ page }) => `Publish ${page} for everybody to see.`,
  execute: async ({ page }, { update, signal }) => {
    update({ title: 'publishing' })
    await setTimeout(300, undefined, { signal })
    return `${page} is published`
  },
})
