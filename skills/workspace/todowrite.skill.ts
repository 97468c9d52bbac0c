import { defineTool } from 'agent-apps'
import { shownTodos, type Todo, type TodoState } from './todo-list.js'

export default defineTool({
  name: 'todowrite',
  description: 'Keeps the list of what is to be done in this session. Each call gives the whole list anew.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['read'] },
  params: {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        maxItems: 200,
        description: 'The whole list, in order. Without it, the list stays as it is.',
        items: {
          type: 'object',
          properties: {
            content: { type: 'string', minLength: 1, maxLength: 2000, description: 'What is to be done.' },
            status: {
              enum: ['pending', 'in_progress', 'completed', 'cancelled'],
              default: 'pending',
              description: 'How far it is.',
            },
            priority: { enum: ['high', 'medium', 'low'], description: 'How much it matters.' },
          },
          required: ['content'],
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  },
  state: {
    schema: {
      type: 'object',
      properties: { todos: { type: 'array', items: { type: 'object' } } },
      required: ['todos'],
    },
    initial: { todos: [] },
  },
  execute: (args, ctx) => {
    const state = ctx.state as TodoState
    const { todos } = args as { todos?: Todo[] }
    ctx.update({ title: todos ? 'Writing the todos' : 'Reading the todos' })
    if (todos) state.todos = todos
    // What is given out is not what is kept.
    return shownTodos(structuredClone(state.todos))
  },
})
