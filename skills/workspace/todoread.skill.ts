import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'todoread',
  description: 'Gives the list of what is to be done in this session, as it was written last.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['read'] },
  params: { type: 'object', properties: {}, additionalProperties: false },
  // The list is in the state of the tool that writes it, which no other one sees.
  execute: (_args, ctx) => ctx.invoke('layer://bundled/todowrite', {}),
})
