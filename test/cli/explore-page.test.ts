import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PageGraph, PagePolicy } from '../../cli/explore/page-data.js'
import { commandLine, fieldsOf } from '../../explore/data/command-line.js'
import { facetsOf, filterRows, type RowFilter, sortRows } from '../../explore/data/filter-rows.js'
import { busiest, connected, dependents, neighbourhood, withEdges } from '../../explore/data/graph.js'
import { decideCall } from '../../explore/data/policy.js'
import type { Row } from '../../explore/data/row.js'
import type { StepAnswer } from '../../src/policy/decide.js'
import { agentApps } from '../support/commands.js'
import { ExploredPage } from '../support/explored-page.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

describe('the table', () => {
  const row = (name: string, more: Partial<Row> = {}): Row => ({
    ...{ name, id: name, number: 0, kind: 'folder', role: null, layer: 'project', plugin: null, file: name },
    ...{ description: 'Does it.', tags: [], hidden: false, tokens: 1, required: [], optional: [] },
    ...{ errors: 0, warnings: 0, infos: 0, shadows: 0, words: `${name} does it.` },
    ...more,
  })
  const ALL: RowFilter = { words: '', state: '', kind: '', layer: '', plugin: '', permission: '' }
  const rows = [
    row('deploy', { plugin: 'ops', required: ['execute'], tokens: 9 }),
    row('review', { warnings: 2, words: 'review looks at what deploy did' }),
    row('old', { kind: 'broken', errors: 1 }),
  ]
  const names = (filter: Partial<RowFilter>): string[] =>
    filterRows(rows, { ...ALL, ...filter }).map(({ name }) => name)

  it('is searched by words that are all there, names first', () => {
    expect(names({ words: 'DEPLOY' })).toEqual(['deploy', 'review'])
    expect(names({ words: 'deploy looks' })).toEqual(['review'])
    expect(names({ words: 'nothing' })).toEqual([])
  })

  it('is filtered, and counts what each choice leaves besides the other filters', () => {
    expect(names({ state: 'broken' })).toEqual(['old'])
    expect(names({ permission: 'execute', plugin: 'ops' })).toEqual(['deploy'])
    const { state, permission, kind } = facetsOf(rows, { ...ALL, permission: 'execute' })
    expect(state).toEqual([{ value: 'clean', count: 1 }])
    expect(permission).toEqual([{ value: 'execute', count: 1 }])
    expect(kind).toEqual([{ value: 'folder', count: 1 }])
  })

  it('is sorted either way', () => {
    const sorted = (order: string): string[] => sortRows(rows, order).map(({ name }) => name)
    expect(sorted('problems')).toEqual(['old', 'review', 'deploy'])
    expect(sorted('-name')).toEqual(['review', 'old', 'deploy'])
    expect(sorted('no-such-order')).toEqual(['deploy', 'review', 'old'])
  })
})

describe('the command line of a form', () => {
  it('leaves nothing to the shell', () => {
    const params = {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' }, 'a b': { enum: ['x', 1] }, constructor: {} },
    }
    const fields = fieldsOf(params)
    expect(fields.map(({ name, type, choices, isRequired }) => [name, type, choices, isRequired])).toEqual([
      ['text', 'string', [], true],
      ['a b', 'value', ['x', '1'], false],
      ['constructor', 'value', [], false],
    ])
    const text = '$(touch x) `y` "z" \'; rm -rf /\n\\'
    const line = commandLine(
      'no tes',
      fields,
      new Map([
        ['text', text],
        ['a b', 'x'],
      ]),
    )
    const printed = execFileSync('sh', ['-c', line.replace(/^agent-apps/, 'printf "%s\\0"')], {
      encoding: 'utf8',
    })
    expect(printed.split('\0').slice(0, -1)).toEqual([
      'run',
      'no tes',
      '--arg',
      `text=${text}`,
      '--arg',
      'a b=x',
    ])
  })
})

describe('the graph', () => {
  const node = (id: string): PageGraph['nodes'][number] => ({
    id,
    name: id,
    kind: 'folder',
    role: null,
    file: null,
  })
  const edge = (from: number, to: number): PageGraph['edges'][number] => ({ from, to, kind: 'link', line: 1 })
  const graph = withEdges({
    nodes: ['a', 'b', 'c', 'd', 'alone'].map(node),
    edges: [edge(0, 1), edge(1, 2), edge(2, 1), edge(3, 2)],
    cycles: [[1, 2]],
  })

  it('knows what a change concerns, through others too', () => {
    expect(dependents(graph, 1).sort()).toEqual([0, 2, 3])
    expect(dependents(graph, 0)).toEqual([])
    expect(busiest(graph)).toBe(1)
  })

  it('shows neighbours by steps, and all that have an edge', () => {
    expect(neighbourhood(graph, 0, 1)).toEqual({ nodes: [0, 1], edges: [edge(0, 1)] })
    expect(neighbourhood(graph, 0, 2).nodes.sort()).toEqual([0, 1, 2])
    expect(connected(graph).nodes.sort()).toEqual([0, 1, 2, 3])
  })
})

describe('the policy', () => {
  const POLICY = {
    permissions: ['read', 'network'],
    deny: ['never*'],
    rules: ['send(boss@*, $policy=deny)', 'send($policy=ask)', 'acme:deploy($policy=deny)', 'read-it'],
  }
  const AGENTS = [
    { id: 'narrow', tools: { allow: ['send', '#team', 'deploy'] } },
    { id: 'wide', permissions: ['read', 'write', 'network'], rules: ['write-it($policy=allow)'] },
  ]
  const PROJECT: Tree = {
    'agent-apps.config.json': JSON.stringify({ paths: ['./skills'], policy: POLICY, agents: AGENTS }),
    'skills/main.skill.md': skill(
      'main',
      'Main.\n',
      "metadata: { role: main, trust: { rules: ['gated-one($policy=allow)'] } }\n",
    ),
    'skills/send/SKILL.md': skill(
      'send',
      'Sends.\n',
      'metadata:\n  permissions: { required: [network] }\n  approval-key: ${args.to}\n  params: { type: object, properties: { to: { type: string } } }\n',
    ),
    'skills/read-it/SKILL.md': skill(
      'read-it',
      'Reads.\n',
      'metadata:\n  permissions: { required: [read] }\n',
    ),
    'skills/write-it/SKILL.md': skill(
      'write-it',
      'Writes.\n',
      'metadata:\n  permissions: { required: [write] }\n',
    ),
    'skills/gated-one/SKILL.md': skill('gated-one', 'Gated.\n', 'metadata:\n  gated: true\n  tags: [team]\n'),
    'skills/never-this/SKILL.md': skill('never-this', 'Never.\n'),
    'skills/hidden/SKILL.md': skill('hidden', 'Hidden.\n', 'metadata: { visibility: hidden }\n'),
    'skills/acme/.claude-plugin/plugin.json': '{ "name": "acme" }',
    'skills/acme/skills/deploy/SKILL.md': skill('deploy', 'Deploys.\n'),
  }
  let root: string
  let page: ExploredPage
  beforeAll(async () => {
    root = makeTree(PROJECT)
    expect((await agentApps(root, ['explore', '--out', 'page.html'])).stderr).toBe('')
    page = new ExploredPage(readFileSync(join(root, 'page.html'), 'utf8'))
  })

  it('decides each call as the runtime does', async () => {
    const { agents, tools } = page.read<PagePolicy>('policy')
    const calls = page.rows.rows.flatMap(row => [
      { row, args: {} },
      ...(row.name === 'send'
        ? [
            { row, args: { to: 'boss@work' } },
            { row, args: { to: 'you' } },
          ]
        : []),
    ])
    let compared = 0
    for (const agent of agents)
      for (const { row, args } of calls) {
        const options = agent.id === null ? [] : ['--agent', agent.id]
        const { stdout } = await agentApps(root, [
          ...['explain', row.name, '--call', JSON.stringify(args), '--trust', '--json'],
          ...options,
        ])
        const tool = tools[row.name]
        if (!tool) throw new Error(`The page lacks ${row.name}.`)
        const known = JSON.parse(stdout)
        // The runtime names a tool that agents may not know of as it names one that is not there.
        const shown = (one: Pick<StepAnswer, 'step' | 'decision' | 'reason'>): unknown[] => [
          ...[one.step, one.decision],
          one.step === 1 ? '' : one.reason,
        ]
        const { steps } = decideCall(row, tool, args, agent)
        expect(steps.map(shown), `${agent.id} ${row.name}`).toEqual(known.steps.map(shown))
        compared++
      }
    expect(compared).toBe(agents.length * calls.length)
  })

  it('lists what an agent is offered, and why it does not get the rest', () => {
    const [, narrow] = page.read<PagePolicy>('policy').agents
    expect(narrow?.offered).toEqual(expect.arrayContaining(['send', 'gated-one']))
    expect(narrow?.withheld).toContainEqual(
      expect.objectContaining({ name: 'read-it', why: 'the list `allow` of the policy does not have it' }),
    )
  })
})
