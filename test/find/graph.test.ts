import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile, graph, graphAsDot, graphAsMermaid, type ReferenceGraph } from 'agent-apps/compiler'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GraphNode, reachableGraph, withCycles } from '../../compiler/graph/reference-graph.js'
import { visibleText } from '../../src/policy/shown-text.js'
import { character } from '../support/characters.js'
import { agentApps } from '../support/commands.js'
import { isLong, times } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { makeTree, skill, snapshot, type Tree } from '../support/tree.js'

const RUNS = times(25, 100)
const PAGE = readFileSync(join(ROOT, 'docs/references.md'), 'utf8')
const EXAMPLE: Tree = Object.fromEntries(
  [...PAGE.matchAll(/^```md (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => [path, text]),
)

function shown({ edges }: ReferenceGraph): string[] {
  return edges.map(({ from, to, kind, file, line }) => `${from} -${kind}-> ${to} (${file}:${line})`)
}

describe('graph', () => {
  it('holds every tool, what it refers to, and how', async () => {
    const cwd = makeTree({
      'one/a/SKILL.md': skill(
        'a',
        '[x](x.py) [self](SKILL.md) [b](../b.skill.md)\n',
        'allowed-tools: "Read bash b nothing"\nmetadata:\n  role: main\n  $inherit: [b, mcp://x/y]\n  delegate: gone\n',
      ),
      'one/a/x.py': '',
      'one/b.skill.md': skill('b', '[no](no.md) [out](../../../../../../x.md)\n'),
      'two/b.skill.md': skill('b', '', 'metadata:\n  delegate: ../one/a\n'),
      'two/c.skill.md': skill('c', '', 'metadata:\n  delegate: ./b.skill.md\n'),
      'package.json': '{}',
    })
    const result = await graph({ cwd, paths: ['one', 'two'] })
    expect(shown(result)).toEqual([
      'a -allowed-tools-> bash (one/a/SKILL.md:4)',
      'a -allowed-tools-> b (one/a/SKILL.md:4)',
      'a -allowed-tools-> nothing (one/a/SKILL.md:4)',
      'a -inherit-> b (one/a/SKILL.md:7)',
      'a -inherit-> mcp://x/y (one/a/SKILL.md:7)',
      'a -delegate-> gone (one/a/SKILL.md:8)',
      'a -link-> one/a/x.py (one/a/SKILL.md:10)',
      'a -link-> b (one/a/SKILL.md:10)',
      'b -link-> one/no.md (one/b.skill.md:5)',
      'b -link-> ../../../../../../x.md (one/b.skill.md:5)',
      'c -delegate-> two/b.skill.md#b (two/c.skill.md:5)',
      'two/b.skill.md#b -delegate-> a (two/b.skill.md:5)',
    ])
    expect(result.nodes.map(({ id, kind, role, layer }) => [id, kind, role, layer].join(' '))).toEqual([
      '../../../../../../x.md unknown  ',
      'a folder main project',
      'b file  project',
      'bash code  bundled',
      'c file  project',
      'gone missing  ',
      'mcp://x/y unknown  ',
      'nothing missing  ',
      'one/a/x.py resource  ',
      'one/no.md missing  ',
      'two/b.skill.md#b file  project',
    ])
    expect(result.cycles).toEqual([])
  })

  it('is the same with an index and without, and writes nothing', async () => {
    const cwd = makeTree(EXAMPLE)
    const before = snapshot(cwd)
    const first = await graph({ cwd, paths: ['skills'] })
    expect(snapshot(cwd)).toEqual(before)
    await compile({ cwd, paths: ['skills'] })
    expect(await graph({ cwd, paths: ['skills'] })).toEqual(first)
    expect(await graph({ cwd: makeTree(EXAMPLE), paths: ['skills'] })).toEqual(first)
  })

  it('knows the tools of the library that something refers to', async () => {
    const cwd = makeTree({ 's/a.skill.md': skill('a', '', 'metadata:\n  $inherit: timeout\n') })
    const { nodes } = await graph({ cwd, paths: ['s'] })
    expect(nodes.map(({ id, layer }) => [id, layer])).toEqual([
      ['a', 'project'],
      ['timeout', 'bundled'],
    ])
  })

  it('follows names, forth and back, as far as is asked', async () => {
    const to = (name: string, next: string): string => skill(name, '', `metadata:\n  delegate: ${next}\n`)
    const cwd = makeTree({
      's/a.skill.md': to('a', 'b'),
      's/b.skill.md': to('b', 'c'),
      's/c.skill.md': skill('c'),
      's/d.skill.md': skill('d'),
    })
    const ids = async (options: object): Promise<string> =>
      (await graph({ cwd, paths: ['s'], ...options })).nodes.map(({ id }) => id).join()
    expect(await ids({})).toBe('a,b,c,d')
    expect(await ids({ names: ['b'] })).toBe('b,c')
    expect(await ids({ names: ['b', 'd'], reverse: true })).toBe('a,b,d')
    expect(await ids({ names: ['a'], depth: 1 })).toBe('a,b')
    expect(await ids({ names: ['a'], depth: 0 })).toBe('a')
    await expect(graph({ cwd, paths: ['s'], names: ['zz'] })).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
    })
    await expect(graph({ cwd, nmaes: [] } as object)).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })
})

describe('docs/references.md', () => {
  const block = (language: string): string =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE)?.[1] ?? ''

  it('shows what is printed', async () => {
    const cwd = makeTree(EXAMPLE)
    expect(graphAsMermaid(await graph({ cwd, paths: ['skills'] }))).toBe(block('mermaid'))
    expect(graphAsDot(await graph({ cwd, paths: ['skills'], names: ['announce'] }))).toBe(block('dot'))
  })

  it('shows the command', async () => {
    const cwd = makeTree(EXAMPLE)
    const run = (...args: string[]) => agentApps(cwd, ['graph', ...args])
    expect(await run()).toEqual({ stdout: block('mermaid'), stderr: '', status: 0 })
    expect((await run('announce', '--format', 'dot')).stdout).toBe(block('dot'))
    const asJson = await run('announce', '--json')
    expect(asJson.stdout).toBe((await run('announce', '--format', 'json')).stdout)
    expect(Object.keys(JSON.parse(asJson.stdout))).toEqual(['nodes', 'edges', 'cycles'])
    expect(JSON.parse((await run('notes', '--reverse', '--depth', '1', '--json')).stdout).nodes).toHaveLength(
      3,
    )
    expect((await run('annonce')).stderr).toContain('Did you mean "announce"?')
    expect((await run('annonce')).status).toBe(1)
    for (const wrong of [['--format', 'dto'], ['--depth', 'x'], ['--depth=-1']])
      expect((await run(...wrong)).status).toBe(2)
    expect((await run('--format', 'dto')).stderr).toContain('Did you mean --format dot?')
  })
})

const HOSTILE = [
  '"',
  '\\',
  '\\"',
  'a\nb',
  'x]-->y',
  '</script><b onclick="x">',
  '%% comment',
  'end',
  '"]; evil',
  '#quot;',
  '\u2028\u0000',
  'é🎉',
  '`x`',
  '|',
  '{{x}}',
]
const id = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: character }))
const graphs = fc
  .uniqueArray(id, { minLength: 1, maxLength: 12 })
  .chain(ids =>
    fc.record({
      ids: fc.constant(ids),
      pairs: fc.array(fc.tuple(fc.nat(ids.length - 1), fc.nat(ids.length - 1)), { maxLength: 30 }),
      kinds: fc.array(fc.constantFrom<GraphNode['kind']>('folder', 'resource', 'missing', 'unknown'), {
        minLength: ids.length,
        maxLength: ids.length,
      }),
      role: fc.constantFrom('main' as const, 'middleware' as const, 'context' as const, null),
    }),
  )
  .map(({ ids, pairs, kinds, role }) => ({
    nodes: ids.map((one, at) => ({
      id: one,
      name: one,
      kind: kinds[at] ?? 'folder',
      role,
      file: null,
      layer: null,
    })),
    edges: pairs.map(([from, to]) => ({
      from: ids[from] ?? '',
      to: ids[to] ?? '',
      kind: 'link' as const,
      file: 'x',
      line: 1,
      column: 1,
    })),
  }))

describe('graphs, whatever they hold', () => {
  const MERMAID_LABEL = String.raw`"(?:[\p{L}\p{N} ,./_()-]|#\d+;)*"`
  const SHAPES = [
    `\\[${MERMAID_LABEL}\\]`,
    `\\[\\[${MERMAID_LABEL}\\]\\]`,
    `\\(\\[${MERMAID_LABEL}\\]\\)`,
    `\\{\\{${MERMAID_LABEL}\\}\\}`,
  ]
  const MERMAID_LINE = new RegExp(
    `^(?:flowchart LR|  n\\d+(?:${SHAPES.join('|')})|  n\\d+ -->\\|${MERMAID_LABEL}\\| n\\d+|  classDef [a-z]+ [\\w:,# -]+|  class n\\d+(?:,n\\d+)* [a-z]+)$`,
    'u',
  )
  const DOT_TEXT = String.raw`"(?:[^"\\\n]|\\["\\])*"`
  const DOT_LINE = new RegExp(
    `^(?:digraph references \\{|  rankdir=LR|  node \\[shape=box\\]|  n\\d+ \\[label=${DOT_TEXT}(?:, [a-z]+=\\w+)*\\]|  n\\d+ -> n\\d+ \\[label=${DOT_TEXT}\\]|\\})$`,
  )

  it('are Mermaid', () => {
    fc.assert(
      fc.property(graphs, one => {
        const lines = graphAsMermaid(withCycles(one)).trimEnd().split('\n')
        for (const line of lines) expect(line).toMatch(MERMAID_LINE)
        expect(lines.filter(line => /^ {2}n\d+[[({]/.test(line))).toHaveLength(one.nodes.length)
      }),
      { numRuns: RUNS },
    )
  })

  it('are DOT, whose labels are what was meant', () => {
    fc.assert(
      fc.property(graphs, one => {
        const lines = graphAsDot(withCycles(one)).trimEnd().split('\n')
        for (const line of lines) expect(line).toMatch(DOT_LINE)
        const labels = lines.flatMap(line => /^ {2}n\d+ \[label="((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? [])
        for (const [at, { id: meant }] of one.nodes.entries()) {
          const text = labels[at]?.replace(/\\(.)/g, '$1') ?? ''
          expect(text.startsWith(visibleText(meant.replace(/[\t\n]/g, ' ')))).toBe(true)
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('are followed and searched for cycles as by trying everything', () => {
    fc.assert(
      fc.property(graphs, fc.nat(5), fc.boolean(), fc.nat(11), (one, depth, reverse, at) => {
        const start = one.nodes[at % one.nodes.length]?.id ?? ''
        const within = (from: string, steps: number, back: boolean): Set<string> => {
          let known = new Set([from])
          for (let step = 0; step < steps; step++) {
            const more = one.edges.filter(edge => known.has(back ? edge.to : edge.from))
            known = new Set([...known, ...more.map(edge => (back ? edge.from : edge.to))])
          }
          return known
        }
        const expected = within(start, depth, reverse)
        const part = reachableGraph(one, [start], { depth, reverse })
        expect(new Set(part.nodes.map(node => node.id))).toEqual(expected)
        expect(part.edges).toEqual(one.edges.filter(({ from, to }) => expected.has(from) && expected.has(to)))

        const all = one.nodes.length
        const groups = new Set(
          one.nodes.flatMap(({ id: node }) => {
            const leads = one.edges.some(edge => edge.from === node && within(edge.to, all, false).has(node))
            const mates = one.nodes.filter(
              other => within(node, all, false).has(other.id) && within(other.id, all, false).has(node),
            )
            return leads ? [JSON.stringify(mates.map(mate => mate.id))] : []
          }),
        )
        expect(withCycles(one).cycles.map(cycle => JSON.stringify(cycle))).toEqual([...groups])
      }),
      { numRuns: RUNS },
    )
  })

  it.runIf(isLong)('may have a hundred thousand tools in a row', () => {
    const count = 100_000
    const nodes = Array.from({ length: count }, (_, at) => ({
      id: `t${at}`,
      name: `t${at}`,
      kind: 'file' as const,
      role: null,
      file: 'x',
      layer: 'project',
    }))
    const edges = nodes.map((node, at) => ({
      from: node.id,
      to: `t${(at + 1) % count}`,
      kind: 'delegate' as const,
      file: 'x',
      line: 1,
      column: 1,
    }))
    const whole = reachableGraph({ nodes, edges }, ['t5'])
    expect(whole.nodes).toHaveLength(count)
    expect(whole.cycles.map(({ length }) => length)).toEqual([count])
    expect(graphAsMermaid(whole).split('\n')).toHaveLength(2 * count + 2)
  })
})
