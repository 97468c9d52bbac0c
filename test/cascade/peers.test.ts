import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CascadeResolution, CascadeTool } from '../../src/cascade/types.js'
import { acyclicOrder } from '../../src/graph/acyclic-order.js'
import { strongComponents } from '../../src/graph/strong-components.js'
import type { HookTrigger } from '../../src/skill/metadata-keys.js'
import { chainOf, main, middleware, resolve, shortly, tool } from '../support/cascade-world.js'
import { times } from '../support/long.js'

const RUNS = times(30, 20_000)

describe('peers', () => {
  it('are static for each other, and dynamic for all others', async () => {
    const tools = [
      main({ $global: { audit: true } }),
      middleware('audit', { quota: 5 }),
      middleware('quota', { clock: 1 }),
      middleware('clock', { $inherit: false }),
      tool('a', { quota: 1 }),
    ]
    const resolved = await resolve(tools, { project: 'main' })
    expect(resolved.problems).toEqual([])
    expect(chainOf(resolved, 'a')).toEqual(['audit', 'quota'])
    expect(chainOf(resolved, 'audit')).toEqual(['quota static'])
    expect(chainOf(resolved, 'quota')).toEqual(['audit static', 'clock'])
    expect(chainOf(resolved, 'clock')).toEqual([])
    const peers = Object.fromEntries([...resolved.tools].map(([id, one]) => [id, one.peers]))
    expect(peers).toEqual({ main: [], audit: ['quota'], quota: ['audit'], clock: [], a: [] })
    // a → audit → quota, and a → quota → audit and clock
    expect(resolved.tools.get('a')?.calls).toBe(2 + 3)
  })

  it('a middleware does not run around itself', async () => {
    const resolved = await resolve([middleware('m', { m: 1, n: 1 }), middleware('n')])
    expect(chainOf(resolved, 'm')).toEqual(['n'])
    expect(resolved.tools.get('m')?.peers).toEqual([])
  })

  it('two tools of one name are two tools', async () => {
    const own = middleware('project/m', { m: 1 }, { name: 'm' })
    const library = middleware('m', {}, { layer: 'bundled' })
    const resolved = await resolve([own, library])
    expect(resolved.tools.get('project/m')?.chain.map(({ tool: id }) => id)).toEqual(['m'])
  })

  it('are connected by hooks too, which always run static', async () => {
    const tools = [
      middleware('trace', { $hook: '$next', audit: 1 }),
      middleware('audit', { trace: 1, $dynamic: ['trace'] }),
      tool('a', { trace: 1, $dynamic: ['trace'] }),
    ]
    const resolved = await resolve(tools)
    expect(resolved.problems).toEqual([])
    expect(resolved.tools.get('trace')?.peers).toEqual(['audit'])
    expect(chainOf(resolved, 'trace')).toEqual(['audit static'])
    expect(chainOf(resolved, 'audit')).toEqual(['trace static hook'])
    expect(chainOf(resolved, 'a')).toEqual(['trace static hook'])
  })

  it('only middleware that was asked for or is reached is resolved', async () => {
    const tools = [
      tool('a', { m: 1, $inherit: 'b' }),
      tool('b'),
      middleware('m', { n: 1 }),
      middleware('n'),
      middleware('o'),
    ]
    const { tools: resolved } = await resolve(tools, {}, tools.slice(0, 1))
    expect([...resolved.keys()]).toEqual(['a', 'm', 'n'])
  })

  it('sources of a middleware are all that may make it a peer', async () => {
    const tools = [
      tool('base'),
      tool('a', { m: 1 }),
      middleware('m', { n: 1 }),
      middleware('n', { $inherit: 'base', o: 1 }),
      middleware('o'),
    ]
    const { tools: resolved } = await resolve(tools)
    expect(resolved.get('a')?.sources).toEqual(['m'])
    expect(resolved.get('m')?.sources).toEqual(['base', 'n', 'o'])
  })
})

describe('$static and $dynamic', () => {
  it('$static forces static', async () => {
    const tools = [middleware('m', { n: 1 }), middleware('n'), tool('a', { m: 1, n: 1, $static: ['m'] })]
    const resolved = await resolve(tools)
    expect(chainOf(resolved, 'a')).toEqual(['m static', 'n'])
    expect(resolved.tools.get('a')?.calls).toBe(2)
  })

  it('$dynamic between peers is allowed where it closes no cycle', async () => {
    const tools = [
      middleware('m', { n: 1, $dynamic: ['n'] }),
      middleware('n', { m: 1, o: 1 }),
      middleware('o'),
    ]
    const resolved = await resolve(tools)
    expect(resolved.problems).toEqual([])
    expect(chainOf(resolved, 'm')).toEqual(['n'])
    expect(chainOf(resolved, 'n')).toEqual(['m static', 'o'])
    expect(resolved.tools.get('m')?.calls).toBe(1 + 2)
  })

  it('a cycle of dynamic calls is printed whole and ends, wherever one begins', async () => {
    const tools = [
      middleware('c', { a: 1, x: 1, $dynamic: ['x', 'a'] }),
      middleware('a', { b: 1, $dynamic: ['b'] }),
      middleware('b', { c: 1, $dynamic: ['c'] }),
      middleware('x'),
      tool('t', { b: 1 }),
    ]
    for (const roots of [tools, tools.toReversed(), tools.slice(2, 3), tools.slice(4)]) {
      const resolved = await resolve(tools, {}, roots)
      expect(resolved.problems).toEqual([
        {
          code: 'dynamic-cycle',
          tool: 'c',
          path: ['$dynamic', 1],
          message: '"a" cannot run dynamically, since its chain would never end: c → a → b → c',
          hint: 'Take a out of $dynamic, or one of the others out of the $dynamic of the one before it.',
        },
      ])
      expect(chainOf(resolved, 'c')).toEqual(['a static', 'x'])
      expect(chainOf(resolved, 'a')).toEqual(['b'])
      expect(resolved.tools.get('a')?.calls).toBe(4)
    }
  })

  it('several cycles through one tool', async () => {
    const all = ['a', 'b', 'c']
    const tools = all.map(name => {
      const others = all.filter(other => other !== name)
      return middleware(name, { ...Object.fromEntries(others.map(other => [other, 1])), $dynamic: others })
    })
    const resolved = await resolve(tools)
    expect(shortly(resolved.problems)).toEqual([
      'dynamic-cycle b $dynamic/0',
      'dynamic-cycle c $dynamic/0',
      'dynamic-cycle c $dynamic/1',
    ])
    expect(chainOf(resolved, 'a')).toEqual(['b', 'c'])
    expect(chainOf(resolved, 'b')).toEqual(['a static', 'c'])
    expect(chainOf(resolved, 'c')).toEqual(['a static', 'b static'])
  })
})

describe('expanded calls', () => {
  /** Each middleware uses all later ones. */
  const tower = (count: number): CascadeTool[] =>
    Array.from({ length: count }, (_, from) =>
      middleware(
        `m${from}`,
        Object.fromEntries(Array.from({ length: count - from - 1 }, (_, next) => [`m${from + next + 1}`, 1])),
      ),
    )

  it('past a thousand are a problem that says how many and by whom', async () => {
    const tools = [...tower(11), tool('a', Object.fromEntries(tower(10).map(({ name }) => [name, 1])))]
    const resolved = await resolve(tools)
    expect(resolved.tools.get('m0')?.calls).toBe(1023)
    expect(resolved.problems).toEqual([
      {
        code: 'chain-too-large',
        tool: 'm0',
        path: ['m1'],
        message: 'one call of m0 expands to 1023 calls of middleware, most of them (512) by "m1"',
        hint: 'Name middleware that needs no middleware of its own in $static, or take m1 out.',
      },
      expect.objectContaining({ tool: 'a', path: ['m0'] }),
    ])
    const flat = [...tower(10), tool('a', { ...Object.fromEntries(tower(10).map(({ name }) => [name, 1])) })]
    expect((await resolve(flat)).problems.map(({ tool: id }) => id)).toEqual(['a'])
    expect((await resolve(tower(10))).problems).toEqual([])
  })

  it('point into the tool only where the key stands there', async () => {
    // The library's own tools get no promotions, so that these stay a tower.
    const bundled = tower(11).map(one => ({ ...one, layer: 'bundled' as const }))
    const tools = [main({ $global: { m0: 1 } }), ...bundled, tool('a')]
    const { problems } = await resolve(tools, { project: 'main' }, tools.slice(-1))
    expect(problems.find(({ tool: id }) => id === 'a')?.path).toEqual([])
  })

  it('more than numbers can count are counted as many', { tags: 'long' }, async () => {
    const { tools, problems } = await resolve(tower(200))
    expect(tools.get('m0')?.calls).toBe(Number.MAX_SAFE_INTEGER)
    expect(problems[0]?.message).toContain('expands to more than 9007199254740991 calls')
  })

  it('of hooks: $next once for each other entry and the tool, $invoke once', async () => {
    const tools = [
      middleware('m', { inner: 1 }),
      middleware('inner'),
      middleware('next', { $hook: '$next' }),
      middleware('whole', { $hook: '$invoke' }),
      middleware('both', { $hook: ['$next', '$invoke'] }),
      tool('a', { m: 1, inner: 1, next: 1, whole: 1, both: 1 }),
    ]
    const { tools: resolved } = await resolve(tools)
    expect(resolved.get('a')?.calls).toBe(2 + 1 + 3 + 1 + (3 + 1))
  })
})

interface Plan {
  edges: number[]
  hook: HookTrigger[]
  forcedStatic: number[]
  forcedDynamic: number[]
}

const SIZE = 7
const node = fc.nat(SIZE - 1)
const plan: fc.Arbitrary<Plan> = fc.record({
  edges: fc.uniqueArray(node, { maxLength: 3 }),
  hook: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Plan['hook']>([]) },
    { weight: 1, arbitrary: fc.subarray<HookTrigger>(['$next', '$invoke'], { minLength: 1 }) },
  ),
  forcedStatic: fc.uniqueArray(node, { maxLength: 1 }),
  forcedDynamic: fc.uniqueArray(node, { maxLength: 2 }),
})
const plans = fc.array(plan, { minLength: SIZE, maxLength: SIZE })

function toolsOf(all: readonly Plan[]): CascadeTool[] {
  return all.map(({ edges, hook, forcedStatic, forcedDynamic }, index) =>
    middleware(`m${index}`, {
      ...Object.fromEntries(edges.map(to => [`m${to}`, 1])),
      $static: forcedStatic.map(to => `m${to}`),
      $dynamic: forcedDynamic.filter(to => !forcedStatic.includes(to)).map(to => `m${to}`),
      ...(hook.length > 0 && { $hook: hook }),
    }),
  )
}

/** What each tool leads to by one entry or more, found the plain way. */
function reachable(edges: readonly (readonly number[])[]): Set<number>[] {
  return edges.map((_, start) => {
    const reached = new Set<number>()
    const visit = (from: number): void => {
      for (const to of edges[from] ?? []) {
        if (reached.has(to)) continue
        reached.add(to)
        visit(to)
      }
    }
    visit(start)
    return reached
  })
}

describe('property: random graphs', () => {
  it('peers are those that lead to each other', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async all => {
        const { tools } = await resolve(toolsOf(all))
        const edges = all.map(one => one.edges)
        const reaches = reachable(edges.map((to, from) => to.filter(other => other !== from)))
        for (const from of edges.keys()) {
          const expected = [...edges.keys()].filter(
            to => to !== from && reaches[from]?.has(to) && reaches[to]?.has(from),
          )
          expect(tools.get(`m${from}`)?.peers).toEqual(expected.map(to => `m${to}`))
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('entries run as the rules say, and every dynamic call ends', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async all => {
        const resolved = await resolve(toolsOf(all))
        const fallenBack = new Set(
          resolved.problems.map(({ tool: id, message }) => `${id} ${/"(.*?)"/.exec(message)?.[1]}`),
        )
        for (const [id, { chain, peers }] of resolved.tools) {
          const one = all[Number(id.slice(1))] as Plan
          for (const entry of chain) {
            const to = Number(entry.tool.slice(1))
            const isHook = (all[to]?.hook.length ?? 0) > 0
            const isForced = one.forcedDynamic.includes(to)
            const isStatic =
              isHook || one.forcedStatic.includes(to) || (peers.includes(entry.tool) && !isForced)
            expect(entry.static).toBe(isStatic || fallenBack.has(`${id} ${entry.tool}`))
          }
        }
        const dynamic = all.map((_, from) => dynamicOf(resolved, from))
        for (const [from, reached] of reachable(dynamic).entries()) expect(reached.has(from)).toBe(false)
        for (const { code, message } of resolved.problems) {
          expect(code).toBe('dynamic-cycle')
          const way = message.replace(/.*: /, '').split(' → ')
          expect(way[0]).toBe(way.at(-1))
          expect(new Set(way).size).toBe(way.length - 1)
          for (const [index, name] of way.slice(0, -1).entries()) {
            const one = all[Number(name.slice(1))] as Plan
            const to = Number(way[index + 1]?.slice(1))
            expect(one.edges.includes(to) && one.forcedDynamic.includes(to)).toBe(true)
          }
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('expanded calls are those of a recursive model', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async all => {
        const { tools } = await resolve(toolsOf(all))
        const callsOf = (id: string): number => {
          const chain = tools.get(id)?.chain ?? []
          let sum = 0
          for (const entry of chain) {
            if (!entry.hook) sum += entry.static ? 1 : 1 + callsOf(entry.tool)
            else {
              if (entry.hook.includes('$invoke')) sum += 1
              if (entry.hook.includes('$next')) sum += chain.filter(({ hook }) => !hook).length + 1
            }
          }
          return sum
        }
        for (const [id, { calls }] of tools) expect(calls).toBe(callsOf(id))
      }),
      { numRuns: RUNS },
    )
  })

  it('one tool alone gets what it gets among all', async () => {
    await fc.assert(
      fc.asyncProperty(plans, node, async (all, index) => {
        const tools = toolsOf(all)
        const id = `m${index}`
        const among = await resolve(tools)
        const alone = await resolve(tools, {}, tools.slice(index, index + 1))
        expect(alone.tools.get(id)).toEqual(among.tools.get(id))
        const ofIt = ({ problems }: CascadeResolution) => problems.filter(({ tool: at }) => at === id)
        expect(ofIt(alone)).toEqual(ofIt(among))
      }),
      { numRuns: RUNS },
    )
  })

  it('components come behind those they lead to, and what is left after cutting has an order', () => {
    const graph = fc.array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(graph, edges => {
        const edgesOf = (from: number): readonly number[] => edges[from] ?? []
        const components = strongComponents(edges.length, edgesOf)
        const componentOf = (one: number): number => components.findIndex(members => members.includes(one))
        expect(components.flat().sort((a, b) => a - b)).toEqual([...edges.keys()])
        for (const [from, targets] of edges.entries())
          for (const to of targets) expect(componentOf(to)).toBeLessThanOrEqual(componentOf(from))
        const { order, closing } = acyclicOrder(components, edgesOf, (a, b) => a - b)
        expect(order.toSorted((a, b) => a - b)).toEqual([...edges.keys()])
        const cut = new Set(closing.map(({ from, edge }) => `${from} ${edge}`))
        for (const [from, targets] of edges.entries()) {
          for (const [edge, to] of targets.entries())
            if (!cut.has(`${from} ${edge}`)) expect(order.indexOf(to)).toBeLessThan(order.indexOf(from))
        }
      }),
      { numRuns: RUNS },
    )
  })
})

function dynamicOf({ tools }: CascadeResolution, from: number): number[] {
  const chain = tools.get(`m${from}`)?.chain ?? []
  return chain.filter(entry => !entry.static).map(entry => Number(entry.tool.slice(1)))
}

describe('promotion to everything', () => {
  it('of all middleware, itself and others included, ends', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `m${index}`)
    const promoted = Object.fromEntries(names.map(name => [name, { for: name }]))
    const tools = [
      main({ $global: promoted, $local: promoted }),
      ...names.map(name => middleware(name)),
      tool('a'),
    ]
    const resolved = await resolve(tools, { project: 'main' })
    for (const name of names) {
      expect(resolved.tools.get(name)?.peers).toHaveLength(29)
      expect(resolved.tools.get(name)?.chain.every(entry => entry.static)).toBe(true)
    }
    expect(resolved.tools.get('a')?.chain.every(entry => !entry.static)).toBe(true)
    expect(resolved.tools.get('a')?.calls).toBe(30 * 30)
    expect(resolved.problems).toEqual([])
  })
})
