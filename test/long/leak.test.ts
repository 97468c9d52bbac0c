import { spawnSync } from 'node:child_process'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { times } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { goodSkills, makeTree, skill } from '../support/tree.js'

/** As much as the heap may grow over the second half of the work: the first may fill caches that have a bound. */
const GROWTH = 3 * 1024 * 1024

const USES = {
  finds: { count: times(60_000, 10_000_000), work: 'await runtime.findTool(`good-${turn % 60}`)' },
  invokes: {
    count: times(10_000, 1_000_000),
    work: 'await runtime.invoke(turn % 2 ? "good-7" : "wrapped", {})',
  },
  'look-ups of missing names': {
    count: times(20_000, 100_000),
    work: 'await runtime.findTool(`missing-${turn}`)',
  },
  'calls with a new schema each, equal to the last or not': {
    count: times(1_000, 100_000),
    work: `
      const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^a+$' }, b: { enum: [1, 2] } } }
      registerTool(runtime.globals, { name: 'equal', params: schema, returns: structuredClone(schema), fn: (_, args) => args })
      await runtime.invoke('equal', { a: 'aa' })
      const own = turn % 4 ? schema : { ...schema, title: String(turn) }
      await runtime.invoke('resolved', { a: 'aa' }, { nonlocals: { own } })`,
  },
  'calls that fail': {
    count: times(5_000, 100_000),
    work: 'await runtime.invoke(`nobody-${turn}`).catch(() => {})',
  },
}

it.each(Object.entries(USES))(
  'a heap that stays flat over %s',
  async (_, { count, work }) => {
    const dir = makeTree({
      ...goodSkills(60),
      'wrapped/SKILL.md': skill('wrapped', 'Text.\n', 'metadata: { timeout: 10000 }\n'),
    })
    await compile({ paths: [dir] })
    const code = `
      import { createRuntime, registerTool } from 'agent-apps'
      const runtime = createRuntime({ paths: [${JSON.stringify(dir)}], freshness: 'trust' })
      const params = { $resolve: 'nonlocals.own', type: 'object' }
      registerTool(runtime.globals, { name: 'resolved', params, fn: () => 1 })
      const heap = async () => {
        await new Promise(done => setTimeout(done, 50))
        globalThis.gc(); globalThis.gc()
        return process.memoryUsage().heapUsed
      }
      let half = 0
      for (let turn = 0; turn < ${count}; turn++) {
        if (turn === ${count / 2}) half = await heap()
        ${work}
      }
      console.log((await heap()) - half)`
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--expose-gc', '--input-type=module', '-e', code],
      { cwd: ROOT, encoding: 'utf8' },
    )
    expect(stderr).toBe('')
    expect(Number(stdout)).toBeLessThan(GROWTH)
  },
  3_600_000,
)
