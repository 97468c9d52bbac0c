// A host that a person sits at: it calls tools as a model would, and asks before a project's code or a gated call runs.
// Run it with `node examples/approvals/host.js [PROJECT]`, and type calls: publish {"page": "news"}
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createRuntime } from 'agent-apps'
import { loadConfig } from 'agent-apps/compiler'

const cwd = process.argv[2] ?? fileURLToPath(new URL('project', import.meta.url))
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
let next

// The paths and the configuration come from the project, which is not trusted yet.
const { paths, project } = await loadConfig({ cwd })
const runtime = createRuntime({
  paths,
  project,
  cwd,
  policy: { permissions: ['read', 'write'], approval: { remember: 'project' } },
  interact,
})
const agent = runtime.forAgent({ agentId: 'example', sessionId: 'terminal' })

for (let line = await ask('> '); line !== null; line = await ask('> ')) {
  const [, name, args = '{}'] = /^(\S+)(?:\s+(.*))?$/.exec(line.trim()) ?? []
  if (name !== undefined) await call(name, args)
}

async function call(name, args) {
  try {
    say(JSON.stringify(await agent.invoke(name, JSON.parse(args))))
  } catch (error) {
    // The failure for a model.
    say(`${error.code ?? error.name}: ${error.message}`)
  }
}

/** Asks the person whatever the runtime asks. Equal questions are not asked twice: the runtime remembers answers. */
async function interact(request) {
  if (request.kind === 'project') {
    say(
      `This project has code: ${request.tools.map(({ name }) => name).join(', ')}. Do you trust ${request.root}?`,
    )
  } else if (request.kind === 'approval') {
    for (const line of request.text.split('\n')) say(line)
  } else return 'deny'
  const answers = { o: 'allow-once', s: 'allow-session', p: 'allow-project', d: 'deny' }
  for (;;) {
    const typed = await ask('[o]nce, this [s]ession, this [p]roject, or [d]eny? ', request.signal)
    if (typed === null) return 'deny'
    const answer = answers[typed.trim()]
    if (answer) return answer
  }
}

/** Returns what the person types; null at the end of input, and once the signal aborts: the next question gets later input. */
async function ask(question, signal) {
  process.stdout.write(question)
  next ??= lines.next()
  const ended = new Promise(resolve => signal?.addEventListener('abort', () => resolve(null)))
  const line = await Promise.race([next, ended])
  if (line) next = undefined
  return line === null || line.done ? null : line.value
}

function say(text) {
  // What comes from a project could move the cursor, and so what the person believes to read.
  process.stdout.write(
    `${text.replace(/[\p{Cc}\p{Cf}]/gu, one => `\\u{${one.codePointAt(0).toString(16)}}`)}\n`,
  )
}
