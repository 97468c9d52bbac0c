// How long look-ups take, in µs, when every name was found before.
import { createRuntime } from 'agent-apps/runtime'
import { quantile } from '../measure.js'

const BATCHES = 200
const CALLS = 5_000
const CALLERS = 1_000

const runtime = createRuntime({ paths: [process.argv[2]], freshness: 'trust' })
const tools = await runtime.listTools()
const names = tools.map(({ name }) => name)
const map = new Map(tools.map(tool => [tool.name, tool]))
for (const name of names) await runtime.findTool(name)

const getResolved = name => Promise.resolve(map.get(name))
console.log(
  JSON.stringify({
    mapGet: mapGetTime(),
    resolved: await callTime(getResolved),
    find: await callTime(runtime.findTool),
    concurrent: { resolved: await concurrent(getResolved), find: await concurrent(runtime.findTool) },
  }),
)

function mapGetTime() {
  const times = []
  let found = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    const started = performance.now()
    for (let call = 0; call < CALLS; call++) if (map.get(names[call % names.length])) found++
    times.push(performance.now() - started)
  }
  if (found !== BATCHES * CALLS) throw new Error('a name was not found')
  return (quantile(times, 0.5) * 1_000) / CALLS
}

/** The median time of a call, one after the other. */
async function callTime(find) {
  const times = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const started = performance.now()
    for (let call = 0; call < CALLS; call++) await find(names[call % names.length])
    times.push(performance.now() - started)
  }
  return (quantile(times, 0.5) * 1_000) / CALLS
}

/**
 * Many callers in the same turn. `call`: a call's share of the turn, in the slowest hundredth of turns. `resumed`:
 * from a call until its caller goes on, in the slowest hundredth of callers; that includes waiting for all others
 * that called in the same turn, whatever they call.
 */
async function concurrent(find) {
  const calls = []
  const resumed = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const started = performance.now()
    const turn = []
    for (let caller = 0; caller < CALLERS; caller++) turn.push(find(names[caller % names.length]))
    await Promise.all(turn)
    calls.push(((performance.now() - started) * 1_000) / CALLERS)
  }
  for (let batch = 0; batch < BATCHES; batch++) {
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      const started = performance.now()
      await find(names[caller % names.length])
      return (performance.now() - started) * 1_000
    })
    resumed.push(...(await Promise.all(callers)))
  }
  return { call: quantile(calls, 0.99), resumed: quantile(resumed, 0.99) }
}
