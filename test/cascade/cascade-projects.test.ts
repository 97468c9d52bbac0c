import { createRuntime, type JsonObject } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { around, code, main, worker } from '../support/cascade-project.js'
import { times } from '../support/long.js'
import { ownTools } from '../support/own-tools.js'
import { processorTime } from '../support/processor-time.js'
import { makeTree, type Tree } from '../support/tree.js'

declare global {
  var calls: string[]
}

const LIBRARY = ['limit', 'retry', 'state', 'timeout', 'trace']

describe('middleware that is promoted to everything', () => {
  it('also to itself and to other middleware: every tool runs and ends', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const tree: Tree = {
      'package.json': '{"type":"module"}\n',
      'skills/SKILL.md': main({
        $global: Object.fromEntries([...names, ...LIBRARY].map(name => [name, VALUES[name] ?? 1])),
      }),
      'skills/t.skill.js': worker('t', { params: { type: 'object' } }),
      'more/u.skill.js': worker('u', { e: 2, $order: ['e', '*'] }),
    }
    for (const name of names) tree[`skills/${name}.skill.js`] = around(name, { $self: { of: name } })
    const cwd = makeTree(tree)
    const paths = ['skills', 'more']
    for (const freshness of ['check', 'trust'] as const) {
      if (freshness === 'trust') expect((await compile({ cwd, paths })).diagnostics).toEqual([])
      const runtime = createRuntime({ cwd, paths, freshness })
      for (const { name } of await ownTools(runtime)) {
        globalThis.calls = []
        await runtime.invoke(name, {})
        expect(globalThis.calls.length).toBeLessThan(2_000)
      }
      globalThis.calls = []
      expect(await runtime.invoke('u')).toBe('u')
      for (const name of names) {
        const count = (mark: string) =>
          globalThis.calls.filter(call => call.startsWith(`${mark} ${name}`)).length
        expect(count('>')).toBeGreaterThan(0)
        expect(count('>')).toBe(count('<'))
      }
    }
  })
  const VALUES: JsonObject = { timeout: 5_000, retry: 2, limit: 1_000, state: true, trace: true }

  const count = times(80, 2_000)
  it(`around ${count} tools`, { tags: 'long' }, async () => {
    const tree: Tree = { 'skills/SKILL.md': main({ $global: { m: 1 } }), 'skills/m.skill.js': around('m') }
    for (let index = 0; index < count; index++)
      tree[`skills/t${index}/SKILL.md`] = `---\nname: t${index}\ndescription: Is one.\n---\nDo.\n`
    const cwd = makeTree({ 'package.json': '{"type":"module"}\n', ...tree })
    const start = performance.now()
    const { timings } = await compile({ cwd, paths: ['skills'] })
    console.log(
      `compiled ${count} tools under a promotion in ${Math.round(performance.now() - start)} ms, of which resolving ${Math.round(timings.resolve)} ms`,
    )
    const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'trust' })
    const elapsed = processorTime()
    expect(await runtime.invoke('t7')).toBe('Do.\n')
    const first = elapsed()
    console.log(`first call: ${Math.round(first)} ms`)
    expect(first).toBeLessThan(20_000)
    expect(runtime.stats()).toMatchObject({ cascadesComputed: 0, parser: 'unused' })
    const checking = createRuntime({ cwd, paths: ['skills'], freshness: 'check' })
    for (let index = 0; index < 50; index++) expect(await checking.invoke(`t${index}`)).toBe('Do.\n')
    expect(checking.stats().cascadesComputed).toBe(0)
  })
})

describe('$resolve', () => {
  const params = {
    $resolve: 'nonlocals.gateway.schema',
    type: 'object',
    properties: { a: { type: 'number' } },
  }
  const found = { type: 'object', properties: { b: { type: 'number', default: 5 } }, required: ['c'] }
  const tree: Tree = {
    'package.json': '{"type":"module"}\n',
    'skills/send.skill.js': code('send', { params }, 'return [args, ctx.run.tool.params]'),
    'skills/outer.skill.js': code(
      'outer',
      { params: { type: 'object' } },
      `if (args.schema) ctx.nonlocals.gateway = { schema: args.schema }\nreturn ctx.manager.invoke('send', args.args)`,
    ),
    'skills/through.skill.js': code(
      'through',
      { params: { type: 'object' } },
      `return ctx.manager.invoke('outer', args)`,
    ),
  }

  it.each(['check', 'trust'] as const)('finds what callers share, under %s', async freshness => {
    const cwd = makeTree(tree)
    if (freshness === 'trust') await compile({ cwd, paths: ['skills'] })
    const { invoke } = createRuntime({ cwd, paths: ['skills'], freshness })
    expect(await invoke('send', { a: 1 })).toEqual([{ a: 1 }, params])
    await expect(invoke('send', { a: 'x' })).rejects.toMatchObject({ code: 'ARGS_INVALID' })
    for (const name of ['outer', 'through']) {
      expect(await invoke(name, { schema: found, args: { c: 1 } })).toEqual([{ c: 1, b: 5 }, found])
      await expect(invoke(name, { schema: found, args: { a: 1 } })).rejects.toMatchObject({
        code: 'ARGS_INVALID',
      })
      expect(await invoke(name, { args: { a: 1 } })).toEqual([{ a: 1 }, params])
    }
    const nonlocals = { gateway: { schema: found } }
    expect(await invoke('send', { c: 1 }, { nonlocals })).toEqual([{ c: 1, b: 5 }, found])
    expect(await invoke('through', { args: { c: 1 } }, { nonlocals })).toEqual([{ c: 1, b: 5 }, found])
  })

  it('does not follow a prototype', async () => {
    const cwd = makeTree({
      ...tree,
      'skills/evil.skill.js': code(
        'evil',
        { params: { ...params, $resolve: 'nonlocals.constructor.prototype' } },
        'return 1',
      ),
    })
    const { invoke } = createRuntime({ cwd, paths: ['skills'] })
    expect(await invoke('evil', { a: 1 })).toBe(1)
    await expect(invoke('evil', { a: 'x' })).rejects.toMatchObject({ code: 'ARGS_INVALID' })
  })
})
