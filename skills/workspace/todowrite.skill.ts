import { defineTool } from 'agent-apps'

export default defineTool({
  name: 'todowrite',
  description: 'Stores the todo list of this session. Each call gives the whole list.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['read'] },
  params: {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        maxItems: 200,
        description: 'The whole list, in order. Without it, the list stays unchanged.',
        items: {
          type: 'object',
          properties: {
            content: { type: 'string', minLength: 1, maxLength: 2000, description: 'What to do.' },
            status: {
              enum: ['pending', 'in_progress', 'completed', 'cancelled'],
              default: 'pending',
              description: 'Its progress.',
            },
            priority: { enum: ['high', 'medium', 'low'], description: 'Its priority.' },
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
    const state = ctx.state as { todos: Todo[] }
    const { todos } = args as { todos?: Todo[] }
    ctx.update({ title: todos ? 'Writing the todos' : 'Reading the todos' })
    if (todos) state.todos = todos
    // The result must not share objects with the state.
    return shownTodos(structuredClone(state.todos))
  },
})

interface Todo {
  content: string
  status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
  priority?: 'high' | 'medium' | 'low'
}

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]', cancelled: '[-]' }

/** A list for a model and for people. */
function shownTodos(todos: readonly Todo[]): {
  title: string
  metadata: { todos: readonly Todo[] }
  output: string
} {
  const done = todos.filter(({ status }) => status === 'completed' || status === 'cancelled').length
  // In a long list, each todo is cut: 200 then have some 40,000 characters.
  const most =
    todos.reduce((sum, { content }) => sum + content.length, 0) > SHOWN_MAX ? CONTENT_MAX : SHOWN_MAX
  const lines = todos.map(({ content, status, priority }) => {
    return `${MARKS[status]} ${shortened(content, most)}${priority ? ` (${priority})` : ''}`
  })
  return {
    title: todos.length === 0 ? 'No todos' : `${done} of ${todos.length} todos done`,
    metadata: { todos },
    output: lines.length === 0 ? 'The list is empty.' : lines.join('\n'),
  }
}

/** The most characters of a list that is shown whole; in longer lists, of each todo. */
const SHOWN_MAX = 40_000
const CONTENT_MAX = 200

function shortened(content: string, most: number): string {
  const line = content.replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most)}…` : line
}
