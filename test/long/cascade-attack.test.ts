import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { around, code, worker } from '../support/cascade-project.js'
import { ALONE, call, RIGHT, TREE } from '../support/hostile-cascades.js'
import { goodSkills, makeTree, type Tree } from '../support/tree.js'

type Cascades = Record<string, JsonObject>

/** Compiles, changes the cascades, and makes the hash fit. */
async function poisoned(change: (cascades: Cascades) => void, count = 0, more: Tree = {}): Promise<string> {
  const many = Object.fromEntries(
    Object.entries(goodSkills(count)).map(([path, item]) => [`skills/${path}`, item]),
  )
  const cwd = makeTree({ ...TREE, ...many, ...more })
  await compile({ cwd, paths: ['skills'] })
  const folder = join(cwd, 'skills')
  const file = join(folder, '.agent-apps.json')
  const header = readFileSync(file, 'utf8')
  const { shards } = JSON.parse(header) as { shards?: string[] }
  if (!shards) {
    const start = header.indexOf('\n"tools":') + 1
    const sections = edited(header.slice(start, -'\n}\n'.length), change)
    const digest = hash('sha256', sections)
    const frame = header.slice(0, start).replace(/"hash":"[0-9a-f]+"/, `"hash":"${digest}"`)
    writeFileSync(file, `${frame}${sections}\n}\n`)
    return cwd
  }
  const digests = shards.map(old => {
    const shard = readFileSync(join(folder, `.agent-apps/index-${old}.json`), 'utf8')
    const after = `{\n${edited(shard.slice(2, -'\n}\n'.length), change)}\n}\n`
    const digest = hash('sha256', after).slice(0, 32)
    writeFileSync(join(folder, `.agent-apps/index-${digest}.json`), after)
    return digest
  })
  const parsed = JSON.parse(header) as JsonObject
  writeFileSync(
    file,
    `${JSON.stringify({ ...parsed, shards: digests, hash: hash('sha256', digests.join('\n')) })}\n`,
  )
  return cwd
}

function edited(sections: string, change: (cascades: Cascades) => void): string {
  const at = sections.lastIndexOf('"cascades":')
  const end = sections.lastIndexOf(',\n"contents":')
  const cascades = JSON.parse(sections.slice(at + '"cascades":'.length, end)) as Cascades
  change(cascades)
  const lines = Object.entries(cascades).map(
    ([name, record]) => `${JSON.stringify(name)}:${JSON.stringify(record)}`,
  )
  return `${sections.slice(0, at)}"cascades":{\n${lines.join(',\n')}\n}${sections.slice(end)}`
}

/** Changes one record, where it is in the part that is being changed. */
const change =
  (name: string, more: object) =>
  (cascades: Cascades): void => {
    if (cascades[name]) Object.assign(cascades[name], more)
  }
const entry = (name: unknown, more: object = {}): object => ({ args: 1, name, ...more })

/** What is not a record of ours: the index is put aside as a whole. */
const MALFORMED: Record<string, object> = {
  'a chain that is a text': { chain: 'm' },
  'a chain of names': { chain: ['m'] },
  'a chain with null': { chain: [null] },
  'a name that is a number': { chain: [entry(5)] },
  'no arguments': { chain: [{ name: 'm' }] },
  'an unknown hook': { chain: [entry('m', { hook: ['$never'] })] },
  'a hook that is a number': { chain: [entry('m', { hook: 5 })] },
  'a hook that is a text': { chain: [entry('m', { hook: '$next' })] },
  'static that is a text': { chain: [entry('m', { static: 'no' })] },
  'a huge chain': { chain: Array.from({ length: 100_000 }, () => entry('m')) },
  'a body that is a text': { body: 'base' },
  'a body of numbers': { body: [0, 1] },
  'a body below zero': { body: [-1, 'base'] },
  'a body of half a directory': { body: [0.5, 'base'] },
  'a body in an unknown place': { body: ['home', 'base'] },
  'sources of numbers': { sources: [5] },
  'sources that are a mapping': { sources: {} },
  'sources below zero': { sources: [[-1, 'base']] },
  'metadata that is a list': { metadata: [] },
  'a problem that is true': { problem: true },
  'a problem without words': { problem: {} },
  'deps that are a text': { deps: 'args.n' },
  'deps of numbers': { deps: [5] },
  'peers that are a mapping': { peers: {} },
  'peers of peers': { peers: [['m']] },
  'open that is a text': { open: 'no' },
}

/** What is well-formed and wrong: it is found out, or does no harm. */
const WRONG: Record<string, object> = {
  'a name that leads out': { chain: [entry('../outside.skill.js')] },
  'a name that is a path': { chain: [entry('/etc/passwd')] },
  'a name that is code': {
    chain: [entry('inline://code,export default () => globalThis.calls.push("evil")')],
  },
  'a name of another role': { chain: [entry('other')] },
  'a name that nobody has': { chain: [entry('nobody')] },
  'names that objects have': { chain: [entry('__proto__'), entry('constructor'), entry('toString')] },
  'a body out of range': { body: [99, 'base'] },
  'a body that nobody has': { body: [0, 'nobody'] },
  'a body without a delegate': { body: [0, 'm'] },
  'a body that is the tool itself': { body: [0, 't'] },
  'a source out of range': { sources: [[99, 'base']] },
  'a library that has no such tool': { sources: [['library', 'nobody']], body: ['library', 'nobody'] },
}

const SHAPES = [
  ['in one file', 0],
  ['split', 300],
] as const

/** What runs where an index says which middleware is around each of some, and all of them around a tool that fails at first. */
async function expanded(
  names: readonly string[],
  inside: (name: string) => readonly string[],
  tries = 1,
): Promise<string[]> {
  const again = `for (let tries = ${tries}; tries > 0; tries--) try {
    return await ctx.manager.next()
  } catch (error) {
    if (tries === 1) throw error
  }`
  const all = names.map(name => [`skills/${name}.skill.js`, around(name, ALONE)])
  const cwd = await poisoned(
    cascades => {
      const chain = (inner: readonly string[]): object[] => inner.map(name => entry(name))
      for (const name of names) cascades[name] = { chain: chain(inside(name)) } as unknown as JsonObject
      cascades.x = { chain: [entry('again', { static: true }), ...chain(names)] } as unknown as JsonObject
    },
    0,
    {
      ...(Object.fromEntries(all) as Tree),
      'skills/again.skill.js': code('again', { role: 'middleware', ...ALONE }, again),
      'skills/x.skill.js': worker(
        'x',
        ALONE,
        `if (calls.filter(one => one === 'x').length < ${tries}) throw Error()\nreturn 't'`,
      ),
    },
  )
  return (await call(cwd, 'x', 'trust')).calls
}

describe.each(SHAPES)('poisoned cascades, %s', (_, count) => {
  it.each(Object.entries(MALFORMED))('%s: the index is put aside', async (_name, more) => {
    const cwd = await poisoned(change('t', more), count)
    for (const freshness of ['trust', 'check'] as const)
      expect(await call(cwd, 't', freshness)).toEqual({ calls: RIGHT, diagnostics: ['index-refused'] })
  })

  it.each(Object.entries(WRONG))('%s: the tool runs as its files say', async (_name, more) => {
    const cwd = await poisoned(change('t', more), count)
    for (const freshness of ['trust', 'check'] as const) {
      const { calls } = await call(cwd, 't', freshness)
      expect([RIGHT, ['> m 1', 't', '< m', '= t']]).toContainEqual(calls)
    }
  })
})

describe('cascades that lie', () => {
  it('arguments with __proto__ reach no prototype', async () => {
    const args = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ) as object
    const cwd = await poisoned(change('t', { chain: [{ name: 'm', args }] }))
    const { calls } = await call(cwd, 't', 'trust')
    expect(calls.slice(1)).toEqual(['t', '< m', '= t'])
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it('a cycle of dynamic middleware ends with an error', async () => {
    for (const more of [1, 2]) {
      const cwd = await poisoned(cascades => {
        for (const name of ['m', 'n']) {
          const other = name === 'm' ? 'n' : 'm'
          cascades[name] = {
            chain: Array.from({ length: more }, () => entry(other)),
          } as unknown as JsonObject
        }
      })
      expect((await call(cwd, 't', 'trust')).calls).toEqual(['! CASCADE_INVALID'])
    }
  })

  it('twenty middlewares that each run inside all later ones end with an error', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `m${index}`)
    const calls = await expanded(names, name => names.slice(names.indexOf(name) + 1))
    expect(calls.at(-1)).toBe('! CASCADE_INVALID')
    const begun = calls.filter(one => one.startsWith('>')).length
    expect(begun > 900 && begun <= 1000, String(begun)).toBe(true)
  })

  it('as many calls as are allowed run, and again where a middleware tries again', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `m${index}`)
    // 2⁹ − 1 calls, thrice.
    const calls = await expanded(names, name => names.slice(names.indexOf(name) + 1), 3)
    expect(calls.at(-1)).toBe('= t')
    expect(calls.filter(one => one.startsWith('>'))).toHaveLength(3 * 511)
  })

  it('a body that leads to itself ends with an error', async () => {
    const cwd = await poisoned(change('other', { chain: [] }))
    const circle = await poisoned(cascades => {
      cascades.other = { chain: [], body: [0, 'base'], metadata: { delegate: './other.skill.js' } }
    })
    expect((await call(cwd, 'heir', 'trust')).calls).toEqual(['other', '= other'])
    expect((await call(circle, 'heir', 'trust')).calls).toEqual(['! DEPTH_EXCEEDED'])
  })

  it('a fault that there is not keeps only that tool from running', async () => {
    const cwd = await poisoned(change('t', { chain: [], problem: { message: 'x', hint: 'y' } }))
    expect((await call(cwd, 't', 'trust')).calls).toEqual(['! CASCADE_INVALID'])
    expect((await call(cwd, 'other', 'trust')).calls).toEqual(['other', '= other'])
  })
})
