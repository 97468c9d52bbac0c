import { cpSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, type Runtime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { installInto } from '../support/code-project.js'
import { type Gate, gate } from '../support/gate.js'
import { newNotes, notingSkill } from '../support/noting-skill.js'
import { notingTool } from '../support/noting-tool.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill, writeTree } from '../support/tree.js'

let log: string[] = []
let open: Runtime[] = []
const gates: Record<string, Gate> = {}

beforeEach(() => {
  log = newNotes()
  for (const name of ['one', 'two']) gates[name] = gate()
  Object.assign(globalThis, { gatesOfSkills: gates })
})
afterEach(async () => {
  for (const { open } of Object.values(gates)) open()
  await Promise.all(open.map(one => one.close()))
  open = []
})

interface Project {
  dir: string
  runtime: Runtime
  /** Writes the skill `a` in another version. */
  change: (version: number) => Promise<void>
}

const paths = ['skills']
const TREE = {
  'skills/a.skill.js': notingSkill('a'),
  'skills/b.skill.js': notingSkill('b'),
  'skills/text.skill.md': skill('text', 'Old.\n'),
}

/** The project as it is compiled first, which tests copy. */
let compiled: string
beforeAll(async () => {
  compiled = makeTree(TREE)
  installInto(compiled)
  newNotes()
  await compile({ cwd: compiled, paths })
})

async function started(freshness: 'trust' | 'check', isCompiled = true): Promise<Project> {
  const dir = temporary()
  if (isCompiled) cpSync(compiled, dir, { recursive: true, preserveTimestamps: true })
  else {
    installInto(dir)
    writeTree(dir, TREE)
  }
  let edits = 0
  const change = async (version: number): Promise<void> => {
    const file = join(dir, 'skills/a.skill.js')
    writeTree(dir, { 'skills/a.skill.js': notingSkill('a', version) })
    const time = new Date(Date.now() + ++edits * 10_000)
    utimesSync(file, time, time)
    if (isCompiled) await compile({ cwd: dir, paths })
  }
  const runtime = createRuntime({ cwd: dir, paths, freshness, library: false })
  open.push(runtime)
  await runtime.start()
  log.length = 0
  return { dir, runtime, change }
}

/** Waits until a call of `a` has begun. */
async function begun(runtime: Runtime): Promise<void> {
  await vi.waitFor(async () =>
    expect((await runtime.tools()).find(({ name }) => name === 'a')?.state).toBe('active'),
  )
  await new Promise(resolve => setTimeout(resolve, 20))
}

describe.each([
  ['trust', true],
  ['check', true],
  ['check', false],
] as const)('reload under %s, compiled: %s', (freshness, isCompiled) => {
  it('replaces what changed, and that alone', async () => {
    const { runtime, change } = await started(freshness, isCompiled)
    await change(2)
    expect(await runtime.reload()).toEqual({ pending: false })
    expect(log.sort()).toEqual(['dispose a 1', 'init a 2'])
    expect(await runtime.invoke('a')).toBe(2)
    expect(await runtime.invoke('b')).toBe(1)
    await runtime.close()
    expect(log.filter(line => line.startsWith('dispose')).sort()).toEqual([
      'dispose a 1',
      'dispose a 2',
      'dispose b 1',
    ])
  })

  it('lets running calls end on the old code, which is disposed of then', async () => {
    const { runtime, change } = await started(freshness, isCompiled)
    const old = runtime.invoke('a', { wait: 'one' })
    await begun(runtime)
    await change(2)
    await runtime.reload()
    expect(await runtime.invoke('a')).toBe(2)
    expect(log).toEqual(['init a 2', 'call a 2'])
    gates.one?.open()
    expect(await old).toBe(1)
    await vi.waitFor(() => expect(log).toEqual(['init a 2', 'call a 2', 'call a 1', 'dispose a 1']))
  })

  it('forgets a tool whose file is gone, and finds a new one', async () => {
    const { dir, runtime } = await started(freshness, isCompiled)
    rmSync(join(dir, 'skills/a.skill.js'))
    writeTree(dir, { 'skills/c.skill.js': notingSkill('c') })
    if (isCompiled) await compile({ cwd: dir, paths: ['skills'] })
    await runtime.reload()
    await vi.waitFor(() => expect(log).toEqual(['dispose a 1']))
    expect(await runtime.findTool('a')).toBeNull()
    expect(await runtime.invoke('c')).toBe(1)
  })

  it('called in a turn takes effect after it', { tags: 'long' }, async () => {
    const { runtime, change } = await started(freshness, isCompiled)
    await runtime.turn(async () => {
      expect(await runtime.invoke('a')).toBe(1)
      await change(2)
      expect(await runtime.reload()).toEqual({ pending: true })
      expect(await runtime.reload()).toEqual({ pending: true })
      expect(await runtime.invoke('a')).toBe(1)
    })
    expect(await runtime.turn(() => runtime.invoke('a'))).toBe(2)
    expect(log.filter(line => line.startsWith('init'))).toEqual(['init a 2'])
  })
})

describe('reload', () => {
  it('waits for the turns of others, and new turns wait for it', async () => {
    const { runtime, change } = await started('trust')
    const order: string[] = []
    const first = runtime.turn(async () => {
      await gates.one?.passed
      order.push('first ends')
    })
    const other = runtime.turn(() => gates.two?.passed)
    await begun(runtime)
    await change(2)
    const reloading = runtime.reload().then(({ pending }) => order.push(`reloaded, pending: ${pending}`))
    await begun(runtime)
    const next = runtime.turn(async () => order.push(`next turn: ${await runtime.invoke('a')}`))
    gates.one?.open()
    await first
    await begun(runtime)
    expect(order).toEqual(['first ends'])
    gates.two?.open()
    await Promise.all([other, reloading, next])
    expect(order).toEqual([
      'first ends',
      expect.stringMatching(/^(re|ne)/),
      expect.stringMatching(/^(re|ne)/),
    ])
    expect(order).toContain('reloaded, pending: false')
    expect(order).toContain('next turn: 2')
  })

  it('tries again what could not be initialised, and leaves what was deactivated', async () => {
    const { runtime } = await started('trust')
    const own: string[] = []
    let works = false
    const init = () => {
      own.push('init')
      if (!works) throw new Error('no connection')
    }
    runtime.register(notingTool('own', own, { init }))
    await runtime.start()
    await runtime.deactivate('a')
    works = true
    await runtime.reload()
    expect(own.filter(line => line === 'init')).toHaveLength(2)
    await runtime.invoke('own')
    await expect(runtime.invoke('a')).rejects.toMatchObject({ code: 'TOOL_INACTIVE' })
    await runtime.activate('a')
    expect(await runtime.invoke('a')).toBe(1)
  })

  it('is done for a closed runtime by throwing', async () => {
    const { runtime } = await started('trust')
    await runtime.close()
    for (const call of [runtime.reload(), runtime.start(), runtime.tools(), runtime.activate('a')])
      await expect(call).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' })
  })
})

describe('without reload', () => {
  it('a file that changed under check replaces the tool at its next call', async () => {
    const { runtime, change } = await started('check')
    await change(2)
    expect(await runtime.invoke('a')).toBe(2)
    await vi.waitFor(() => expect(log.filter(line => line.startsWith('dispose'))).toEqual(['dispose a 1']))
  })

  it('a turn goes on with the old code, while others have the new one', async () => {
    const { runtime, change } = await started('check', false)
    const asked = gate()
    const outside = asked.passed.then(() => runtime.invoke('a'))
    await runtime.turn(async () => {
      expect(await runtime.invoke('a')).toBe(1)
      await change(2)
      asked.open()
      expect(await outside).toBe(2)
      expect(await runtime.invoke('a')).toBe(1)
    })
    expect(await runtime.invoke('a')).toBe(2)
    expect(log.filter(line => line.endsWith('a 2'))).toEqual(['init a 2', 'call a 2', 'call a 2'])
    await vi.waitFor(() => expect(log.filter(line => line.endsWith('e a 1')).at(-1)).toBe('dispose a 1'))
  })

  it('code that comes back is current again', async () => {
    const { runtime, change } = await started('check')
    await change(2)
    await runtime.invoke('a')
    await change(1)
    log.length = 0
    for (const _ of [1, 2, 3]) expect(await runtime.invoke('a')).toBe(1)
    await vi.waitFor(() => expect(log).toContain('dispose a 2'))
    expect(log.filter(line => line !== 'call a 1').sort()).toEqual(['dispose a 2', 'init a 1'])
  })

  it('a registered tool that is replaced or removed is disposed of', async () => {
    const { runtime } = await started('trust')
    const own: string[] = []
    runtime.register(notingTool('own', own))
    await runtime.invoke('own')
    const undo = runtime.register(notingTool('own', own))
    await vi.waitFor(() => expect(own.at(-1)).toBe('dispose own 1'))
    await runtime.invoke('own')
    undo()
    await vi.waitFor(() => expect(own.filter(line => line.startsWith('dispose'))).toHaveLength(2))
  })
})
