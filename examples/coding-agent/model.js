// A stand-in for a model: from what it has seen, it gives the next call of a tool, or a last text. In place of it, a host
// sends the messages and the tools to a provider, in the form that this one has.

const PLAN = ['Find out what fails', 'Correct it', 'Run the tests again']
const COMMANDS = ['npm test', 'node --test --test-reporter=tap']

export function model(messages) {
  const results = messages.filter(({ role }) => role === 'tool')
  const refused = results.filter(({ failed }) => failed).map(({ call }) => call)
  // There is another way to run tests, and none to change a file without being allowed to.
  const command = COMMANDS.find(one => refused.every(({ args }) => args.command !== one))
  if (!command || refused.some(({ name }) => name !== 'bash')) {
    return { text: `I could not do it. ${results.at(-1).output}` }
  }
  const seen = results.filter(({ failed }) => !failed)
  return STEPS[seen.length](seen.at(-1), command)
}

/** How it works: each step follows from the result of the one before. */
const STEPS = [
  () => todos(0),
  (_, command) => use('bash', { command }),
  ({ output }) => {
    const [, name] = /^not ok \d+ - (\w+)\(\)/m.exec(output) ?? []
    return name ? use('grep', { pattern: `function ${name}\\(`, mode: 'files' }) : { text: 'No test fails.' }
  },
  ({ output: path }) => use('read', { path }),
  ({ output, call }) => {
    // What it has learned to expect of such a line.
    const [sum] = /sum \+ price\b/.exec(output) ?? []
    if (!sum) return { text: 'I see no fault.' }
    const edits = [
      { old: '{ price }', new: '{ price, count }' },
      { old: sum, new: `${sum} * count` },
    ]
    return use('edit', { path: call.args.path, edits })
  },
  () => todos(2),
  (_, command) => use('bash', { command }),
  ({ output }) => (/^not ok/m.test(output) ? { text: 'It still fails.' } : todos(PLAN.length)),
  () => ({ text: 'The total left out how often an item was bought. All tests pass.' }),
]

function todos(done) {
  const status = number => (number < done ? 'completed' : number === done ? 'in_progress' : 'pending')
  return use('todowrite', { todos: PLAN.map((content, number) => ({ content, status: status(number) })) })
}

function use(name, args) {
  return { call: { name, args } }
}
