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
export interface TodoState {
  todos: Todo[]
}
