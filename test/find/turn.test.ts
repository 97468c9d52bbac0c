import { rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRuntime, type Runtime, registerTool } from 'agent-apps'
import { compile, watch } from 'agent-apps/compiler'
import { describe, expect, it, vi } from 'vitest'
import { around, text, worker } from '../support/cascade-project.js'
import { gate } from '../support/gate.js'
import { isLong } from '../support/long.js'
import { ownTools } from '../support/own-tools.js'
import { goodSkills, makeTree, skill, type Tree, writeTree } from '../support/tree.js'

const TREE: Tree = { 'one/SKILL.md': skill('one', 'Old one.\n'), 'two/SKILL.md': skill('two', 'Old two.\n') }

let edits = 0
/** Writes files as an edit does that is not made within the same tick of the clock as what came before. */
function edit(dir: string, tree: Tree): void {
  writeTree(dir, tree)
  edits++
  const time = new Date(Date.now() + edits * 10_000)
  for (const path of Object.keys(tree)) utimesSync(join(dir, path), time, time)
  utimesSync(dir, time, time)
}

async function start(way: string, tree: Tree = TREE): Promise<{ dir: string; runtime: Runtime }> {
  const dir = makeTree(tree)
  if (way === 'compiled') await compile({ paths: [dir] })
  return { dir, runtime: createRuntime({ paths: [dir], freshness: 'check' }) }
}

/** All that a runtime says of its tools. */
async function state(runtime: Runtime): Promise<object> {
  const names = (await ownTools(runtime)).map(({ name }) => name)
  const texts = await Promise.all(names.map(name => runtime.invoke(name)))
  return Object.fromEntries(names.map((name, number) => [name, texts[number]]))
}

const OLD = { one: 'Old one.\n', two: 'Old two.\n' }
const NEW = { one: 'New and longer one.\n', three: 'Do three.\n' }

function change(dir: string): void {
  rmSync(join(dir, 'two'), { recursive: true })
  edit(dir, { 'one/SKILL.md': skill('one', 'New and longer one.\n'), 'three/SKILL.md': skill('three') })
}

describe.each(['compiled', 'from disk'])('a turn, %s', way => {
  it('sees the files as it saw them first, and the next one as they are', async () => {
    const { dir, runtime } = await start(way)
    await runtime.turn(async () => {
      expect(await state(runtime)).toEqual(OLD)
      change(dir)
      expect(await state(runtime)).toEqual(OLD)
      expect((await runtime.findTool('two'))?.name).toBe('two')
      // A name that no index has is looked for in the files when it is first asked for.
      if (way === 'from disk') expect(await runtime.findTool('three')).toBeNull()
      await sleep(60)
      expect(await state(runtime)).toEqual(OLD)
    })
    expect(await runtime.turn(() => state(runtime))).toEqual(NEW)
    expect(await state(runtime)).toEqual(NEW)
  })

  it('ends for those inside of it when it ends', async () => {
    const { dir, runtime } = await start(way)
    await runtime.turn(async () => {
      expect(await runtime.turn(() => state(runtime))).toEqual(OLD)
      change(dir)
      expect(await runtime.turn(() => state(runtime))).toEqual(OLD)
    })
    expect(await state(runtime)).toEqual(NEW)
  })

  it('is nobody else’s', async () => {
    const { dir, runtime } = await start(way)
    const looked = gate()
    const changed = gate()
    const slow = runtime.turn(async () => {
      const first = await state(runtime)
      looked.open()
      await changed.passed
      return [first, await state(runtime)]
    })
    await looked.passed
    change(dir)
    expect(await state(runtime)).toEqual(NEW)
    expect(await runtime.turn(() => state(runtime))).toEqual(NEW)
    changed.open()
    expect(await slow).toEqual([OLD, OLD])
    expect(await state(runtime)).toEqual(NEW)
  })

  it('holds for what tools call, and for what runs around them', async () => {
    const { dir, runtime } = await start(way, {
      ...TREE,
      'wrap.skill.js': around('wrap'),
      'caller.skill.md': text('caller', { wrap: { level: 1 } }),
      'calls.skill.js': worker('calls', {}, "return [await ctx.manager.invoke('one'), ctx.run.chain.length]"),
    })
    const level = async () => (await runtime.explain('caller')).metadata.wrap?.value
    await runtime.turn(async () => {
      expect(await runtime.invoke('calls')).toEqual(['Old one.\n', 0])
      expect(await level()).toEqual({ level: 1 })
      change(dir)
      edit(dir, { 'caller.skill.md': text('caller', { wrap: { level: 22 } }) })
      expect(await runtime.invoke('calls')).toEqual(['Old one.\n', 0])
      expect(await level()).toEqual({ level: 1 })
    })
    expect(await runtime.invoke('calls')).toEqual(['New and longer one.\n', 0])
    expect(await level()).toEqual({ level: 22 })
  })

  it('gives what its work gives, and throws what it throws', async () => {
    const { dir, runtime } = await start(way)
    expect(await runtime.turn(() => 1)).toBe(1)
    await expect(
      runtime.turn(async () => {
        await state(runtime)
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    change(dir)
    expect(await state(runtime)).toEqual(NEW)
  })
})

it('looks at each file once in a turn', async () => {
  const { runtime } = await start('compiled')
  const fs = await import('node:fs')
  const { syncBuiltinESMExports } = await import('node:module')
  await state(runtime)
  const looked: string[] = []
  const { statSync } = fs.default
  const counted = (...args: Parameters<typeof statSync>) => {
    looked.push(String(args[0]))
    return statSync(...args)
  }
  Object.assign(fs.default, { statSync: counted })
  syncBuiltinESMExports()
  try {
    await runtime.turn(async () => {
      for (let round = 0; round < 5; round++) await state(runtime)
    })
  } finally {
    Object.assign(fs.default, { statSync })
    syncBuiltinESMExports()
  }
  expect(looked.length).toBeGreaterThan(3)
  expect(looked).toHaveLength(new Set(looked).size)
})

it.runIf(isLong)('goes on with the new index where the old one’s parts are gone', async () => {
  const COUNT = 1_000
  const { dir, runtime } = await start('compiled', goodSkills(COUNT))
  await runtime.turn(async () => {
    expect(await runtime.invoke('good-0')).toBe('Do good-0.\n')
    for (let number = 0; number < COUNT; number++)
      writeTree(dir, { [`good-${number}/SKILL.md`]: skill(`good-${number}`, `New ${number}.\n`) })
    await compile({ paths: [dir] })
    for (let number = 1; number < COUNT; number++)
      expect(await runtime.invoke(`good-${number}`)).toBe(`New ${number}.\n`)
  })
  expect(runtime.stats().via.index).toBeGreaterThan(COUNT / 2)
  expect(runtime.diagnostics().filter(({ rule }) => rule === 'index-refused')).toEqual([])
})

it('takes up between turns what `watch` compiled', async () => {
  const { dir, runtime } = await start('compiled')
  let compiles = 0
  const watcher = await watch({ paths: [dir], onCompile: () => compiles++ })
  try {
    await runtime.turn(async () => {
      expect(await state(runtime)).toEqual(OLD)
      rmSync(join(dir, 'two'), { recursive: true })
      writeTree(dir, {
        'one/SKILL.md': skill('one', 'New and longer one.\n'),
        'three/SKILL.md': skill('three'),
      })
      await vi.waitFor(() => expect(compiles).toBeGreaterThan(1), { interval: 5, timeout: 60_000 })
      expect(await state(runtime)).toEqual(OLD)
    })
    await vi.waitFor(async () => expect(await runtime.turn(() => state(runtime))).toEqual(NEW), {
      timeout: 60_000,
    })
    expect((await runtime.findTool('three'))?.origin.via).toBe('index')
  } finally {
    await watcher.close()
  }
})

describe('close', () => {
  const calls: Record<string, (runtime: Runtime) => unknown> = {
    findTool: runtime => runtime.findTool('one'),
    listTools: runtime => runtime.listTools(),
    invoke: runtime => runtime.invoke('one'),
    'invoke of a registered tool': runtime => runtime.invoke('own'),
    render: runtime => runtime.render('one'),
    readResource: runtime => runtime.readResource('one', 'a.txt'),
    describe: runtime => runtime.describe('one'),
    explain: runtime => runtime.explain('one'),
    'forAgent().findTool': runtime => runtime.forAgent().findTool('one'),
    'forAgent().listTools': runtime => runtime.forAgent().listTools(),
    'forAgent().invoke': runtime => runtime.forAgent().invoke('one'),
    turn: runtime => runtime.turn(() => 1),
    registerTool: async ({ globals }) => registerTool(globals, { name: 'more', fn: () => 1 }),
  }

  it.each(Object.keys(calls).flatMap(name => [['check', name] as const, ['trust', name] as const]))(
    'under %s, %s throws afterwards',
    async (freshness, name) => {
      const dir = makeTree(TREE)
      await compile({ paths: [dir] })
      const runtime = createRuntime({ paths: [dir], freshness })
      registerTool(runtime.globals, { name: 'own', fn: () => 1 })
      await runtime.invoke('own')
      await state(runtime)
      await runtime.close()
      await runtime.close()
      await expect(calls[name]?.(runtime)).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' })
    },
  )

  it('lets go of everything, what was under way included', async () => {
    const dir = makeTree(TREE)
    const runtime = createRuntime({ paths: [dir], freshness: 'check' })
    const { globals } = runtime
    globals.events.on('tool:start', () => {})
    registerTool(globals, { name: 'own', fn: () => 1 })
    await state(runtime)
    const under = runtime.findTool('two')
    await runtime.close()
    expect((await under)?.name).toBe('two')
    const { cache, tools, directories, resolving, chains, missing, events } = globals
    const held = [...Object.values(cache), tools.programmaticTools, directories, resolving, chains, missing]
    for (const one of [...held, events.listeners]) expect(one?.size ?? 0).toBe(0)
    expect(runtime.stats().via.disk).toBeGreaterThan(0)
  })

  it('lets a tool that is running end, which can call no other', async () => {
    const runtime = createRuntime({ paths: [makeTree(TREE)], freshness: 'check' })
    const closed = gate()
    registerTool(runtime.globals, {
      name: 'slow',
      async fn(ctx) {
        await closed.passed
        return ctx.manager.invoke('one').catch((error: { code: string }) => error.code)
      },
    })
    const running = runtime.invoke('slow')
    await sleep(20)
    await runtime.close()
    closed.open()
    expect(await running).toBe('RUNTIME_CLOSED')
  })
})
