import { buildSync } from 'esbuild'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../src/base/json.js'
import { resolveCascades } from '../../src/cascade/cascade.js'
import type { CascadeTool } from '../../src/cascade/types.js'
import { joinValues } from '../../src/values/join-values.js'
import {
  asText,
  chainOf,
  effective,
  lookUpAmong,
  main,
  middleware,
  resolve,
  shortly,
  tool,
  valuesOf,
} from '../support/cascade-world.js'
import { isLong, times } from '../support/long.js'
import { ROOT, runCode } from '../support/processes.js'
import { processorTime } from '../support/processor-time.js'

const RUNS = times(20, 20_000)

describe('layers', () => {
  const world = { library: 'lib', project: 'main', authority: { a: 'near' } }
  const tools = [
    main({ $global: { k: 'L0', l0: 0 } }, 'lib'),
    main({ $global: { k: 'L1', l1: 1 } }),
    main({ $local: { k: 'L2', l2: 2 }, $global: { never: true } }, 'near'),
    tool('b1', { k: 'L3 left', l3: 3, both: 'left' }),
    tool('b2', { k: 'L3 right', both: 'right' }),
    tool('a', { $inherit: ['b1', 'b2'], k: 'L4', l4: 4 }),
  ]

  it('are joined weakest first, and each value says where it is from', async () => {
    const { tools: resolved, problems } = await resolve(tools, world)
    expect(problems).toEqual([])
    const metadata = resolved.get('a')?.metadata
    expect([...(metadata?.keys() ?? [])]).toEqual(['k', 'l0', 'l1', 'l2', 'l3', 'both', 'l4'])
    expect(metadata?.get('k')).toEqual({
      value: 'L4',
      from: { layer: 'own', tool: 'a', path: ['k'], value: 'L4' },
      overrides: [
        { layer: 'inherited', tool: 'b2', path: ['k'], value: 'L3 right' },
        { layer: 'inherited', tool: 'b1', path: ['k'], value: 'L3 left' },
        { layer: 'authority', tool: 'near', path: ['$local', 'k'], value: 'L2' },
        { layer: 'project', tool: 'main', path: ['$global', 'k'], value: 'L1' },
        { layer: 'library', tool: 'lib', path: ['$global', 'k'], value: 'L0' },
      ],
    })
    expect(metadata?.get('both')?.value).toBe('right')
    expect(metadata?.get('l2')?.from).toEqual({
      layer: 'authority',
      tool: 'near',
      path: ['$local', 'l2'],
      value: 2,
    })
    expect(resolved.get('a')?.sources).toEqual(['b1', 'b2', 'lib', 'main', 'near'])
  })

  it.each<[CascadeTool['layer'], JsonObject]>([
    ['project', { global: 1, local: 1, lib: 1 }],
    ['programmatic', { global: 1, local: 1, lib: 1 }],
    ['global', { local: 1 }],
    ['remote', { local: 1 }],
    ['bundled', {}],
  ])('what reaches a tool of the layer %s', async (layer, expected) => {
    const lib = main({ $global: { lib: 1 }, $local: { no: 1 } }, 'lib')
    const project = main({ $global: { global: 1 }, $local: { local: 1 } })
    const world = { library: 'lib', project: 'main' }
    expect(await effective('a', [lib, project, tool('a', {}, { layer })], world)).toEqual(expected)
  })

  it('a main skill gets nothing from itself, in either form', async () => {
    const mapping = main({ $global: { g: 1 }, $local: { l: 1 }, own: 1 })
    expect(await effective('main', [mapping], { project: 'main', library: 'main' })).toEqual({ own: 1 })
    const list = main({ $global: ['own'], $local: ['own'], own: [1], $merge: { own: 'append' } })
    expect(await effective('main', [list], { project: 'main' })).toEqual({ own: [1] })
  })

  it('a main deeper down gets what the project promotes globally', async () => {
    const tools = [main({ $global: { g: 1 }, $local: { l: 1 } }), main({ $local: { deep: 1 } }, 'near')]
    const world = { project: 'main', authority: { near: 'near' } }
    expect(await effective('near', tools, world)).toEqual({ g: 1 })
  })

  it('a list promotes own values, a mapping its own', async () => {
    const list = main({ $local: ['timeout'], timeout: 5, other: 1 })
    const { tools: resolved } = await resolve([list, tool('a')], { project: 'main' })
    expect(resolved.get('a')?.metadata.get('timeout')?.from.path).toEqual(['timeout'])
    expect(valuesOf({ tools: resolved, problems: [] }, 'a')).toEqual({ timeout: 5 })
  })

  it('null in promotions is a value', async () => {
    const tools = [main({ $local: { audit: null } }), tool('a'), middleware('audit', { $self: { level: 1 } })]
    const resolved = await resolve(tools, { project: 'main' })
    expect(valuesOf(resolved, 'a')).toEqual({ audit: null })
    expect(resolved.tools.get('a')?.chain).toEqual([
      { name: 'audit', key: 'audit', tool: 'audit', args: { level: 1 }, static: false },
    ])
  })

  it('null at the top of own metadata takes the key away, from heirs too; false is a value', async () => {
    const tools = [
      main({ $global: { timeout: 5, retry: 1 } }),
      tool('c', { kept: 1, gone: 1 }),
      tool('b', { $inherit: 'c', gone: null, timeout: null }),
      tool('a', { $inherit: 'b', retry: false, deep: { inner: null } }),
    ]
    const resolved = await resolve(tools, { project: 'main' })
    expect(valuesOf(resolved, 'b')).toEqual({ retry: 1, kept: 1 })
    expect(valuesOf(resolved, 'a')).toEqual({ timeout: 5, retry: false, kept: 1, deep: { inner: null } })
  })

  it('what belongs to one tool never cascades', async () => {
    const policy = {
      role: 'x',
      visibility: 'hidden',
      tags: ['t'],
      enabled: false,
      permissions: {},
      gated: true,
      trust: {},
      'approval-key': 'k',
      requires: 'r',
      'requires-tools': 'q',
    }
    const tools = [tool('b', { ...policy, agent: true, static: 1 }), tool('a', { $inherit: 'b' })]
    expect(await effective('b', tools)).toEqual({ ...policy, agent: true, static: 1 })
    expect(await effective('a', tools)).toEqual({ agent: true, static: 1 })
    const promoting = [main({ $global: { ...policy }, $local: ['gated'], gated: true }), tool('a')]
    const resolved = await resolve(promoting, { project: 'main' })
    expect(valuesOf(resolved, 'a')).toEqual({})
    expect(shortly(resolved.problems)).toEqual([
      ...Object.keys(policy).map(key => `annotation-invalid main $global/${key}`),
      'annotation-invalid main $local/0',
    ])
  })

  it('promotions are not handed on, and the heir has its own', async () => {
    const tools = [
      main({ $local: { k: 1 } }),
      main({ $local: { k: 2 } }, 'far'),
      tool('b'),
      tool('a', { $inherit: 'b' }),
    ]
    const world = { project: 'main', authority: { b: 'far' } }
    const resolved = await resolve(tools, world)
    expect([valuesOf(resolved, 'b'), valuesOf(resolved, 'a')]).toEqual([{ k: 2 }, { k: 1 }])
  })

  it('two bases of one base: its origin is listed once', async () => {
    const tools = [
      tool('d', { k: 'd' }),
      tool('b', { $inherit: 'd', k: 'b' }),
      tool('c', { $inherit: 'd', k: 'c' }),
      tool('a', { $inherit: ['b', 'c'] }),
    ]
    const { tools: resolved } = await resolve(tools)
    const held = resolved.get('a')?.metadata.get('k')
    expect(
      [held?.from, ...(held?.overrides ?? [])].map(origin => `${origin?.layer} ${origin?.tool}`),
    ).toEqual(['inherited c', 'inherited d', 'inherited b'])
  })
})

describe('$inherit', () => {
  const base = tool('b', { k: 1 })
  const project = main({ $global: { g: 1 }, $local: { l: 1 } })
  it.each<[JsonValue, JsonObject]>([
    ['b', { g: 1, l: 1, k: 1 }],
    [['b'], { g: 1, l: 1, k: 1 }],
    [[], { g: 1, l: 1 }],
    [false, {}],
  ])('%j', async ($inherit, expected) => {
    const tools = [project, base, tool('a', { $inherit })]
    const resolved = await resolve(tools, { project: 'main' })
    expect(resolved.problems).toEqual([])
    expect(valuesOf(resolved, 'a')).toEqual(expected)
  })

  it('false says nothing to heirs: they take promotions of their own', async () => {
    const tools = [project, tool('b', { $inherit: false, k: 1 }), tool('a', { $inherit: 'b' })]
    expect(await effective('a', tools, { project: 'main' })).toEqual({ g: 1, l: 1, k: 1 })
  })

  it('asks for each reference once, and for the writer of the reference', async () => {
    const tools = [
      tool('c', { z: 1 }),
      tool('b', { $inherit: 'c', y: 1 }),
      tool('a', { $inherit: ['b', 'b'], x: 1 }),
    ]
    const lookUp = lookUpAmong(tools)
    await resolveCascades(tools, lookUp)
    expect(lookUp.asked.filter(question => question.startsWith('base'))).toEqual([
      'base c from b',
      'base b from a',
    ])
    expect(new Set(lookUp.asked).size).toBe(lookUp.asked.length)
  })

  it('a tool that was resolved before gets its first heir from a middleware', async () => {
    const tools = [
      tool('c', { k: 1 }),
      tool('b', { $inherit: 'c', l: 1 }),
      tool('a', { m: 1 }),
      middleware('m', { $inherit: 'b' }),
    ]
    const resolved = await resolve(tools, {}, tools.slice(0, 3))
    expect(valuesOf(resolved, 'm')).toEqual({ k: 1, l: 1 })
  })

  it('what is missing is reported at its place, and the rest counts', async () => {
    const resolved = await resolve([
      base,
      tool('a', { $inherit: ['nope', 'b'] }),
      tool('c', { $inherit: 'no' }),
    ])
    expect(shortly(resolved.problems)).toEqual(['inherit-missing a $inherit/0', 'inherit-missing c $inherit'])
    expect(resolved.problems[0]?.message).toContain('"nope"')
    expect(valuesOf(resolved, 'a')).toEqual({ k: 1 })
  })

  it('a cycle is printed whole, for each member once, and cut at one place wherever one begins', async () => {
    const tools = [
      tool('c', { $inherit: ['x', 'a'], c: 1 }),
      tool('a', { $inherit: 'b', a: 1 }),
      tool('b', { $inherit: 'c', b: 1 }),
      tool('x', { x: 1 }),
      tool('heir', { $inherit: 'b' }),
    ]
    const resolved = await resolve(tools)
    const cycles = resolved.problems.map(({ tool: id, path, message }) => [id, path, message])
    expect(cycles).toHaveLength(3)
    expect(cycles).toEqual(
      expect.arrayContaining([
        ['a', ['$inherit'], 'it inherits from itself: a → b → c → a'],
        ['b', ['$inherit'], 'it inherits from itself: b → c → a → b'],
        ['c', ['$inherit', 1], 'it inherits from itself: c → a → b → c'],
      ]),
    )
    for (const [id, values] of [
      ['a', { x: 1, c: 1, b: 1, a: 1 }],
      ['b', { x: 1, c: 1, b: 1 }],
      ['c', { x: 1, c: 1 }],
      ['heir', { x: 1, c: 1, b: 1 }],
    ] as const) {
      expect(valuesOf(resolved, id)).toEqual(values)
      const roots = tools.filter(one => one.id === id)
      expect(valuesOf(await resolve(tools, {}, roots), id)).toEqual(values)
    }
  })

  it('a tool that names itself, and two of one name', async () => {
    const own = await resolve([tool('a', { $inherit: 'a', k: 1 })])
    expect(own.problems.map(({ message }) => message)).toEqual(['it inherits from itself: a → a'])
    expect(valuesOf(own, 'a')).toEqual({ k: 1 })
    const twins = [
      tool('x', { $inherit: 'y' }, { name: 'same' }),
      tool('y', { $inherit: 'x' }, { name: 'same' }),
    ]
    const { problems } = await resolve(twins)
    expect(problems.map(({ message }) => message).sort()).toEqual([
      'it inherits from itself: same (x) → same (y) → same (x)',
      'it inherits from itself: same (y) → same (x) → same (y)',
    ])
  })

  it('cycles that share tools: every member has one that goes through it', async () => {
    const tools = [
      tool('a', { $inherit: ['b', 'c'] }),
      tool('b', { $inherit: 'a' }),
      tool('c', { $inherit: 'b' }),
    ]
    const { problems } = await resolve(tools)
    expect(problems.map(({ message }) => message.replace(/.*: /, '')).sort()).toEqual([
      'a → b → a',
      'b → a → b',
      'c → b → a → c',
    ])
  })

  it('property: a printed cycle is one, in any graph', async () => {
    const graph = fc.array(fc.uniqueArray(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(graph, async edges => {
        const tools = edges.map((to, from) => tool(`t${from}`, { $inherit: to.map(one => `t${one}`) }))
        const { problems } = await resolve(tools)
        const reaches = closure(edges)
        const cyclic = edges.flatMap((_, node) => (reaches[node]?.has(node) ? [`t${node}`] : []))
        expect(problems.map(({ tool: id }) => id).sort()).toEqual(cyclic)
        for (const { tool: id, message } of problems) {
          const way = message.replace(/.*: /, '').split(' → ')
          expect([way[0], way.at(-1)]).toEqual([id, id])
          expect(new Set(way).size).toBe(way.length - 1)
          for (const [index, name] of way.slice(0, -1).entries())
            expect(edges[Number(name.slice(1))]).toContain(Number(way[index + 1]?.slice(1)))
        }
      }),
      { numRuns: RUNS },
    )
  })
})

/** Which nodes lead to which, by one edge or more. */
function closure(edges: readonly (readonly number[])[]): Set<number>[] {
  return edges.map(start => {
    const reached = new Set(start)
    for (const node of reached) for (const next of edges[node] ?? []) reached.add(next)
    return reached
  })
}

describe('$private and $public', () => {
  const handedOn = async (metadata: JsonObject): Promise<string[]> =>
    Object.keys(await effective('a', [tool('b', metadata), tool('a', { $inherit: 'b' })]))
  const own = { one: 1, two: { x: 1 }, three: [1], 'cache-a': 1, 'cache-b': 1 }

  it.each<[string, JsonObject, string[]]>([
    ['private keys', { $private: ['one', 'three'] }, ['two', 'cache-a', 'cache-b']],
    ['a private glob', { $private: ['cache-*'] }, ['one', 'two', 'three']],
    ['a private path', { $private: ['two.x', 'three[5]'] }, ['one', 'three', 'cache-a', 'cache-b']],
    ['public keys', { $public: ['one'] }, ['one']],
    ['nothing is public', { $public: [] }, []],
    ['public glob without the private ones', { $public: ['cache-*'], $private: ['cache-b'] }, ['cache-a']],
    ['all private', { $private: ['*'] }, []],
  ])('%s', async (_, annotations, expected) => {
    expect(await handedOn({ ...own, ...annotations })).toEqual(expected)
  })

  it('a tool keeps what it hands on to nobody', async () => {
    expect(await effective('b', [tool('b', { ...own, $private: ['*'] })])).toEqual(own)
  })

  it('hold for what is inherited too, at every step', async () => {
    const tools = [
      tool('c', { x: 1, y: 1, z: 1, $private: ['z'] }),
      tool('b', { $inherit: 'c', $private: ['x'], w: 1 }),
      tool('a', { $inherit: 'b' }),
    ]
    const resolved = await resolve(tools)
    expect(valuesOf(resolved, 'b')).toEqual({ x: 1, y: 1, w: 1 })
    expect(valuesOf(resolved, 'a')).toEqual({ y: 1, w: 1 })
  })

  it('schemas are handed on only where $public names them', async () => {
    const params = { type: 'object' }
    const returns = { type: 'string' }
    const base = (metadata: JsonObject) => tool('b', metadata, { params, returns })
    const heir = (more: Partial<CascadeTool> = {}) => tool('a', { $inherit: 'b' }, more)
    expect(await effective('a', [base({}), heir()])).toEqual({})
    expect(await effective('a', [base({ $public: ['*'] }), heir()])).toEqual({})
    expect(await effective('a', [base({ $public: ['params'] }), heir()])).toEqual({ params })
    expect(await effective('a', [base({ $public: ['params'], $private: ['params'] }), heir()])).toEqual({})
    const both = base({ $public: ['params', 'returns'] })
    const own = { params: { type: 'array' } }
    const { tools: resolved } = await resolve([both, heir(own)])
    expect(resolved.get('a')?.metadata.get('returns')).toEqual({
      value: returns,
      from: { layer: 'inherited', tool: 'b', path: ['returns'], value: returns },
      overrides: [],
    })
    expect(resolved.get('a')?.metadata.has('params')).toBe(false)
    expect(resolved.get('b')?.metadata.size).toBe(0)
  })

  it('an inherited schema goes on only where the heir names it, is replaced whole, and can be removed', async () => {
    const params = { type: 'object', properties: { x: {} } }
    const tools = [
      tool('d', { $public: ['params'] }, { params }),
      tool('e', { $public: ['params'] }, { params: { type: 'array' } }),
      tool('c', { $inherit: 'd', $public: ['params'] }),
      tool('b', { $inherit: 'd' }),
      tool('a1', { $inherit: 'c' }),
      tool('a2', { $inherit: 'b' }),
      tool('a3', { $inherit: ['d', 'e'] }),
      tool('a4', { $inherit: ['d'], $remove: ['params'] }),
      tool('a5', { $inherit: 'd', $public: ['params'], $remove: ['params'] }, { params: { type: 'null' } }),
      tool('a6', { $inherit: 'a5' }),
    ]
    const resolved = await resolve(tools)
    expect(['a1', 'a2', 'a3', 'a4', 'a6'].map(id => valuesOf(resolved, id))).toEqual([
      { params },
      {},
      { params: { type: 'array' } },
      {},
      { params: { type: 'null' } },
    ])
  })
})

describe('$remove', () => {
  it.each<[string, string[], JsonObject]>([
    ['a key', ['retry'], { 'cache-a': 1, 'cache-b': 1, audit: { level: 2 } }],
    ['a glob', ['cache-*'], { retry: { codes: [1, 2], n: 3 }, audit: { level: 2 } }],
    ['all', ['*'], {}],
    [
      'a path',
      ['retry.n', 'audit.level'],
      { retry: { codes: [1, 2] }, 'cache-a': 1, 'cache-b': 1, audit: {} },
    ],
    [
      'an item',
      ['retry.codes[0]', '*.level'],
      { retry: { codes: [2], n: 3 }, 'cache-a': 1, 'cache-b': 1, audit: {} },
    ],
    ['a choice', ['{retry,audit}'], { 'cache-a': 1, 'cache-b': 1 }],
    ['all but some', ['!(retry|audit)'], { retry: { codes: [1, 2], n: 3 }, audit: { level: 2 } }],
    [
      'what is not there',
      ['nope', 'retry.nope', 'nope[0]'],
      { retry: { codes: [1, 2], n: 3 }, 'cache-a': 1, 'cache-b': 1, audit: { level: 2 } },
    ],
  ])('%s, promoted or inherited', async (_, $remove, expected) => {
    const base = { retry: { codes: [1, 2], n: 3 }, 'cache-a': 1 }
    const tools = [
      main({ $global: { 'cache-b': 1, audit: { level: 2 } } }),
      tool('b', base),
      tool('a', { $inherit: 'b', $remove }),
    ]
    const resolved = await resolve(tools, { project: 'main' })
    expect(resolved.problems).toEqual([])
    expect(valuesOf(resolved, 'a')).toEqual(expected)
    expect(base).toEqual({ retry: { codes: [1, 2], n: 3 }, 'cache-a': 1 })
  })

  it('leaves own keys, which then override nothing, and stand behind the rest', async () => {
    const tools = [
      tool('b', { x: { y: 1 }, z: 1 }),
      tool('a', { $inherit: 'b', $remove: ['x'], x: { w: 1 } }),
    ]
    const { tools: resolved } = await resolve(tools)
    expect(
      [...(resolved.get('a')?.metadata ?? [])].map(([key, { value, overrides }]) => [key, value, overrides]),
    ).toEqual([
      ['z', 1, []],
      ['x', { w: 1 }, []],
    ])
  })

  it('keeps the origins of what it only takes a part of', async () => {
    const tools = [
      tool('c', { x: { u: 1, v: 1 } }),
      tool('b', { $inherit: 'c', x: { y: 1 } }),
      tool('a', { $inherit: 'b', $remove: ['x.u'] }),
    ]
    const { tools: resolved } = await resolve(tools)
    const held = resolved.get('a')?.metadata.get('x')
    expect(held?.value).toEqual({ v: 1, y: 1 })
    expect([held?.from.tool, ...(held?.overrides.map(({ tool: id }) => id) ?? [])]).toEqual(['b', 'c'])
  })

  it("of a base is in what it hands on, and none of the heir's business otherwise", async () => {
    const tools = [
      main({ $global: { g: 1 } }),
      tool('c', { x: 1, y: 1 }),
      tool('b', { $inherit: 'c', $remove: ['x', 'g'] }),
      tool('a', { $inherit: 'b' }),
    ]
    const resolved = await resolve(tools, { project: 'main' })
    expect(valuesOf(resolved, 'b')).toEqual({ y: 1 })
    expect(valuesOf(resolved, 'a')).toEqual({ g: 1, y: 1 })
  })

  it('a key with a dot of its own', async () => {
    const tools = [tool('b', { 'a.b': 1, a: { b: 1 } }), tool('a', { $inherit: 'b', $remove: ['a.b'] })]
    expect(await effective('a', tools)).toEqual({ a: {} })
  })
})

describe('$merge', () => {
  it.each<[string, JsonValue, JsonValue, JsonValue, JsonValue]>([
    [
      'deep',
      { a: { x: 1 }, l: [1] },
      { a: { y: 2 } },
      { a: { x: 3 }, l: [2] },
      { a: { x: 3, y: 2 }, l: [2] },
    ],
    ['deep', [1], { a: 1 }, 2, 2],
    ['replace', { a: 1 }, { b: 1 }, { c: 1 }, { c: 1 }],
    ['append', [1], 2, [3, 1], [1, 2, 3, 1]],
    ['prepend', [1], 2, [3, 1], [3, 1, 2, 1]],
    [
      'union',
      [1, { a: [1], b: 2 }],
      2,
      [2, { b: 2, a: [1] }, { a: [1] }, '1'],
      [1, { a: [1], b: 2 }, 2, { a: [1] }, '1'],
    ],
    ['union', true, [null, {}], [[], {}, null, true], [true, null, {}, []]],
  ])('%s over three layers', async (mode, weakest, middle, strongest, expected) => {
    const tools = [
      main({ $global: { k: weakest } }),
      tool('b', { k: middle }),
      tool('a', { $inherit: 'b', $merge: { k: mode }, k: strongest }),
    ]
    const before = structuredClone(tools)
    expect(await effective('a', tools, { project: 'main' })).toEqual({ k: expected })
    expect(tools).toEqual(before)
  })

  it('without any, mappings merge and all else is replaced', async () => {
    const tools = [
      tool('b', { m: { x: 1 }, l: [1], s: 1 }),
      tool('a', { $inherit: 'b', m: { y: 1 }, l: [2], s: 2 }),
    ]
    expect(await effective('a', tools)).toEqual({ m: { x: 1, y: 1 }, l: [2], s: 2 })
  })

  it("of a base counts where its own is computed, the heir's for the rest", async () => {
    const tools = [
      tool('c', { k: ['c'] }),
      tool('b', { $inherit: 'c', k: ['b'], $merge: { k: 'append' } }),
      tool('a1', { $inherit: 'b', k: ['a'] }),
      tool('a2', { $inherit: 'b', k: ['a'], $merge: { k: 'prepend' } }),
    ]
    const resolved = await resolve(tools)
    expect(['b', 'a1', 'a2'].map(id => valuesOf(resolved, id).k)).toEqual([
      ['c', 'b'],
      ['a'],
      ['a', 'c', 'b'],
    ])
  })

  it('joins bases among each other', async () => {
    const tools = [
      tool('b', { k: [1] }),
      tool('c', { k: [2, 1] }),
      tool('a', { $inherit: ['b', 'c'], $merge: { k: 'union' } }),
    ]
    expect(await effective('a', tools)).toEqual({ k: [1, 2] })
  })

  it('null at the top takes away, however the key is merged', async () => {
    const tools = [tool('b', { k: [1] }), tool('a', { $inherit: 'b', k: null, $merge: { k: 'append' } })]
    expect(await effective('a', tools)).toEqual({})
  })

  it('lists that double at every step stop growing, and that is said', async () => {
    const tools = [tool('t0', { k: ['x'] })]
    for (let step = 1; step <= 40; step++) {
      const $merge = { k: 'append' }
      tools.push(tool(`l${step}`, { $inherit: `t${step - 1}`, $merge }))
      tools.push(tool(`r${step}`, { $inherit: `t${step - 1}`, $merge }))
      tools.push(tool(`t${step}`, { $inherit: [`l${step}`, `r${step}`], $merge }))
    }
    const resolved = await resolve(tools)
    const list = valuesOf(resolved, 't40').k
    expect(Array.isArray(list) && list.length).toBe(8192)
    expect(shortly(resolved.problems)).toContain('annotation-invalid t14 $merge/k')
    expect(resolved.tools.get('t40')?.metadata.get('k')?.overrides).toEqual([])
  })

  it.each(['append', 'prepend', 'union'])('texts that double by %s stop growing too', async mode => {
    // Distinct texts, which no union finds twice.
    const tools = [tool('t0', { k: 'x'.repeat(50_000) })]
    for (let step = 1; step <= 40; step++) {
      const k = Array.from({ length: step }, (_, at) => `${step} ${at}`.repeat(10_000))
      tools.push(tool(`t${step}`, { $inherit: [`t${step - 1}`, `t${step - 1}`], k, $merge: { k: mode } }))
    }
    const resolved = await resolve(tools.slice(0, 10))
    for (const [, { metadata }] of resolved.tools)
      expect(JSON.stringify(metadata.get('k')?.value).length).toBeLessThan(600_000)
    expect(shortly(resolved.problems).join()).toMatch(/annotation-invalid t\d \$merge\/k/)
  })

  it('mappings that every heir adds to stop growing too', async () => {
    const tools = [tool('t0', { k: { 0: 'x'.repeat(50_000) } })]
    for (let step = 1; step <= 10; step++)
      tools.push(tool(`t${step}`, { $inherit: `t${step - 1}`, k: { [step]: 'x'.repeat(50_000) } }))
    const resolved = await resolve(tools)
    expect(shortly(resolved.problems)).toEqual(['annotation-invalid t10 k'])
    expect(Object.keys(valuesOf(resolved, 't10').k as JsonObject)).toEqual(['10'])
    expect(Object.keys(valuesOf(resolved, 't9').k as JsonObject)).toHaveLength(10)
  })

  it('union of much that looks alike takes time in proportion to it', () => {
    const alike = (from: number): JsonValue[] => Array.from({ length: 20_000 }, (_, at) => [[from + at]])
    const elapsed = processorTime()
    expect(joinValues(alike(0), alike(10_000), 'union')).toHaveLength(30_000)
    expect(elapsed()).toBeLessThan(5000)
  })

  it('property: union keeps first occurrences of what is equal', () => {
    const list = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 8 }) as fc.Arbitrary<JsonValue[]>
    fc.assert(
      fc.property(list, list, (weak, strong) => {
        const sortedText = (value: JsonValue): string =>
          JSON.stringify(value, (_, inner) =>
            typeof inner === 'object' && inner !== null && !Array.isArray(inner)
              ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
              : inner,
          )
        const seen = new Set<string>()
        const expected = [...weak, ...strong].filter(item => seen.size < seen.add(sortedText(item)).size)
        expect(joinValues(weak, strong, 'union')).toEqual(expected)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('$order', () => {
  const tools = (metadata: JsonObject): CascadeTool[] => [
    main({ $global: { g1: 1, g2: 1 }, $local: { l1: 1 } }),
    tool('b', { i1: 1, i2: 1 }),
    tool('a', { $inherit: 'b', o1: 1, g2: 2, ...metadata }),
  ]
  it.each<[JsonValue | undefined, string[]]>([
    [undefined, ['g1', 'g2', 'l1', 'i1', 'i2', 'o1']],
    [
      ['o1', 'i2'],
      ['o1', 'i2', 'g1', 'g2', 'l1', 'i1'],
    ],
    [
      ['o1', '*', 'g1'],
      ['o1', 'g2', 'l1', 'i1', 'i2', 'g1'],
    ],
    [
      ['*', 'g1'],
      ['g2', 'l1', 'i1', 'i2', 'o1', 'g1'],
    ],
    [
      ['nope', 'i1', 'i1', '*', 'l1'],
      ['i1', 'g1', 'g2', 'i2', 'o1', 'l1'],
    ],
    [[], ['g1', 'g2', 'l1', 'i1', 'i2', 'o1']],
  ])('%j', async ($order, expected) => {
    const own = $order === undefined ? {} : { $order }
    expect(Object.keys(await effective('a', tools(own), { project: 'main' }))).toEqual(expected)
  })

  it('orders the chain, and of a base what it hands on', async () => {
    const all = ['x', 'y', 'z'].map(name => middleware(name))
    const base = tool('b', { x: 1, y: 1, $order: ['y'] })
    const resolved = await resolve([
      ...all,
      base,
      tool('a', { $inherit: 'b', z: 1 }),
      tool('c', { $inherit: 'b', z: 1, $order: ['z', 'x'] }),
    ])
    expect(chainOf(resolved, 'b')).toEqual(['y', 'x'])
    expect(chainOf(resolved, 'a')).toEqual(['y', 'x', 'z'])
    expect(chainOf(resolved, 'c')).toEqual(['z', 'x', 'y'])
  })
})

describe('the chain', () => {
  it('has the keys that middleware is named after, with its arguments', async () => {
    const tools = [
      middleware('yes', { $self: { level: 1, deep: { x: 1 } } }),
      middleware('bare'),
      middleware('delegate'),
      tool('notes'),
      tool('a', { notes: 'x', yes: { deep: { y: 2 } }, bare: true, delegate: './x.js', version: 1 }),
      tool('b', { yes: true, bare: 500 }),
      tool('c', { yes: 7, bare: false }),
      tool('d', { yes: [1], bare: {} }),
    ]
    const { tools: resolved, problems } = await resolve(tools)
    expect(problems).toEqual([])
    const args = (id: string) => resolved.get(id)?.chain.map(entry => [entry.name, entry.args])
    expect(args('a')).toEqual([
      ['yes', { level: 1, deep: { x: 1, y: 2 } }],
      ['bare', true],
    ])
    expect(args('b')).toEqual([
      ['yes', { level: 1, deep: { x: 1 } }],
      ['bare', 500],
    ])
    expect(args('c')).toEqual([
      ['yes', 7],
      ['bare', false],
    ])
    expect(args('d')).toEqual([
      ['yes', [1]],
      ['bare', {}],
    ])
    expect(resolved.get('a')?.sources).toEqual(['bare', 'yes'])
  })

  it('arguments that many tools share are made once', async () => {
    const all = [
      main({ $global: { m: { x: 1 } } }),
      middleware('m', { $self: { y: 1 } }),
      tool('a'),
      tool('b'),
    ]
    const { tools } = await resolve(all, { project: 'main' })
    expect(tools.get('a')?.chain[0]?.args).toEqual({ x: 1, y: 1 })
    expect(tools.get('b')?.chain[0]?.args).toBe(tools.get('a')?.chain[0]?.args)
  })

  it('never asks for core keys and annotations', async () => {
    const tools = [
      tool('a', {
        $self: {},
        delegate: 'x',
        agent: true,
        gated: true,
        static: true,
        interpolate: true,
        k: 1,
      }),
    ]
    const lookUp = lookUpAmong(tools)
    await resolveCascades(tools, lookUp)
    expect(lookUp.asked.filter(question => question.startsWith('middleware'))).toEqual([
      'middleware k from a',
    ])
  })

  it("$self and $hook are the middleware's own, whoever inherits from it", async () => {
    const tools = [
      middleware('base', { $self: { x: 1 }, $hook: '$next' }),
      middleware('heir', { $inherit: 'base' }),
      tool('a', { base: true, heir: true }),
    ]
    const resolved = await resolve(tools)
    expect(resolved.tools.get('a')?.chain).toEqual([
      { name: 'base', key: 'base', tool: 'base', args: { x: 1 }, static: true, hook: ['$next'] },
      { name: 'heir', key: 'heir', tool: 'heir', args: true, static: false },
    ])
  })

  it.each<[JsonValue, JsonValue]>([
    ['$next', ['$next']],
    ['$invoke', ['$invoke']],
    [
      ['$invoke', '$next'],
      ['$next', '$invoke'],
    ],
  ])('$hook: %j', async ($hook, expected) => {
    const { tools: resolved } = await resolve([middleware('h', { $hook }), tool('a', { h: 1 })])
    expect(resolved.get('a')?.chain).toEqual([
      { name: 'h', key: 'h', tool: 'h', args: 1, static: true, hook: expected },
    ])
  })

  it('knows the paths that its arguments read', async () => {
    const tools = [
      middleware('m', { $self: { d: '${locals.x}', own: '${args.z}' } }),
      middleware('n'),
      tool('a', {
        m: { list: ['${args.b} and ${args.a}', '\\${args.no}', '${CLAUDE_DIR}'], own: 1 },
        n: '${args.a}',
      }),
      tool('data', { note: '${args.q}' }),
      tool('b', { n: 5 }),
    ]
    const { tools: resolved } = await resolve(tools)
    expect(resolved.get('a')?.deps).toEqual(['args.a', 'args.b', 'locals.x'])
    expect([resolved.get('data')?.deps, resolved.get('b')?.deps]).toEqual([[], []])
  })
})

describe('problems', () => {
  const problemsOf = async (metadata: JsonObject): Promise<string[]> =>
    (await resolve([tool('a', metadata)])).problems
      .map(({ code, path }) => `${code} ${path.join('/')}`)
      .sort()

  it.each<[JsonObject, string[]]>([
    [{ $inherits: 'x' }, ['annotation-unknown $inherits']],
    [{ $: 1, $resolve: 'x' }, ['annotation-unknown $', 'annotation-unknown $resolve']],
    [{ $inherit: true }, ['annotation-invalid $inherit']],
    [{ $inherit: null }, ['annotation-invalid $inherit']],
    [{ $inherit: {} }, ['annotation-invalid $inherit']],
    [{ $inherit: [1, ''] }, ['annotation-invalid $inherit/0', 'annotation-invalid $inherit/1']],
    [{ $private: 'k' }, ['annotation-invalid $private']],
    [{ $public: { k: 1 } }, ['annotation-invalid $public']],
    [{ $private: [1, 'a..', '[', ''] }, ['0', '1', '2', '3'].map(at => `annotation-invalid $private/${at}`)],
    [{ $remove: [['x']] }, ['annotation-invalid $remove/0']],
    [{ $local: 'k', k: 1 }, ['annotation-invalid $local']],
    [
      { $local: ['k', 'q', '$order', 3], $order: [], k: 1 },
      ['1', '2', '3'].map(at => `annotation-invalid $local/${at}`),
    ],
    [{ $global: 5 }, ['annotation-invalid $global']],
    [{ $global: { params: {}, k: 1 } }, ['annotation-invalid $global/params']],
    [{ $merge: ['k'] }, ['annotation-invalid $merge']],
    [
      { $merge: { k: 'apend', l: 1, m: 'union' } },
      ['annotation-invalid $merge/k', 'annotation-invalid $merge/l'],
    ],
    [{ $order: 'k' }, ['annotation-invalid $order']],
    [{ $order: [1] }, ['annotation-invalid $order/0']],
    [{ $static: true }, ['annotation-invalid $static']],
    [{ $dynamic: [{}] }, ['annotation-invalid $dynamic/0']],
    [{ $static: ['k'], $dynamic: ['j', 'k'] }, ['annotation-invalid $dynamic/1']],
    [{ $self: 5 }, ['annotation-invalid $self']],
    [{ $self: [] }, ['annotation-invalid $self']],
    [{ $hook: '$nxt' }, ['annotation-invalid $hook']],
    [{ $hook: ['$next', 'invoke'] }, ['annotation-invalid $hook/1']],
    [{ $hook: null }, ['annotation-invalid $hook']],
    [{ k: { $merge: 1 } }, ['annotation-nested k/$merge']],
    [{ k: [{ x: { $foo: { $bar: 1 } } }] }, ['annotation-nested k/0/x/$foo']],
    [
      { $self: { $x: 1 }, $local: { $y: 1, k: { $z: 1 } } },
      ['annotation-nested $self/$x', 'annotation-nested $local/$y', 'annotation-nested $local/k/$z'],
    ],
    [{ k: { ms: 5, $comment: 'no schema' } }, ['annotation-nested k/$comment']],
    [{ k: { type: 'object', $merge: 1 } }, ['annotation-nested k/$merge']],
    [{ k: { properties: { $top: { $skip: 1 } } } }, ['annotation-nested k/properties/$top/$skip']],
    [{ properties: { $top: 1 } }, ['annotation-nested properties/$top']],
    [{ delegate: 'inline://code,`${x}`' }, ['inline-interpolated delegate']],
    [{ $self: { code: ['inline://markdown,\n\\${a} ${args.b}'] } }, ['inline-interpolated $self/code/0']],
  ])('%j', async (metadata, expected) => {
    expect(await problemsOf(metadata)).toEqual(expected.toSorted())
  })

  it.each<[string, JsonObject]>([
    [
      'a schema',
      {
        agent: { output: { type: 'object', $defs: { x: {} }, properties: { $top: { $ref: '#/$defs/x' } } } },
      },
    ],
    ['nothing but a reference', { k: { schema: { $ref: '#/x' } } }],
    [
      'a schema of its own words',
      {
        k: {
          $schema: 's',
          $id: 'i',
          $anchor: 'a',
          $dynamicRef: 'r',
          $dynamicAnchor: 'd',
          $vocabulary: {},
          $resolve: 'nonlocals.x',
        },
      },
    ],
    ['params and returns', { params: { $foo: 1, x: { $bar: 1 } }, returns: { $foo: 1 } }],
    ['an escaped ${', { delegate: 'inline://code,`\\${x}`' }],
    ['text that is not a reference', { k: 'see inline://code,${args.x}', l: '${args.x}' }],
    [
      'every annotation',
      {
        k: 1,
        $inherit: [],
        $private: ['k', 'a.b', 'x-*'],
        $public: [],
        $local: ['k'],
        $global: { g: 1 },
        $remove: ['*'],
        $merge: { k: 'union' },
        $order: ['*'],
        $static: ['k'],
        $dynamic: ['j'],
        $self: {},
        $hook: [],
      },
    ],
  ])('none: %s', async (_, metadata) => {
    expect(await problemsOf(metadata)).toEqual([])
  })

  it('suggest what was meant', async () => {
    const metadata = {
      $inherits: 'x',
      timeout: 1,
      $local: ['timeuot'],
      $merge: { k: 'apend' },
      $hook: '$nxt',
    }
    const { problems } = await resolve([tool('a', metadata)])
    expect(problems.map(({ hint }) => hint)).toEqual([
      'Did you mean $inherit?',
      'Did you mean timeout?',
      'Did you mean append?',
      'Did you mean $next?',
    ])
    for (const { message, hint } of problems) {
      expect(message).not.toMatch(/\.$/)
      expect(hint).toMatch(/[.?]$/)
    }
  })

  it('what can be read of a wrong annotation counts', async () => {
    const tools = [
      tool('b', { k: 1, l: 1, $private: 'k' }),
      tool('a', { $inherit: [5, 'b'], $remove: ['[', 'l'], $merge: { k: 'no' }, $order: 5, k: 2 }),
    ]
    const resolved = await resolve(tools)
    expect(resolved.problems).toHaveLength(5)
    expect(valuesOf(resolved, 'a')).toEqual({ k: 2 })
  })

  it('of bases and main skills are reported too, once', async () => {
    const tools = [
      main({ $x1: 1 }),
      tool('b', { $x2: 1 }),
      tool('a', { $inherit: 'b' }),
      tool('c', { $inherit: 'b' }),
    ]
    const roots = tools.slice(2)
    expect(shortly((await resolve(tools, { project: 'main' }, roots)).problems).sort()).toEqual([
      'annotation-unknown b $x2',
      'annotation-unknown main $x1',
    ])
  })
})

describe('whatever stands in metadata', () => {
  const POISON = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']

  it('keys of prototypes are keys like others, and reach none', async () => {
    const own = JSON.parse(
      `{${POISON.map(key => `"${key}": {"${key}": {"x": 1}, "polluted": 1}`)}}`,
    ) as JsonObject
    const more = JSON.parse(
      `{${POISON.map(key => `"${key}": {"${key}": {"y": 1}}`)}, "$remove": ["prototype", "constructor.x", "__proto__.polluted"], "$merge": {"__proto__": "deep"}, "$order": ["toString", "__proto__"], "$private": ["constructor"]}`,
    ) as JsonObject
    const tools = [
      main({ $global: own }),
      tool('b', own),
      tool('a', { ...more, $inherit: 'b' }),
      tool('c', { $inherit: 'a' }),
      ...POISON.map(name => middleware(name, JSON.parse('{"$self": {"__proto__": {"polluted": 1}}}'))),
    ]
    const frozen = [Object.prototype, Array.prototype, Map.prototype, Set.prototype]
    const before = frozen.map(prototype => Reflect.ownKeys(prototype))
    const resolved = await resolve(tools, { project: 'main' })
    expect(shortly(resolved.problems).filter(one => !one.startsWith('chain'))).toEqual([])
    expect([...(resolved.tools.get('a')?.metadata.keys() ?? [])]).toEqual([
      'toString',
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'valueOf',
      'prototype',
    ])
    const joined = resolved.tools.get('a')?.metadata.get('__proto__')?.value as JsonObject
    expect(Object.keys(joined)).toEqual(['__proto__', 'polluted'])
    expect(Object.getPrototypeOf(joined)).toBe(Object.prototype)
    expect(Object.entries(Object.getOwnPropertyDescriptor(joined, '__proto__')?.value)).toEqual([
      ['x', 1],
      ['y', 1],
    ])
    expect(resolved.tools.get('a')?.metadata.get('prototype')?.value).toEqual({ prototype: { y: 1 } })
    expect(resolved.tools.get('c')?.metadata.get('constructor')?.overrides).toEqual([])
    expect(resolved.tools.get('c')?.metadata.get('constructor')?.from.tool).toBe('main')
    expect(frozen.map(prototype => Reflect.ownKeys(prototype))).toEqual(before)
    expect(({} as JsonObject).polluted).toBeUndefined()
  })

  it('a key of a prototype that only the stronger value has', () => {
    const strong = JSON.parse('{"x": {"__proto__": {"polluted": 1}}, "__proto__": 5}')
    const joined = joinValues({ x: {} }, strong, 'deep') as Record<'x', JsonObject>
    expect(Object.keys(joined)).toEqual(['x', '__proto__'])
    expect(Object.keys(joined.x)).toEqual(['__proto__'])
    expect([joined, joined.x].map(Object.getPrototypeOf)).toEqual([Object.prototype, Object.prototype])
    expect(joined.x.polluted).toBeUndefined()
  })

  it('with every prototype frozen the answer is the same', { tags: 'long' }, async () => {
    const own = `{${POISON.map(key => `"${key}": {"${key}": [1], "x": {"${key}": 1}}`)}, "$remove": ["toString.x"], "$merge": {"valueOf": "append"}}`
    const scenario = (inherit: string) => `{"$inherit": "${inherit}", ${own.slice(1)}`
    const tools = [
      tool('c', JSON.parse(own)),
      tool('b', JSON.parse(scenario('c'))),
      tool('a', JSON.parse(scenario('b'))),
    ]
    const here = await resolve(tools)
    const { outputFiles } = buildSync({
      stdin: {
        contents: `export { asText, resolve } from './test/support/cascade-world.js'`,
        resolveDir: ROOT,
      },
      bundle: true,
      write: false,
      format: 'esm',
    })
    const freeze =
      'for (const { prototype } of [Object, Array, Map, Set, Function, Promise, RegExp, String]) Object.freeze(prototype)'
    const there = runCode(
      `${outputFiles[0]?.text}\n${freeze}\nconsole.log(asText(await resolve(JSON.parse(${JSON.stringify(JSON.stringify(tools))}))))`,
    )
    expect(there.trim()).toBe(asText(here))
    expect(asText(here)).toContain('"__proto__"')
  })

  it('what a look-up throws is thrown, and a later failure of another ends no process', async () => {
    const tools = [tool('a', { $inherit: ['x', 'y'] })]
    const lookUp = {
      ...lookUpAmong(tools),
      base: (ref: string) => {
        if (ref === 'x') return new Promise<null>((_, fail) => setTimeout(() => fail(new Error('late')), 1))
        throw new Error('now')
      },
    }
    await expect(resolveCascades(tools, lookUp)).rejects.toThrow('now')
    await new Promise(done => setTimeout(done, 20))
    const rejecting = { ...lookUpAmong(tools), base: () => Promise.reject(new Error('no')) }
    await expect(resolveCascades(tools, rejecting)).rejects.toThrow('no')
  })

  it('property: nothing throws, nothing is changed, and answers are the same from promises and in any order', async () => {
    const key = fc.oneof(
      fc.constantFrom('k', 'l', 'm0', 'm1', 'delegate', 'gated', ...POISON),
      fc.constantFrom(
        '$inherit',
        '$private',
        '$public',
        '$local',
        '$global',
        '$remove',
        '$merge',
        '$order',
        '$static',
        '$dynamic',
        '$self',
        '$hook',
        '$nope',
      ),
    )
    const leaf = fc.oneof(
      fc.constantFrom<JsonValue>(
        't0',
        't1',
        'm0',
        'm1',
        'k',
        'k.l',
        '*',
        'x[0]',
        '$next',
        '$invoke',
        'append',
        'union',
        'inline://code,${x}',
        '${args.x}',
        '(',
        '',
      ),
      fc.constantFrom<JsonValue>(null, true, false, 0),
    )
    const value = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 3 }),
      fc.dictionary(key, leaf, { maxKeys: 3 }),
      fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
    )
    const metadata = fc.dictionary(key, value, { maxKeys: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(metadata, { minLength: 5, maxLength: 5 }), async ([p, a, b, c, d]) => {
        const tools = [
          tool('main', p, { role: 'main' }),
          tool('t0', a),
          tool('t1', b),
          middleware('m0', c),
          middleware('m1', d),
        ]
        const before = JSON.stringify(tools)
        const resolved = await resolve(tools, { project: 'main' })
        const later = await resolve(tools, { project: 'main', later: true })
        expect(later).toEqual(resolved)
        const turned = await resolve(tools, { project: 'main' }, tools.toReversed())
        for (const [id, one] of resolved.tools) expect(turned.tools.get(id)).toEqual(one)
        const texts = (problems: typeof resolved.problems) => problems.map(one => JSON.stringify(one)).sort()
        expect(texts(turned.problems)).toEqual(texts(resolved.problems))
        for (const root of tools) {
          const alone = await resolve(tools, { project: 'main' }, [root])
          expect(alone.tools.get(root.id)).toEqual(resolved.tools.get(root.id))
        }
        expect(JSON.stringify(tools)).toBe(before)
      }),
      { numRuns: RUNS },
    )
  })

  it.runIf(isLong)('values nested deeper than the stack', async () => {
    const nested = (leaf: JsonValue): JsonValue => {
      let value: JsonValue = leaf
      for (let depth = 0; depth < 100_000; depth++)
        value = depth % 2 === 0 ? { x: value } : { x: value, y: [1] }
      return value
    }
    const tools = [
      middleware('m', { $self: { x: nested('${args.a}') } }),
      tool('b', { k: nested(1), l: [nested(2)], m: { x: nested('${args.b}') } }),
      tool('a', {
        $inherit: 'b',
        k: nested({ $x: 1 }),
        l: [nested(2)],
        $merge: { l: 'union' },
        $remove: ['k.y', '..nope'],
      }),
    ]
    const { tools: resolved, problems } = await resolve(tools)
    expect(problems.map(({ code, path }) => [code, path.length])).toEqual([['annotation-nested', 100_002]])
    expect(resolved.get('a')?.metadata.get('l')?.value).toHaveLength(1)
    expect(resolved.get('a')?.deps).toEqual(['args.b'])
  })
})

describe('property: a simple model gives the same values', () => {
  interface Plan {
    bases: number[]
    own: Record<string, JsonValue>
    merge: Record<string, 'deep' | 'replace' | 'append' | 'prepend'>
    remove: string[]
    hidden: string[]
    open: string[] | undefined
  }
  const key = fc.constantFrom('a', 'b', 'c')
  const value = fc.oneof(
    fc.nat(3),
    fc.constant(null),
    fc.array(fc.nat(3), { maxLength: 2 }),
    fc.dictionary(
      fc.constantFrom('x', 'y'),
      fc.oneof(fc.nat(3), fc.dictionary(fc.constantFrom('x', 'z'), fc.nat(3))),
    ),
  ) as fc.Arbitrary<JsonValue>
  const plan: fc.Arbitrary<Plan> = fc.record({
    bases: fc.array(fc.nat(5), { maxLength: 2 }),
    own: fc.dictionary(key, value),
    merge: fc.dictionary(
      key,
      fc.constantFrom('deep' as const, 'replace' as const, 'append' as const, 'prepend' as const),
    ),
    remove: fc.array(key, { maxLength: 1 }),
    hidden: fc.array(key, { maxLength: 1 }),
    open: fc.option(fc.array(key, { maxLength: 2 }), { nil: undefined }),
  })

  it('for promotions, bases and own keys', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plan, { minLength: 6, maxLength: 6 }),
        fc.dictionary(key, value),
        async (plans, promoted) => {
          // Bases are tools before, so there is no cycle.
          const acyclic = plans.map((one, index) => ({
            ...one,
            bases: one.bases.filter(base => base < index),
          }))
          const tools = acyclic.map((one, index) =>
            tool(`t${index}`, {
              ...one.own,
              $inherit: one.bases.map(base => `t${base}`),
              $merge: one.merge,
              $remove: one.remove,
              $private: one.hidden,
              ...(one.open && { $public: one.open }),
            }),
          )
          const resolved = await resolve([main({ $global: promoted }), ...tools], {
            project: 'main',
            authority: { t: '' },
          })
          expect(resolved.problems).toEqual([])
          for (const [index, one] of acyclic.entries())
            expect(valuesOf(resolved, `t${index}`)).toEqual(own(one, [promoted, ...one.bases.map(handedOn)]))

          function handedOn(index: number): Record<string, JsonValue> {
            const one = acyclic[index] as Plan
            const all = Object.entries(own(one, one.bases.map(handedOn)))
            return Object.fromEntries(
              all.filter(([name]) => !one.hidden.includes(name) && (one.open?.includes(name) ?? true)),
            )
          }
        },
      ),
      { numRuns: RUNS },
    )
  })

  function own(
    { own: keys, merge, remove }: Plan,
    layers: Record<string, JsonValue>[],
  ): Record<string, JsonValue> {
    const result: Record<string, JsonValue> = {}
    for (const layer of layers) for (const [name, one] of Object.entries(layer)) put(name, one)
    for (const name of remove) delete result[name]
    for (const [name, one] of Object.entries(keys)) {
      if (one === null) delete result[name]
      else put(name, one)
    }
    return result

    function put(name: string, one: JsonValue): void {
      result[name] = Object.hasOwn(result, name)
        ? join(result[name] as JsonValue, one, merge[name] ?? 'deep')
        : one
    }
  }

  function join(weak: JsonValue, strong: JsonValue, mode: string): JsonValue {
    if (mode === 'append') return [weak, strong].flat(1)
    if (mode === 'prepend') return [strong, weak].flat(1)
    const isMapping = (one: JsonValue): one is JsonObject =>
      typeof one === 'object' && one !== null && !Array.isArray(one)
    if (mode === 'replace' || !isMapping(weak) || !isMapping(strong)) return strong
    const result = { ...weak }
    for (const [name, one] of Object.entries(strong))
      result[name] = name in result ? join(result[name] as JsonValue, one, 'deep') : one
    return result
  }
})

describe('size', () => {
  const time = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const start = performance.now()
    await work()
    console.log(`${what}: ${Math.round(performance.now() - start)} ms`)
  }

  it('inheritance thousands deep, from one tool or from all, also in a ring', { tags: 'long' }, async () => {
    for (const count of [times(1_000, 2_000), times(2_000, 20_000)]) {
      const tools = Array.from({ length: count }, (_, index) =>
        tool(`t${index}`, { ...(index > 0 && { $inherit: `t${index - 1}` }), k: { x: index }, l: index }),
      )
      const last = tools.slice(-1)
      const id = `t${count - 1}`
      await time(`${count} deep, one tool`, async () => {
        const { tools: resolved, problems } = await resolve(tools, {}, last)
        expect(problems).toEqual([])
        expect(resolved.get(id)?.metadata.get('k')?.overrides).toHaveLength(count - 1)
        expect(resolved.get(id)?.sources).toHaveLength(count - 1)
      })
      await time(`${count} deep, all tools`, () => resolve(tools))
      Object.assign(tools[0]?.metadata ?? {}, { $inherit: id })
      await time(`${count} in a ring`, async () => {
        const { problems } = await resolve(tools)
        expect(problems).toHaveLength(count)
        expect(problems[0]?.message).toMatch(/: t\d+ → .* → \(\d+ more\) → .* → t\d+$/)
        expect(Math.max(...problems.map(({ message }) => message.length))).toBeLessThan(2000)
      })
    }
  })

  it.runIf(isLong)('10,000 tools without metadata, and under promotions', async () => {
    const tools = Array.from({ length: 10_000 }, (_, index) => tool(`t${index}`))
    await time('10,000 plain tools', () => resolve(tools))
    const all = Array.from({ length: 20 }, (_, index) => middleware(`m${index}`))
    const promoting = main({ $global: Object.fromEntries(all.map(({ name }) => [name, { x: 1 }])) })
    await time('10,000 tools under 20 promotions', () =>
      resolve([promoting, ...all, ...tools], { project: 'main' }),
    )
  })
})
