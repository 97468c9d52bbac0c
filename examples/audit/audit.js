// Writes what agents do as JSON lines, one for each event. Run it with `node examples/audit/audit.js`.
import { createRuntime, registerTool } from 'agent-apps'

const EVENTS = [
  ...['tool:start', 'tool:end', 'tool:error', 'tool:denied'],
  ...['approval:asked', 'approval:answered', 'trust:asked', 'trust:answered'],
]

/** Writes each event of a runtime as a line, until the returned function is called. */
export function audit(runtime, write) {
  const stops = EVENTS.map(type => runtime.globals.events.on(type, event => write(`${line(event)}\n`)))
  return () => {
    for (const stop of stops) stop()
  }
}

/** An event as JSON, with whose call it was. A result `{ error }` is `failed`. Of an error only what a model is told: its stack and its cause may hold anything. */
function line({ error, duration, ...event }) {
  const { code = 'TOOL_FAILED', message } = error ?? {}
  const at = new Date().toISOString()
  return JSON.stringify({
    at,
    ms: Math.round(duration),
    ...event,
    ...(error && { error: { code, message } }),
  })
}

const runtime = createRuntime({
  paths: [],
  policy: { permissions: ['read'] },
  interact: () => ({ answer: 'allow-once', reason: 'the example asks no person' }),
})
registerTool(runtime.globals, { name: 'look', description: 'Looks.', fn: () => 'seen' })
registerTool(runtime.globals, { name: 'fetch', description: 'Fetches.', fn: () => ({ error: 'offline' }) })
registerTool(runtime.globals, {
  name: 'save',
  description: 'Saves.',
  metadata: { permissions: { required: ['write'] } },
  fn: () => 'saved',
})
registerTool(runtime.globals, {
  name: 'send',
  description: 'Sends.',
  metadata: { gated: true },
  fn: () => 'sent',
})
const stop = audit(runtime, text => process.stdout.write(text))
const agent = runtime.forAgent({ agentId: 'example', sessionId: 'first', userId: 'ada' })
for (const name of ['look', 'fetch', 'save', 'send']) await agent.invoke(name).catch(() => {})
stop()
