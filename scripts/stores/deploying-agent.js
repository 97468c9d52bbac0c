// An agent whose tool `deploy` needs an approval: the same in each process, so that an answer holds in all of them.
import { createRuntime } from 'agent-apps'

/** @returns the agent, and `runs`, how often its tool has run in this process */
export function openAgent(store) {
  const runtime = createRuntime({ paths: ['skills'], cwd: import.meta.dirname, library: false, store })
  return { agent: runtime.forAgent({ sessionId: 'shared' }), runs: () => globalThis.deployed ?? 0 }
}
