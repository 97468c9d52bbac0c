import { cpSync, rmSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  clearAllCaches,
  clearToolCache,
  createRuntime,
  type Runtime,
  registerTool,
  unregisterTool,
} from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { around, code, main, text, worker } from '../support/cascade-project.js'
import { isLong } from '../support/long.js'
import { temporary } from '../support/temporary.js'
import { goodSkills, makeTree, type Tree, writeTree } from '../support/tree.js'

declare global {
  var calls: string[]
}

const ALONE = { $inherit: false }
const TREE: Tree = {
  'package.json': '{"type":"module"}\n',
  'a/m.skill.js': around('m', ALONE),
  'a/n.skill.js': around('n', ALONE),
  'a/base.skill.md': text('base', { m: 'base' }),
  'a/silent.skill.md': text('silent'),
  'a/t.skill.js': worker('t', { $inherit: 'base' }),
  'a/quiet.skill.js': worker('quiet', { $inherit: 'silent', o: 1 }),
  'a/plain/plain.skill.js': worker('plain', { version: 1 }),
  'b/u.skill.js': worker('u', { n: 'own' }),
}
const PATHS = ['a', 'b']

/** How a runtime stands before the edit. */
const WAYS = [
  ['check', 'indexes', 'before the first call'],
  ['check', 'indexes', 'after a call'],
  ['check', 'shards', 'after a call'],
  ['check', 'files', 'after a call'],
  ['trust', 'indexes', 'compiled again'],
] as const

const START = Date.now()
let edits = 0

/** Lets time pass between an index and an edit, as it does for whoever types. */
function later(cwd: string, path: string): void {
  edits++
  const time = new Date(START - 20_000 + edits)
  utimesSync(join(cwd, path), time, time)
}

describe.each(isLong ? WAYS : [WAYS[1]])('%s, of %s, %s', (freshness, kind, when) => {
  interface Project {
    cwd: string
    runtime: Runtime
    calls: (name: string) => Promise<string[]>
    edit: (tree: Tree, removed?: string[]) => Promise<void>
  }

  /** The project without more, which is made once, and copied for each test. */
  let template: Promise<string> | undefined

  async function project(more?: Tree): Promise<Project> {
    template ??= made({})
    const cwd = more ? await made(more) : temporary()
    if (!more) cpSync(await template, cwd, { recursive: true, preserveTimestamps: true })
    const start = () => createRuntime({ cwd, paths: PATHS, freshness })
    const one = { cwd, runtime: start(), calls, edit }
    if (when === 'after a call') for (const name of ['t', 'u', 'plain', 'quiet']) await calls(name)
    return one

    async function calls(name: string): Promise<string[]> {
      globalThis.calls = []
      try {
        await one.runtime.invoke(name)
      } catch (error) {
        globalThis.calls.push(`! ${(error as { code: string }).code}`)
      }
      return globalThis.calls.filter(call => !call.startsWith('<'))
    }

    async function edit(tree: Tree, removed: string[] = []): Promise<void> {
      writeTree(cwd, tree)
      for (const path of removed) rmSync(join(cwd, path))
      for (const path of Object.keys(tree)) later(cwd, path)
      for (const path of PATHS) later(cwd, path)
      if (freshness === 'check') return
      await compile({ cwd, paths: PATHS })
      one.runtime = start()
    }
  }

  async function made(more: Tree): Promise<string> {
    const many = kind === 'shards' ? goodSkills(300) : {}
    const added = Object.fromEntries(Object.entries(many).map(([path, item]) => [`a/${path}`, item]))
    const tree = { ...TREE, ...added, ...more }
    const cwd = makeTree(tree)
    const old = new Date(Date.now() - 3_600_000)
    for (const path of Object.keys(tree)) {
      utimesSync(join(cwd, path), old, old)
      utimesSync(dirname(join(cwd, path)), old, old)
    }
    if (kind !== 'files') {
      await compile({ cwd, paths: PATHS })
      // The index is of some time ago, and so are the directories.
      for (const path of PATHS) {
        const time = new Date(Date.now() - 60_000)
        utimesSync(join(cwd, path, '.agent-apps.json'), time, time)
        utimesSync(join(cwd, path), time, time)
      }
    }
    return cwd
  }

  it('sees a base that was edited, and one that gives something only now', async () => {
    const { calls, edit, runtime } = await project()
    expect(await calls('t')).toEqual(['> m "base"', 't'])
    expect(await calls('quiet')).toEqual(['quiet'])
    expect(runtime.stats().cascadesComputed > 0).toBe(kind === 'files')
    await edit({
      'a/base.skill.md': text('base', { n: 'edited' }),
      'a/silent.skill.md': text('silent', { m: 1 }),
    })
    expect(await calls('t')).toEqual(['> n "edited"', 't'])
    expect(await calls('quiet')).toEqual(['> m 1', 'quiet'])
  })

  it('sees that a tool no longer inherits', async () => {
    const { calls, edit } = await project()
    await edit({ 'a/t.skill.js': worker('t', { n: 2 }) })
    expect(await calls('t')).toEqual(['> n 2', 't'])
    await edit({ 'a/t.skill.js': worker('t') })
    expect(await calls('t')).toEqual(['t'])
  })

  it('sees a main skill that was added, edited, renamed and removed', async () => {
    const { calls, edit } = await project()
    expect(await calls('plain')).toEqual(['plain'])
    await edit({ 'a/SKILL.md': main({ $local: { m: 'local' }, $global: { n: 'global' } }) })
    expect(await calls('plain')).toEqual(['> n "global"', '> m "local"', 'plain'])
    expect(await calls('u')).toEqual(['> n "own"', 'u'])
    expect(await calls('t')).toEqual(['> n "global"', '> m "base"', 't'])
    await edit({ 'a/SKILL.md': main({ $local: { m: 'another' } }, 'renamed') })
    expect(await calls('plain')).toEqual(['> m "another"', 'plain'])
    await edit({}, ['a/SKILL.md'])
    expect(await calls('plain')).toEqual(['plain'])
    await edit({ 'b/main.skill.md': main({ $global: { m: 'of b' } }) })
    expect(await calls('plain')).toEqual(['> m "of b"', 'plain'])
  })

  it('sees that a main skill promotes something only now', async () => {
    const { calls, edit } = await project({ 'a/SKILL.md': main({}) })
    expect(await calls('plain')).toEqual(['plain'])
    await edit({ 'a/SKILL.md': main({ $global: { m: 'global' } }) })
    expect(await calls('plain')).toEqual(['> m "global"', 'plain'])
    expect(await calls('u')).toEqual(['> m "global"', '> n "own"', 'u'])
  })

  it('sees a middleware that was edited, that lost its role, and one that was added', async () => {
    const { calls, edit } = await project()
    await edit({ 'a/m.skill.js': around('m', { $self: { by: 'default' }, ...ALONE }) })
    expect(await calls('t')).toEqual(['> m "base"', 't'])
    await edit({ 'a/m.skill.js': code('m', {}, 'say("no middleware")') })
    expect(await calls('t')).toEqual(['t'])
    await edit({ 'b/version.skill.js': around('version', ALONE) })
    expect(await calls('plain')).toEqual(['> version 1', 'plain'])
  })

  it('sees a fault come and go', async () => {
    const { calls, edit } = await project()
    await edit({ 'a/base.skill.md': text('base', { $inherti: 1 }) })
    expect(await calls('t')).toEqual(['! CASCADE_INVALID'])
    await edit({ 'a/base.skill.md': text('base', { m: 'mended' }) })
    expect(await calls('t')).toEqual(['> m "mended"', 't'])
  })

  it('takes registered middleware before all other, as long as it is there', async () => {
    const { calls, runtime } = await project()
    const say = (what: string) => async () => void globalThis.calls.push(what)
    registerTool(runtime.globals, { name: 'm', role: 'middleware', fn: say('registered m') })
    expect(await calls('t')).toEqual(['registered m', 't'])
    unregisterTool(runtime.globals, 'm')
    expect(await calls('t')).toEqual(['> m "base"', 't'])
    registerTool(runtime.globals, { name: 'version', role: 'middleware', fn: say('registered version') })
    expect(await calls('plain')).toEqual(['registered version', 'plain'])
    registerTool(runtime.globals, { name: 'version', fn: say('no middleware') })
    expect(await calls('plain')).toEqual(['plain'])
  })

  it('takes a registered base before all other', async () => {
    const { calls, runtime } = await project()
    registerTool(runtime.globals, { name: 'base', metadata: { n: 'registered' }, fn: () => null })
    expect(await calls('t')).toEqual(['> n "registered"', 't'])
    unregisterTool(runtime.globals, 'base')
    expect(await calls('t')).toEqual(['> m "base"', 't'])
  })

  it('finds a base that is only registered', async () => {
    const { calls, runtime } = await project({ 'a/v.skill.js': worker('v', { $inherit: 'ours' }) })
    expect(await calls('v')).toEqual(['! CASCADE_INVALID'])
    registerTool(runtime.globals, { name: 'ours', metadata: { n: 'ours' }, fn: () => null })
    expect(await calls('v')).toEqual(['> n "ours"', 'v'])
  })

  it('does not keep a chain that was resolved while middleware was registered', async () => {
    const { cwd } = await project()
    const runtime = createRuntime({ cwd, paths: PATHS, freshness })
    globalThis.calls = []
    const first = runtime.invoke('t')
    for (let tick = 0; tick < 20; tick++) await null
    registerTool(runtime.globals, {
      name: 'm',
      role: 'middleware',
      fn: async () => void globalThis.calls.push('registered m'),
    })
    await first
    globalThis.calls = []
    await runtime.invoke('t')
    expect(globalThis.calls).toEqual(['registered m', 't'])
  })

  it('resolves a chain once for calls at the same time', async () => {
    const { cwd } = await project()
    const runtime = createRuntime({ cwd, paths: PATHS, freshness })
    registerTool(runtime.globals, { name: 'm', role: 'middleware', fn: () => undefined })
    await Promise.all(Array.from({ length: 50 }, () => runtime.invoke('t')))
    expect(runtime.stats().cascadesComputed).toBeLessThanOrEqual(3)
  })

  it.each(['clearToolCache', 'clearAllCaches', 'clean'])('%s loses nothing', async how => {
    const { cwd, calls, runtime } = await project({ 'a/SKILL.md': main({ $local: { n: 1 } }) })
    expect(await calls('t')).toEqual(['> n 1', '> m "base"', 't'])
    writeTree(cwd, {
      'a/SKILL.md': main({ $local: { n: 22 } }),
      'a/base.skill.md': text('base', { m: 'anew' }),
    })
    await compile({ cwd, paths: PATHS })
    if (how === 'clearToolCache')
      for (const name of ['t', 'base', 'main']) clearToolCache(name, runtime.globals)
    else clearAllCaches(runtime.globals)
    if (how === 'clean') {
      const { clean } = await import('agent-apps/compiler')
      await clean({ cwd, paths: PATHS })
    }
    expect(await calls('t')).toEqual(['> n 22', '> m "anew"', 't'])
  })
})
