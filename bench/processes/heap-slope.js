// How much heap look-ups leave behind, in bytes a call.
import { createRuntime, registerTool, unregisterTool } from 'agent-apps/runtime'

const FOUND_CALLS = 1_000_000
const MISSING_NAMES = 100_000
const REGISTRATIONS = 10_000
/** Past this many, names that do not exist push out older ones. */
const MISSING_FIRST = 20_000

const runtime = createRuntime({ paths: [process.argv[2]], freshness: 'trust' })
const names = (await runtime.listTools()).map(({ name }) => name)

const found = await slope(FOUND_CALLS, call => names[call % names.length])
for (let number = 0; number < MISSING_FIRST; number++) await runtime.findTool(`first-${number}`)
const missing = await slope(MISSING_NAMES, call => `missing-${call}`)
const registered = await registrations()
console.log(JSON.stringify({ found, missing, registered }))

/** Tools that are registered, found and removed again, in bytes each. */
async function registrations() {
  const { globals } = runtime
  const before = heap()
  for (let number = 0; number < REGISTRATIONS; number++) {
    const name = `registered-${number}`
    registerTool(globals, { name, fn: () => number })
    await runtime.findTool(name)
    unregisterTool(globals, name)
  }
  return (heap() - before) / REGISTRATIONS
}

async function slope(calls, nameOf) {
  for (const name of names) await runtime.findTool(name)
  const before = heap()
  for (let call = 0; call < calls; call++) await runtime.findTool(nameOf(call))
  return (heap() - before) / calls
}

function heap() {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
