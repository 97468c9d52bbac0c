import { createRuntime, type JsonObject, registerTool } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { text } from '../support/cascade-project.js'
import { call, RIGHT, TREE } from '../support/hostile-cascades.js'
import { times } from '../support/long.js'
import { runCode } from '../support/processes.js'
import { processorTime } from '../support/processor-time.js'
import { makeTree, type Tree } from '../support/tree.js'

describe('long chains', () => {
  it('of hundreds of middlewares around each other, and around one tool', async () => {
    const runtime = createRuntime({ paths: [], freshness: 'trust' })
    const middleware = (name: string, metadata: JsonObject): void =>
      registerTool(runtime.globals, {
        name,
        role: 'middleware',
        metadata,
        fn: async ctx => void (await (ctx as { manager: { next: () => Promise<unknown> } }).manager.next()),
      })
    const count = times(300, 900)
    for (let index = 0; index < count; index++)
      middleware(`m${index}`, index === 0 ? {} : { [`m${index - 1}`]: true })
    registerTool(runtime.globals, { name: 'deep', metadata: { [`m${count - 1}`]: true }, fn: () => 'deep' })
    for (let index = 0; index < count; index++) middleware(`w${index}`, {})
    const all = Object.fromEntries(Array.from({ length: count }, (_, index) => [`w${index}`, true]))
    registerTool(runtime.globals, { name: 'wide', metadata: all, fn: () => 'wide' })
    for (const name of ['deep', 'wide', 'deep', 'wide']) expect(await runtime.invoke(name)).toBe(name)
  })
})

describe('hostile metadata', () => {
  const HEIRS = times(1_000, 10_000)
  it('thousands of skills that inherit from each other, in a line and in a ring', async () => {
    const chain = (ring: boolean): string =>
      Array.from({ length: HEIRS }, (_, index) =>
        text(
          `t${index}`,
          { $inherit: index === 0 ? (ring ? `t${HEIRS - 1}` : []) : `t${index - 1}`, k: index },
          '\n',
        ),
      ).join('')
    for (const ring of [false, true]) {
      const all = chain(ring)
      const size = 500_000
      const files: Tree = {}
      for (let at = 0, part = 0; at < all.length; part++) {
        const end = all.length - at <= size ? all.length : all.lastIndexOf('---\nname', at + size)
        files[`skills/part-${part}.skill.md`] = all.slice(at, end)
        at = end
      }
      const cwd = makeTree(files)
      const { diagnostics, skills } = await compile({ cwd, paths: ['skills'] })
      expect(skills.length).toBe(HEIRS)
      expect(new Set(diagnostics.map(({ ruleId }) => ruleId))).toEqual(new Set(ring ? ['inherit-cycle'] : []))
      const { calls } = await call(cwd, `t${HEIRS - 1}`, 'trust')
      expect(calls).toEqual([ring ? '! CASCADE_INVALID' : '= \n'])
    }
  })

  it('names that every object has, as registered middleware and as keys', async () => {
    const runtime = createRuntime({ paths: [], freshness: 'trust' })
    const names = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf', 'then']
    const metadata = JSON.parse(
      `{${names.map(name => `${JSON.stringify(name)}:{"a":1}`).join(',')}}`,
    ) as JsonObject
    const ran: string[] = []
    for (const name of names)
      registerTool(runtime.globals, { name, role: 'middleware', fn: () => void ran.push(name) })
    registerTool(runtime.globals, { name: 'tool', metadata, fn: () => 'result' })
    expect(await runtime.invoke('tool')).toBe('result')
    expect(ran.sort()).toEqual([...names].sort())
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('a megabyte of it', async () => {
    const runtime = createRuntime({ paths: [], freshness: 'trust' })
    const metadata: JsonObject = { $merge: {} }
    for (let index = 0; index < 20_000; index++) metadata[`key-${index}`] = { value: '${args.a}'.padEnd(30) }
    registerTool(runtime.globals, { name: 'base', metadata, fn: () => null })
    registerTool(runtime.globals, {
      name: 'tool',
      metadata: { ...metadata, $inherit: 'base' },
      fn: () => 'result',
    })
    const elapsed = processorTime()
    expect(await runtime.invoke('tool')).toBe('result')
    expect(elapsed()).toBeLessThan(10_000)
  })

  it('a text that doubles with every heir', async () => {
    const files: Tree = { 'skills/t0.skill.md': text('t0', { k: 'x'.repeat(50_000) }) }
    for (let step = 1; step <= 14; step++)
      files[`skills/t${step}.skill.md`] = text(`t${step}`, {
        $inherit: [`t${step - 1}`, `t${step - 1}`],
        $merge: { k: 'append' },
      })
    const cwd = makeTree(files)
    const { diagnostics } = await compile({ cwd, paths: ['skills'] })
    expect(new Set(diagnostics.map(({ ruleId }) => ruleId))).toEqual(new Set(['annotation-invalid']))
    expect(diagnostics.map(({ file }) => file)).toContain('skills/t4.skill.md')
    for (const freshness of ['trust', 'check'] as const) {
      expect((await call(cwd, 't3', freshness)).calls).toEqual(['= Do t3.\n'])
      expect((await call(cwd, 't14', freshness)).calls).toEqual(['! CASCADE_INVALID'])
    }
  })

  it('changes no prototype, also where they are frozen', () => {
    const cwd = makeTree({
      ...TREE,
      'skills/x.skill.md': text('x', {}).replace(
        '---\nDo',
        'metadata: {"__proto__":{"m":1},"m":{"constructor":{"a":1}}}\n---\nDo',
      ),
    })
    const other = JSON.stringify(makeTree(TREE))
    const own = JSON.stringify(cwd)
    const code = (compiles: boolean): string => `
      import { createRuntime } from 'agent-apps'
      import { compile } from 'agent-apps/compiler'
      globalThis.calls = []
      // What packages do to prototypes once, when they are loaded, is not the matter here.
      await compile({ cwd: ${other}, paths: ['skills'] })
      await createRuntime({ cwd: ${other}, paths: ['skills'] }).explain('t')
      for (const type of [Object, Array, Map, Set, Function, Promise, String, Number, RegExp]) Object.freeze(type.prototype)
      if (${compiles}) await compile({ cwd: ${own}, paths: ['skills'] })
      const runtime = createRuntime({ cwd: ${own}, paths: ['skills'], freshness: ${compiles ? "'trust'" : "'check'"} })
      await runtime.invoke('t')
      const x = await runtime.invoke('x').catch(error => error.code)
      process.stdout.write(JSON.stringify([globalThis.calls, x, (await runtime.explain('t')).chain.length]))
    `
    const expected = [RIGHT.slice(0, -1), 'TOOL_BROKEN', 2]
    expect(JSON.parse(runCode(code(false)))).toEqual(expected)
    expect(JSON.parse(runCode(code(true)))).toEqual(expected)
  })

  it('check says of each file what is wrong, and of the others nothing', async () => {
    const cwd = makeTree({
      'skills/a.skill.md': text('a', { $inherit: '../../../../etc/passwd' }),
      'skills/b.skill.md': text('b', { $inherit: 'file:///etc/passwd' }),
      'skills/c.skill.md': text('c', { $inherit: 'file://host/%2F' }),
      'skills/d.skill.md': text('d', { $inherit: 'x'.repeat(5_000) }),
      'skills/e.skill.md': text('e', { $inherit: './\0' }),
      'skills/good.skill.md': text('good', { m: 1 }),
    })
    const { diagnostics } = await check({ cwd, paths: ['skills'] })
    const faulty = diagnostics.filter(({ ruleId }) => ruleId === 'inherit-missing').map(({ file }) => file)
    expect(faulty).toEqual(['a', 'b', 'c', 'd', 'e'].map(name => `skills/${name}.skill.md`))
    await compile({ cwd, paths: ['skills'] })
    for (const freshness of ['trust', 'check'] as const)
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        expect((await call(cwd, name, freshness)).calls).toEqual(['! CASCADE_INVALID'])
  })
})
