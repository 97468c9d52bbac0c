import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'todoread',
  description: 'Returns the todo list of this session, as last written.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['read'] },
  params: { type: 'object', properties: {}, additionalProperties: false },
  // Only `todowrite` can access its state.
  execute: (_args, ctx) => ctx.invoke('layer://bundled/todowrite', {}),
})
