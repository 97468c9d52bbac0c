import { defineTool } from 'agent-apps'

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

interface Todo {
  content: string
  status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
  priority?: 'high' | 'medium' | 'low'
}

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]', cancelled: '[-]' }

/** A list as a model and people are shown it. */
function shownTodos(todos: readonly Todo[]): {
  title: string
  metadata: { todos: readonly Todo[] }
  output: string
} {
  const done = todos.filter(({ status }) => status === 'completed' || status === 'cancelled').length
  // Shorter ones where there are many: a list of 200 then is still of some 40,000 characters.
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

/** The characters of all todos together that are shown whole; of longer lists, so many of each. */
const SHOWN_MAX = 40_000
const CONTENT_MAX = 200

function shortened(content: string, most: number): string {
  const line = content.replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most)}…` : line
}

/** A session's list. */
interface TodoState {
  todos: Todo[]
}
