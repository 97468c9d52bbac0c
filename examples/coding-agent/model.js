// A stand-in for a model: from what it has seen, it gives the next calls of tools, or a last text. In place of it, a host
// sends the messages and the tools to a provider, in the form that this one has.

const PLAN = ['Find out what fails', 'Correct it', 'Run the tests again']
const COMMANDS = ['npm test', 'node --test --test-reporter=tap']

export function model(messages) {
  const steps = messages.filter(({ role }) => role === 'tool').map(({ results }) => results)
  const refused = steps.flat().filter(({ failed }) => failed)
  // There is another way to run tests, and none to change a file without being allowed to.
  const command = COMMANDS.find(one => refused.every(({ call }) => call.args.command !== one))
  const end = command ? refused.find(({ call }) => call.name !== 'bash') : refused.at(-1)
  if (end) return { text: `I could not do it. ${end.output}` }
  const seen = steps.filter(results => !results.some(({ failed }) => failed))
  return STEPS[seen.length](seen.at(-1)?.[0], command)
}

/** The steps of its work: each follows from the first result of the one before. */
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
    const note = { path: 'CHANGES.md', content: 'The total counts how often an item was bought.\n' }
    return {
      calls: [
        { name: 'edit', args: { path: call.args.path, edits } },
        { name: 'write', args: note },
      ],
    }
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
  return { calls: [{ name, args }] }
}
