// One of several processes that run a call which one person approved: `node use-once.js URL`. A line for each round.
import { createInterface } from 'node:readline'
import { openAgent } from './deploying-agent.js'
import { openStore } from './open-store.js'

const { store, close } = await openStore(process.argv[2])
const { agent, runs } = openAgent(store)

for await (const line of createInterface({ input: process.stdin })) {
  const { callId } = JSON.parse(line)
  const before = runs()
  const outcome = await agent.invoke('deploy', {}, { callId }).then(
    () => 'ran',
    error => error.code,
  )
  console.log(JSON.stringify({ runs: runs() - before, outcome }))
}
await close()
