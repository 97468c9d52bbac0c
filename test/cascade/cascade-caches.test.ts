import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import {
  clearAllCaches,
  clearToolCache,
  createRuntime,
  type Freshness,
  type Runtime,
  registerTool,
} from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { around, main, text, worker } from '../support/cascade-project.js'
import { some } from '../support/long.js'
import { makeTree, type Tree, writeTree } from '../support/tree.js'

declare global {
  var calls: string[]
}

const PATHS = ['skills', 'more']
const ALONE = { $inherit: false }
const TREE: Tree = {
  'package.json': '{"type":"module"}\n',
  'skills/SKILL.md': main({ tag: 'x', $local: { limit: 5 }, $global: ['tag', 'audit'], audit: 1 }),
  'skills/audit.skill.js': around('audit', { quota: 2 }),
  'skills/quota.skill.js': around('quota', { $hook: '$next', $self: { most: '${args.most}' } }),
  'skills/m.skill.js': around('m', ALONE),
  'skills/base.skill.md': text('base', { m: { who: '${run.tool.name}', n: '${args.n}' }, data: 1 }),
  'skills/t.skill.js': worker('t', { $inherit: 'base', quota: true, tag: null, params: { type: 'object' } }),
  'more/u.skill.js': worker('u', ALONE),
}

/** A project's runtime: over indexes, or over files alone. */
async function start(from: 'index' | 'disk', freshness: Freshness, more: Tree = {}) {
  const cwd = makeTree({ ...TREE, ...more })
  const old = new Date(Date.now() - 60_000)
  for (const path of Object.keys({ ...TREE, ...more })) utimesSync(join(cwd, path), old, old)
  for (const path of PATHS) utimesSync(join(cwd, path), old, old)
  if (from === 'index') await compile({ cwd, paths: PATHS })
  globalThis.calls = []
  return { cwd, runtime: createRuntime({ cwd, paths: PATHS, freshness }) }
}

/** What is kept by a tool's name and path entries, by name. */
function byName<Value>(map: Map<string, Value>): Record<string, Value> {
  return Object.fromEntries([...map].map(([key, value]) => [key.split('\0')[0], value]))
}

function kept({ globals: { cache } }: Runtime) {
  const cascades = Object.entries(byName(cache.cascade)).map(
    ([name, { middleware, order, hook, toolKeys, selfDefaults, resolvedChain, deps }]) => [
      name,
      {
        middleware: [...middleware],
        order,
        hook,
        toolKeys,
        selfDefaults,
        deps,
        steps: resolvedChain.steps.length,
      },
    ],
  )
  return {
    cascade: Object.fromEntries(cascades),
    cascadeDeps: byName(cache.cascadeDeps),
    cyclicPeers: Object.fromEntries(
      [...(cache.cyclicPeers ?? [])].map(([name, peers]) => [name, [...peers]]),
    ),
  }
}

const WAYS = some(
  [
    ['index', 'check'],
    ['disk', 'trust'],
    ['disk', 'check'],
    ['index', 'trust'],
  ] as const,
  2,
)

describe.each(WAYS)('what a runtime keeps of cascades, from %s, under %s', (from, freshness) => {
  it('is what they come to', async () => {
    const { runtime } = await start(from, freshness)
    await runtime.invoke('t', { n: 1, most: 2 })
    await runtime.invoke('u')
    const { peers, deps } = await runtime.explain('audit')
    expect([peers, deps]).toEqual([['quota'], []])
    expect((await runtime.explain('t')).deps).toEqual(['args.most', 'args.n', 'run.tool.name'])
    expect((await runtime.explain('u')).peers).toEqual([])
    expect((await runtime.explain('quota')).peers).toEqual(['audit'])
    expect(runtime.stats().cascadesComputed > 0).toBe(from === 'disk')
    const { cascade, cascadeDeps, cyclicPeers } = kept(runtime)
    expect(cascade.t).toEqual({
      middleware: [
        ['audit', 1],
        ['limit', 5],
        ['m', { who: '${run.tool.name}', n: '${args.n}' }],
        ['quota', { most: '${args.most}' }],
      ],
      order: ['audit', 'limit', 'm', 'quota'],
      hook: [],
      toolKeys: ['audit', 'data', 'limit', 'm', 'quota'],
      selfDefaults: undefined,
      deps: ['args.most', 'args.n', 'run.tool.name'],
      steps: 4,
    })
    expect(cascade.u).toMatchObject({ middleware: [], order: [], toolKeys: [], steps: 0 })
    expect(cascade.quota).toMatchObject({ hook: ['$next'], selfDefaults: { most: '${args.most}' } })
    expect(cascadeDeps).toMatchObject({
      t: ['args.most', 'args.n', 'run.tool.name'],
      u: [],
      audit: [],
      m: [],
    })
    expect(cyclicPeers).toEqual({ audit: ['quota'], quota: ['audit'] })
  })

  it('is forgotten when it may be another', async () => {
    const { runtime } = await start(from, freshness)
    const { cache } = runtime.globals
    const fill = async (): Promise<void> => {
      await runtime.invoke('t', {})
      await runtime.explain('audit')
      registerTool(runtime.globals, { name: 'other', fn: () => 'other' })
      await runtime.invoke('t', {})
      await runtime.invoke('other')
      await runtime.explain('audit')
      expect([cache.cascade.size > 0, cache.cascadeDeps.size > 0, cache.cyclicPeers?.size]).toEqual([
        true,
        true,
        2,
      ])
      expect(cache.promotions).toEqual({ local: { limit: 5 }, global: { tag: 'x', audit: 1 } })
    }
    const forgotten = (): unknown[] => [
      cache.cascade.size,
      cache.cascadeDeps.size,
      cache.cyclicPeers,
      cache.cyclicPeersSeededDirs,
      cache.promotions,
    ]
    for (const forget of [
      () => clearAllCaches(runtime.globals),
      () => clearToolCache('t', runtime.globals),
      () => registerTool(runtime.globals, { name: 'new', fn: () => null }),
    ]) {
      await fill()
      forget()
      expect(forgotten()).toEqual([0, 0, null, null, null])
    }
  })
})

it('peers come from the index of every directory, and once', async () => {
  const { runtime, cwd } = await start('index', 'trust')
  await runtime.explain('u')
  const { cyclicPeers, cyclicPeersSeededDirs } = runtime.globals.cache
  expect([...(cyclicPeersSeededDirs ?? [])].slice(0, 2)).toEqual(PATHS.map(path => join(cwd, path)))
  expect([...(cyclicPeers?.keys() ?? [])].sort()).toEqual(['audit', 'quota'])
  expect(runtime.stats().cascadesComputed).toBe(0)
  cyclicPeers?.set('audit', new Set(['from the cache']))
  expect((await runtime.explain('audit')).peers).toEqual(['from the cache'])
})

it('peers are resolved anew where a registered middleware takes the place of one', async () => {
  const { runtime } = await start('index', 'trust')
  expect((await runtime.explain('quota')).peers).toEqual(['audit'])
  registerTool(runtime.globals, { name: 'audit', role: 'middleware', metadata: ALONE, fn: () => undefined })
  expect((await runtime.explain('quota')).peers).toEqual([])
})

it('under check what changed is told as it is now', async () => {
  const { runtime, cwd } = await start('index', 'check')
  expect((await runtime.explain('t')).deps).toEqual(['args.most', 'args.n', 'run.tool.name'])
  expect((await runtime.explain('audit')).peers).toEqual(['quota'])
  writeTree(cwd, {
    'skills/base.skill.md': text('base', { m: '${args.other}' }),
    'skills/audit.skill.js': around('audit', ALONE),
  })
  expect((await runtime.explain('t')).deps).toEqual(['args.most', 'args.other'])
  expect((await runtime.explain('audit')).peers).toEqual([])
  expect(runtime.globals.cache.cyclicPeers?.has('audit')).toBe(false)
})

describe.each(some(['disk', 'index'] as const))('registered tools without metadata, from %s', from => {
  const add = ({ globals }: Runtime, name: string): void => registerTool(globals, { name, fn: () => name })

  it('need no resolving where nothing is promoted', async () => {
    const { runtime } = await start(from, 'trust', { 'skills/SKILL.md': main({ tag: 'x' }) })
    for (const name of ['a', 'b']) add(runtime, name)
    expect([await runtime.invoke('a'), await runtime.invoke('b')]).toEqual(['a', 'b'])
    expect(runtime.stats().cascadesComputed).toBe(0)
    expect(runtime.globals.cache.promotions).toEqual({ local: {}, global: {} })
  })

  it('get what is promoted by a main skill that changed, under check', async () => {
    const { runtime, cwd } = await start(from, 'check')
    add(runtime, 'a')
    await runtime.invoke('a')
    expect(globalThis.calls).toContain('> audit 1')
    writeTree(cwd, { 'skills/SKILL.md': main({ tag: 'x', $global: ['m'], m: 2 }) })
    globalThis.calls = []
    await runtime.invoke('a')
    expect(globalThis.calls).toContain('> m 2')
    expect(globalThis.calls).not.toContain('> audit 1')
    expect(runtime.globals.cache.promotions).toEqual({ local: {}, global: { m: 2 } })
  })

  it('get what is promoted', async () => {
    const { runtime } = await start(from, 'trust')
    add(runtime, 'a')
    await runtime.invoke('a')
    expect(globalThis.calls).toContain('> audit 1')
  })

  it.each([
    ['an annotation with a fault', main({ $gloabl: {} })],
    ['a file that cannot be read', '---\nname: main\nmetadata: { role: main\n---\n'],
  ])('do not run below a main skill with %s', async (_what, text) => {
    const { runtime } = await start(from, 'trust', { 'skills/SKILL.md': text })
    add(runtime, 'a')
    await expect(runtime.invoke('a')).rejects.toMatchObject({ code: 'CASCADE_INVALID' })
    expect(runtime.globals.cache.promotions).toBeNull()
  })
})
