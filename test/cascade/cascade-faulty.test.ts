import { rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, registerTool } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { around, bothWays, type Case, code, main, text, worker } from '../support/cascade-project.js'
import { oneIn } from '../support/long.js'
import { makeTree, type Tree, writeTree } from '../support/tree.js'

declare global {
  var calls: string[]
}

const ALONE = { $inherit: false }
/** A skill whose YAML cannot be read. */
const broken = (name: string, more = ''): string => `---\nname: ${name}\nmetadata: {${more}\n---\nDo it.\n`
const misspelt = (name: string, role: string): string => code(name, { role, ...ALONE }, '')
const GUARD = { 'skills/t.skill.js': worker('t', { guard: 1 }), 'skills/u.skill.js': worker('u') }

const HEIR = {
  'skills/t.skill.js': worker('t', { $inherit: ['base'] }),
  'skills/u.skill.js': worker('u'),
}

const BASE_BROKEN =
  /^! CASCADE_INVALID .* cannot be resolved: "base" cannot be inherited from: base\.skill\.md:3: /
const MIDDLEWARE_BROKEN = /^! CASCADE_INVALID .* cannot be resolved: the middleware "guard" cannot be used: /
const MAIN_BROKEN = /^! CASCADE_INVALID .* cannot be resolved: the main skill in \S+:\d+ cannot be used, /

/** Per case what the calls of `t` and `u` come to, and where `check` finds what. */
const CASES: Record<string, { tree: Tree; paths?: string[]; t: RegExp; u: RegExp; found: string[] }> = {
  'middleware whose YAML cannot be read': {
    tree: { ...GUARD, 'skills/guard.skill.md': broken('guard') },
    t: MIDDLEWARE_BROKEN,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:82 middleware-broken'],
  },
  'middleware whose code cannot be parsed': {
    tree: { ...GUARD, 'skills/guard.skill.js': `${around('guard')}}` },
    t: MIDDLEWARE_BROKEN,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:82 middleware-broken'],
  },
  'middleware whose role is misspelt': {
    tree: { ...GUARD, 'skills/guard.skill.js': misspelt('guard', 'middlware') },
    t: MIDDLEWARE_BROKEN,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:82 middleware-broken'],
  },
  'middleware with a fault in a later entry, behind data of that name': {
    tree: {
      ...GUARD,
      'skills/guard/SKILL.md': text('guard'),
      'more/guard.skill.md': broken('guard'),
    },
    paths: ['skills', 'more'],
    t: MIDDLEWARE_BROKEN,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:82 middleware-broken'],
  },
  'middleware with a fault that is promoted: told of once, where it is promoted': {
    tree: {
      'skills/SKILL.md': main({ $global: { guard: 1 } }),
      'skills/guard.skill.md': broken('guard'),
      'skills/t.skill.js': worker('t'),
      'skills/u.skill.js': worker('u', { guard: null }),
    },
    t: MIDDLEWARE_BROKEN,
    u: /^= u$/,
    found: ['skills/SKILL.md:4:37 middleware-broken'],
  },
  'middleware with a fault around a middleware': {
    tree: {
      'skills/guard.skill.md': broken('guard'),
      'skills/m.skill.js': around('m', { guard: 1 }),
      'skills/t.skill.js': worker('t', { m: 1 }),
      'skills/u.skill.js': worker('u'),
    },
    t: /^! CASCADE_INVALID .*"t" cannot be resolved: in "m", the middleware "guard" cannot be used/,
    u: /^= u$/,
    found: ['skills/m.skill.js:1:102 middleware-broken'],
  },
  'a base whose YAML cannot be read': {
    tree: { ...HEIR, 'skills/base.skill.md': broken('base') },
    t: BASE_BROKEN,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:85 inherit-broken'],
  },
  'a base whose code cannot be parsed, by its path': {
    tree: {
      'skills/t.skill.js': worker('t', { $inherit: ['./deep/base.skill.js'] }),
      'skills/u.skill.js': worker('u'),
      'skills/deep/base.skill.js': `${worker('base')}}`,
    },
    t: /: "\.\/deep\/base\.skill\.js" cannot be inherited from: deep\/base\.skill\.js:8: /,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:85 inherit-broken'],
  },
  'a base by its folder and a name that its broken file may have': {
    tree: {
      'skills/t.skill.js': worker('t', { $inherit: ['./base#base'] }),
      'skills/u.skill.js': worker('u'),
      'skills/base/SKILL.md': broken('base'),
    },
    t: /cannot be inherited from: base\/SKILL\.md:3: /,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:85 inherit-broken'],
  },
  'a base by its path, whose name another file has': {
    tree: {
      'skills/t.skill.js': worker('t', { $inherit: ['./z.skill.md'] }),
      'skills/u.skill.js': worker('u', { $inherit: ['./a.skill.md', 'base'] }),
      'skills/a.skill.md': text('base'),
      'skills/z.skill.md': text('base', { timeout: 5000 }),
    },
    t: /"\.\/z\.skill\.md" cannot be inherited from: z\.skill\.md: the name "base" is taken by a\.skill\.md, which comes first/,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:85 inherit-broken'],
  },
  'a base by its path, the first of whose tools has another file’s name': {
    tree: {
      'skills/t.skill.js': worker('t', { $inherit: ['./z.skill.md'] }),
      'skills/u.skill.js': worker('u', { $inherit: ['./z.skill.md#more'] }),
      'skills/a.skill.md': text('base'),
      'skills/z.skill.md': `${text('base')}\n${text('more')}`,
    },
    t: /z\.skill\.md: the name "base" is taken by a\.skill\.md, /,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:85 inherit-broken'],
  },
  'a base with a fault, before one of its name in a later entry': {
    tree: { ...HEIR, 'skills/base.skill.md': broken('base'), 'more/base.skill.md': text('base') },
    paths: ['skills', 'more'],
    t: BASE_BROKEN,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:85 inherit-broken'],
  },
  'a base with a fault, below another base': {
    tree: {
      'skills/base.skill.md': broken('base'),
      'skills/m.skill.js': worker('m', { $inherit: ['base'] }),
      'skills/t.skill.js': worker('t', { $inherit: ['m'] }),
      'skills/u.skill.js': worker('u'),
    },
    t: /"t" cannot be resolved: in "m", "base" cannot be inherited from: /,
    u: /^= u$/,
    found: ['skills/m.skill.js:1:85 inherit-broken'],
  },
  'a base whose role reads like middleware is a base': {
    tree: { ...HEIR, 'skills/base.skill.js': misspelt('base', 'middlware') },
    t: /^= t$/,
    u: /^= u$/,
    found: [],
  },
  'a key with a fault, one edit from a middleware, is not a slip': {
    tree: {
      ...GUARD,
      'skills/guard.skill.md': broken('guard'),
      'skills/guarb.skill.js': around('guarb'),
    },
    t: MIDDLEWARE_BROKEN,
    u: /^= u$/,
    found: ['skills/t.skill.js:1:82 middleware-broken'],
  },
  'a sound skill of another role is data': {
    tree: { ...GUARD, 'skills/guard/SKILL.md': text('guard') },
    t: /^= t$/,
    u: /^= u$/,
    found: [],
  },
  'a role that reads like none is data': {
    tree: { ...GUARD, 'skills/guard.skill.js': misspelt('guard', 'reviewer') },
    t: /^= t$/,
    u: /^= u$/,
    found: [],
  },
  'a main skill whose YAML cannot be read': {
    tree: { ...GUARD, 'skills/SKILL.md': broken('main', ' role: main') },
    t: MAIN_BROKEN,
    u: MAIN_BROKEN,
    found: ['skills/SKILL.md:3:22 main-broken'],
  },
  'a main skill in code that cannot be parsed, for those below it': {
    tree: {
      'skills/office/main.skill.js': `${code('office', { role: 'main' }, '')}}`,
      'skills/office/deep/t.skill.js': worker('t'),
      'skills/u.skill.js': worker('u'),
    },
    t: MAIN_BROKEN,
    u: /^= u$/,
    found: ['skills/office/main.skill.js:6:1 main-broken'],
  },
  'a main skill whose role is misspelt': {
    tree: {
      'skills/SKILL.md': text('main', { role: 'mian', $global: { guard: 1 } }),
      'skills/t.skill.js': worker('t'),
      'more/u.skill.js': worker('u', ALONE),
    },
    paths: ['skills', 'more'],
    t: MAIN_BROKEN,
    u: /^= u$/,
    found: ['skills/SKILL.md:4:19 main-broken'],
  },
  'a main skill of the project, for another entry': {
    tree: {
      'skills/SKILL.md': `${main({})}`.replace('metadata', 'metadata: ['),
      'skills/u.skill.js': worker('u', ALONE),
      'more/t.skill.js': worker('t'),
    },
    paths: ['skills', 'more'],
    t: MAIN_BROKEN,
    u: /^= u$/,
    found: ['skills/SKILL.md:4:28 main-broken'],
  },
  'a main skill whose name another file has': {
    tree: {
      'skills/a/main.skill.md': main({ $local: { guard: 1 } }),
      'skills/a/u.skill.js': worker('u'),
      'skills/b/main.skill.md': main({ $local: { guard: 1 } }),
      'skills/b/t.skill.js': worker('t'),
    },
    t: MAIN_BROKEN,
    u: /^= u$/,
    found: ['skills/b/main.skill.md:2:7 main-broken'],
  },
  'a broken skill that says nothing of main': {
    tree: { ...GUARD, 'skills/SKILL.md': broken('other', ' role: context') },
    t: /^= t$/,
    u: /^= u$/,
    found: [],
  },
}

const asCase = ({ tree, paths = ['skills'] }: (typeof CASES)[string]): Case => ({
  tree,
  paths,
  calls: [['t'], ['u']],
})

describe('what should guard and has a fault, compiled and from disk', async () => {
  const cases = oneIn(4, Object.entries(CASES))
  const outcomes = await bothWays(cases.map(([, one]) => asCase(one)))

  it.each(cases.map(([name, one], number) => [name, one, number] as const))(
    '%s',
    async (_name, { paths = ['skills'], t, u, found }, number) => {
      const { disk, index, diagnostics, cwd } = outcomes[number] as (typeof outcomes)[number]
      const [ofT, ofU] = disk.results.map(({ result, code: fault, message }) =>
        message === undefined ? `= ${result}` : `! ${fault} ${message}`,
      )
      expect([ofT, ofU]).toEqual([expect.stringMatching(t), expect.stringMatching(u)])
      expect(index.results).toEqual(disk.results)
      expect(index).toMatchObject({ cascadesComputed: 0, via: { disk: 0 } })
      const own = ({ name, ruleId }: { name: string; ruleId?: string | undefined }): string[] =>
        /-broken$|-near-key$/.test(ruleId ?? '') ? [`${name} ${ruleId}`] : []
      expect(diagnostics.flatMap(own)).toEqual(found)
      expect((await check({ cwd, paths })).diagnostics.flatMap(own)).toEqual(found)
      // Compiled again, with nothing changed and from the cache.
      expect((await compile({ cwd, paths })).diagnostics.flatMap(own)).toEqual(found)
    },
  )

  it('names the role that is meant', async () => {
    const cwd = makeTree({ 'skills/guard.skill.js': misspelt('guard', 'middlware') })
    const { diagnostics } = await check({ cwd, paths: ['skills'] })
    expect(diagnostics.map(({ ruleId, note }) => [ruleId, note])).toEqual([
      ['role-unknown', 'Did you mean "middleware"?'],
    ])
  })
})

describe('a fault that is mended or removed without compiling', () => {
  const old = new Date(Date.now() - 60_000)
  const FAULTS: Record<string, { tree: Tree; mended: Tree; removed: string }> = {
    'a main skill that cannot be read': {
      tree: { 'skills/SKILL.md': broken('main', 'role: main') },
      mended: { 'skills/SKILL.md': main({ data: 1 }) },
      removed: 'skills/SKILL.md',
    },
    'a main skill with an unknown annotation': {
      tree: { 'skills/SKILL.md': main({ $gloabl: {} }) },
      mended: { 'skills/SKILL.md': main({ $global: {} }) },
      removed: 'skills/SKILL.md',
    },
    'a middleware that cannot be read': {
      tree: { 'skills/guard.skill.md': broken('guard') },
      mended: { 'skills/guard.skill.md': text('guard') },
      removed: 'skills/guard.skill.md',
    },
  }

  it.each(Object.entries(FAULTS))('%s', async (_name, { tree, mended, removed }) => {
    for (const isMended of [true, false]) {
      const cwd = makeTree({ 'package.json': '{"type":"module"}\n', ...GUARD, ...tree })
      for (const path of ['skills', ...Object.keys({ ...GUARD, ...tree })])
        utimesSync(join(cwd, path), old, old)
      await compile({ cwd, paths: ['skills'] })
      const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'check' })
      const both = async (): Promise<unknown[]> => [
        await runtime.invoke('t').catch(error => error.code),
        (await runtime.explain('t')).problems.length,
      ]
      globalThis.calls = []
      expect(await both()).toEqual(['CASCADE_INVALID', 1])
      if (isMended) writeTree(cwd, mended)
      else rmSync(join(cwd, removed))
      expect(await both()).toEqual(['t', 0])
      writeTree(cwd, tree)
      expect(await both()).toEqual(['CASCADE_INVALID', 1])
    }
  })

  it('a registered middleware takes the place of one with a fault', async () => {
    const cwd = makeTree({
      'package.json': '{"type":"module"}\n',
      ...GUARD,
      'skills/guard.skill.md': broken('guard'),
    })
    await compile({ cwd, paths: ['skills'] })
    for (const freshness of ['trust', 'check'] as const) {
      const runtime = createRuntime({ cwd, paths: ['skills'], freshness })
      const ran: unknown[] = []
      await expect(runtime.invoke('t')).rejects.toMatchObject({ code: 'CASCADE_INVALID' })
      const fn = (_ctx: unknown, args: unknown): void => void ran.push(args)
      registerTool(runtime.globals, { name: 'guard', role: 'middleware', fn })
      expect([await runtime.invoke('t'), ran]).toEqual(['t', [1]])
    }
  })
})
