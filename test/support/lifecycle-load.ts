import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRuntime, type Runtime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { installInto } from './code-project.js'
import { gate } from './gate.js'
import { temporary } from './temporary.js'
import { writeTree } from './tree.js'

/** What the tools of the load note: which resources there are, and faults that only they can see. */
interface Noted {
  open: Set<object>
  faults: string[]
  begun: number
  ended: number
}
const host = globalThis as unknown as { lifecycleLoad?: Noted }

/** What came of the load. */
export interface LoadReport {
  /** How many calls gave their result, or threw an error, by its code. */
  outcomes: Record<string, number>
  /** What a call, or what was done meanwhile, should not have done. */
  faults: string[]
  /** Resources that were not disposed of. */
  left: number
  /** Bodies that were still running at the end. */
  running: number
}

const TOOLS = ['one', 'two', 'three']

/** Each call works on the resource of its tool for up to 5 ms, or until it is aborted. */
const source = (name: string, version: number): string => `import { defineTool } from 'agent-apps'
const noted = () => globalThis.lifecycleLoad
export default defineTool({
  name: '${name}',
  description: 'Works on a resource.',
  ${name === 'one' ? "metadata: { 'requires-tools': 'two' }," : ''}
  params: { type: 'object', properties: { number: { type: 'integer' } } },
  async init({ signal }) {
    const made = { isOpen: true, version: ${version} }
    await new Promise(fulfil => setTimeout(fulfil, 1))
    if (signal.aborted) throw signal.reason
    noted().open.add(made)
    return made
  },
  async dispose({ instance }) {
    await new Promise(fulfil => setTimeout(fulfil, 1))
    if (instance === undefined) return
    instance.isOpen = false
    noted().open.delete(instance)
  },
  async execute({ number }, { instance, signal, invoke }) {
    const mustBeOpen = when => {
      if (!instance.isOpen) noted().faults.push(\`call \${number} of ${name} works on a disposed resource \${when}\`)
    }
    noted().begun++
    try {
      mustBeOpen('at its start')
      if (number % 17 === 0 && '${name}' === 'one') await invoke('three', { number: 1 }).catch(() => {})
      await new Promise((fulfil, refuse) => {
        const timer = setTimeout(fulfil, number % 5)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          refuse(signal.reason)
        })
      })
      mustBeOpen('at its end')
      return number
    } finally {
      noted().ended++
    }
  },
})
`

/** Makes so many calls while tools are deactivated, activated and reloaded, and the runtime is closed. */
export async function lifecycleLoad(calls: number): Promise<LoadReport> {
  const noted: Noted = { open: new Set(), faults: [], begun: 0, ended: 0 }
  host.lifecycleLoad = noted
  const cwd = temporary()
  installInto(cwd)
  let edits = 0
  const write = async (version: number): Promise<void> => {
    for (const name of TOOLS) {
      const path = `skills/${name}.skill.js`
      writeTree(cwd, { [path]: source(name, version) })
      const time = new Date(Date.now() + ++edits * 10_000)
      utimesSync(join(cwd, path), time, time)
    }
    await compile({ cwd, paths: ['skills'] })
  }
  await write(1)
  const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'trust', library: false })
  const outcomes: Record<string, number> = {}
  const count = (outcome: string): void => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  const made = callsOf(runtime, calls, noted, count)
  const disturbed = disturb(runtime, write, noted)
  const half = Math.floor(calls / 2)
  await made.until(half)
  await disturbed.end()
  made.goOn()
  const all = made.all()
  await made.until(half + Math.floor(calls / 4))
  await Promise.all([runtime.close(), runtime.close()])
  await all
  return { outcomes, faults: noted.faults, left: noted.open.size, running: noted.begun - noted.ended }
}

/** Makes calls, some of them in turns that are aborted, some by signals of their own. */
function callsOf(runtime: Runtime, calls: number, noted: Noted, count: (outcome: string) => void) {
  let began = 0
  const one = async (number: number): Promise<void> => {
    const name = TOOLS[number % TOOLS.length] ?? ''
    const signal = number % 11 === 0 ? AbortSignal.timeout(1) : undefined
    const call = (): Promise<unknown> => runtime.invoke(name, { number }, signal && { signal })
    try {
      const result = await (number % 3 === 0 ? runtime.turn(call, signal && { signal }) : call())
      count('result')
      if (result !== number) noted.faults.push(`call ${number} gives ${String(result)}`)
    } catch (error) {
      const { code, name: kind } = error as { code?: unknown; name: string }
      count(typeof code === 'string' ? code : kind)
    }
  }
  const second = gate()
  const all = (async () => {
    const running: Promise<void>[] = []
    while (began < calls) {
      running.push(one(began++))
      // The second half is made while the runtime is closed.
      if (began === Math.floor(calls / 2)) await second.passed
      if (began % 2 === 0) await sleep(1)
    }
    await Promise.all(running)
  })()
  return {
    all: () => all,
    goOn: () => second.open(),
    until: async (number: number): Promise<void> => {
      while (began < number) await sleep(1)
    },
  }
}

/** Deactivates, activates and reloads until it is ended. */
function disturb(runtime: Runtime, write: (version: number) => Promise<void>, noted: Noted) {
  let isOver = false
  const work = (async () => {
    for (let round = 0; !isOver; round++) {
      const name = TOOLS[round % TOOLS.length] ?? ''
      await runtime.deactivate(name)
      if (round % 4 === 1) await write(round + 2)
      await Promise.all([runtime.reload(), runtime.activate(name)])
    }
  })().catch(error => noted.faults.push(`disturbing throws ${String(error?.stack ?? error)}`))
  return {
    end: async (): Promise<void> => {
      isOver = true
      await work
    },
  }
}
