import { join } from 'node:path'
import { createRuntime, type RuntimeOptions, type Store } from 'agent-apps'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { code } from '../support/asking.js'
import { temporary } from '../support/temporary.js'
import { writeTree } from '../support/tree.js'

/** A store in memory, shared by the runtimes of a test, each of which stands for a process. */
function sharedStore(ttlMs?: number): Store & { values: Map<string, { value: never; expires?: number }> } {
  const values = new Map()
  let count = 0
  return {
    values,
    ...(ttlMs !== undefined && { ttlMs }),
    get: async key => structuredClone(values.get(key)) ?? null,
    async set(key, value, version, options) {
      if ((values.get(key)?.version ?? null) !== version)
        throw Object.assign(new Error('overtaken'), { code: 'STATE_CONFLICT' })
      values.set(key, structuredClone({ value, version: `${++count}`, ...options }))
      return `${count}`
    },
    delete: async key => void values.delete(key),
  }
}

const monday = { sessionId: 'monday' }

/** A process with the tool `count`, which waits for `before` once it has counted. */
function processWith(store: Store, before: () => Promise<unknown> = async () => {}) {
  const runtime = createRuntime({ paths: [], store })
  runtime.register({
    name: 'count',
    state: { schema: { type: 'object' }, initial: { count: 0 } },
    execute: async (_, ctx) => {
      const state = ctx.state as { count: number }
      state.count++
      const { count } = state
      await before()
      return count
    },
  })
  return runtime
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a session that another process ends', () => {
  it('keeps nothing of a call that runs', async () => {
    const store = sharedStore()
    const other = processWith(store)
    const runtime = processWith(store, () => other.endSession('monday'))
    expect(await runtime.invoke('count', {}, monday)).toBe(1)
    expect(store.values.size).toBe(0)
    expect(await other.invoke('count', {}, monday)).toBe(1)
  })

  it('does not see what a call keeps between noting its key and setting it', async () => {
    const store = sharedStore()
    const other = processWith(store)
    const late: Store = {
      ...store,
      set: async (key, value, version, options) => {
        if (key.startsWith('["state"')) await other.endSession('monday')
        return store.set(key, value, version, options)
      },
    }
    expect(await processWith(late).invoke('count', {}, monday)).toBe(1)
    expect([...store.values.keys()]).toEqual([expect.stringMatching(/^\["state"/)])
    expect(await other.invoke('count', {}, monday)).toBe(1)
    expect(await other.invoke('count', {}, monday)).toBe(2)
  })

  it('takes its answered requests with it', async () => {
    const cwd = temporary()
    writeTree(cwd, {
      'skills/deploy.skill.md':
        '---\nname: deploy\ndescription: Deploys.\nmetadata:\n  gated: true\n---\nDeploy it.\n',
    })
    const store = sharedStore()
    const open = () => createRuntime({ cwd, paths: ['skills'], store })
    const [asker, other] = [open(), open()]
    const agent = asker.forAgent(monday)
    await agent.authorize('deploy', {}, { callId: 'one' })
    await agent.answer('one', 'allow-once')
    await other.endSession('monday')
    expect(await code(agent.invoke('deploy', {}, { callId: 'one' }))).toBe('APPROVAL_UNAVAILABLE')
  })
})

describe('a store with ttlMs', () => {
  const HOUR = 3_600_000

  it('is told when values expire, and a use renews them once half of the time has passed', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] })
    const store = sharedStore(4 * HOUR)
    const runtime = processWith(store)
    const expiries = () => [...store.values].map(([key, { expires }]) => [JSON.parse(key)[0], expires])
    await runtime.invoke('count', {}, monday)
    expect(expiries()).toEqual([
      ['session', 8 * HOUR],
      ['state', 4 * HOUR],
    ])
    vi.setSystemTime(1 * HOUR)
    await reading(runtime)
    expect(expiries()[1]).toEqual(['state', 4 * HOUR])
    vi.setSystemTime(3 * HOUR)
    await reading(runtime)
    expect(expiries()[1]).toEqual(['state', 7 * HOUR])
    vi.setSystemTime(5 * HOUR)
    await reading(runtime)
    // The record outlives each of its values.
    expect(expiries()).toEqual([
      ['session', 13 * HOUR],
      ['state', 7 * HOUR],
    ])
  })

  /** A call that leaves its state as it was. */
  async function reading(runtime: ReturnType<typeof processWith>): Promise<void> {
    runtime.register({
      name: 'count',
      state: { schema: { type: 'object' }, initial: { count: 0 } },
      execute: () => 'read',
    })
    await runtime.invoke('count', {}, monday)
  }
})

it('is shared by checkouts in different folders, also where skills lie beside them', async () => {
  const store = sharedStore()
  const skill = `import { ctxOwn } from 'agent-apps'
    export const frontmatter = { name: 'count', description: 'Counts.', metadata: {
    'state-slot': { schema: { type: 'object' }, initial: { count: 0 } } } }
    export default ctx => ++ctxOwn(ctx).state.count`
  const counts: unknown[] = []
  for (let checkout = 0; checkout < 2; checkout++) {
    const root = temporary()
    writeTree(root, { 'shared/count.skill.js': skill, 'app/package.json': '{}' })
    const options: RuntimeOptions = { cwd: join(root, 'app'), paths: ['../shared'], store }
    counts.push(await createRuntime(options).invoke('count', {}, monday))
  }
  expect(counts).toEqual([1, 2])
})
