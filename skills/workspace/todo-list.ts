export interface Todo {
  content: string
  status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
  priority?: 'high' | 'medium' | 'low'
}

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]', cancelled: '[-]' }

/** A list as a model and people are shown it. */
export function shownTodos(todos: readonly Todo[]): {
  title: string
  metadata: { todos: readonly Todo[] }
  output: string
} {
  const done = todos.filter(({ status }) => status === 'completed' || status === 'cancelled').length
  const lines = todos.map(({ content, status, priority }) => {
    return `${MARKS[status]} ${content.replace(/\s+/g, ' ').trim()}${priority ? ` (${priority})` : ''}`
  })
  return {
    title: todos.length === 0 ? 'No todos' : `${done} of ${todos.length} todos done`,
    metadata: { todos },
    output: lines.length === 0 ? 'The list is empty.' : lines.join('\n'),
  }
}

/** What a session keeps of its list. */
export interface TodoState {
  todos: Todo[]
}
