// A coding agent: a model reads, edits and tests a project through the tools of a workspace, and a person is asked
// before it writes or runs anything. Run it with `node examples/coding-agent/agent.js`; the README says more.
import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { model } from './model.js'
import { askPerson, say } from './person.js'

const [workspace = copied(), ...deny] = process.argv.slice(2)
const runtime = createRuntime({ paths: [], workspace, interact: askPerson })
const agent = runtime.forAgent({ permissions: ['read', 'write', 'execute'], deny })
const tools = await Promise.all((await agent.listTools()).map(({ name }) => agent.describe(name)))

const messages = [{ role: 'user', content: 'A test fails. Mend what it tests.' }]
for (;;) {
  const { text, calls } = await model(messages, tools)
  messages.push({ role: 'assistant', text, calls })
  if (!calls) break
  messages.push({ role: 'tool', results: await Promise.all(calls.map(result)) })
}
say(messages.at(-1).text)
await runtime.close()
// The terminal is no longer read, and must not keep the process alive.
process.stdin.unref?.()

/** What a call gives, as the model is shown it: a call that fails or is denied is not an end, but something to know. */
async function result(call) {
  const { name, args } = call
  try {
    const { title, output } = await agent.invoke(name, args)
    say(`* ${title ?? name}`)
    return { call, output, failed: false }
  } catch (error) {
    say(`* ${error.code ?? error.name}: ${error.message}`)
    return { call, output: `${error.code ?? error.name}: ${error.message}`, failed: true }
  }
}

function copied() {
  const folder = mkdtempSync(join(tmpdir(), 'coding-agent-'))
  cpSync(join(import.meta.dirname, 'project'), folder, { recursive: true })
  return folder
}
