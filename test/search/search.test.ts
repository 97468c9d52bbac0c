import { join } from 'node:path'
import { type AgentOptions, createRuntime, type Hit, type Runtime } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { makeTree } from '../support/tree.js'

const skill = (name: string, metadata: string, body: string): string =>
  `---\nname: ${name}\ndescription: Does ${name} well.\nmetadata: { ${metadata} }\n---\n${body}\n`

const TREE = {
  'skills/deploy/SKILL.md': skill('deploy', 'tags: [ops]', '# Rollback\n\nPurge the cache.'),
  'skills/deploy-docs.skill.md': skill('deploy-docs', 'tags: [docs]', 'Purge the pages.'),
  'skills/hidden.skill.md': skill('hidden', 'visibility: hidden', 'Purge deploy secrets.'),
  'skills/gated.skill.md': skill('gated', 'gated: true', 'The vault of purge.'),
  'skills/needs.skill.md': skill('needs', 'requires-tools: [other-*]', 'Purge.'),
  'skills/run.skill.js':
    "export const frontmatter = { name: 'run-purge', description: 'Purges.' }\nexport default () => 1\n",
  'more/deploy.skill.md': skill('deploy', 'tags: [shadowed]', 'Purge of the second.'),
}

let fromDisk: string
let compiled: string
const PATHS = ['skills', 'more']

beforeAll(async () => {
  fromDisk = makeTree(TREE)
  compiled = makeTree(TREE)
  await compile({ cwd: compiled, paths: PATHS })
})

const runtimes: Runtime[] = []
afterAll(() => Promise.all(runtimes.map(one => one.close())))

function open(cwd = compiled, paths = PATHS): Runtime {
  const runtime = createRuntime({ cwd, paths, freshness: 'trust' })
  runtimes.push(runtime)
  return runtime
}

const shown = (hits: readonly Hit[]) => hits.map(({ tool, score, matched }) => [tool.name, score, ...matched])
const names = (hits: readonly Hit[]): string[] => hits.map(({ tool }) => tool.name)

describe('search', () => {
  it('finds nothing by punctuation or by a word that is too long, and takes only strings', async () => {
    const runtime = open()
    for (const query of ['!!!', 'x'.repeat(65)]) expect(await runtime.search(query)).toEqual([])
    expect((await runtime.search(' ')).length).toBeGreaterThan(0)
    await expect(runtime.search(5 as never)).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })

  it('reads triggers at the top level and under metadata, and check reports those that are no strings', async () => {
    const file = (name: string, more: string) => `---\nname: ${name}\ndescription: Works.\n${more}\n---\n`
    const cwd = makeTree({
      'one.skill.md': file('one', 'triggers: [ship it]'),
      'two.skill.md': file('two', 'metadata:\n  triggers: ship now'),
      'three.skill.md': file('three', 'triggers: [3]'),
      'four.skill.md': file('four', 'metadata:\n  triggers: { ship: true }'),
    })
    expect(names(await open(cwd, ['.']).search('ship')).sort()).toEqual(['one', 'two'])
    const { diagnostics } = await check({ cwd, paths: ['.'] })
    expect(diagnostics.map(({ name, ruleId }) => `${name} ${ruleId}`).sort()).toEqual([
      'four.skill.md:5:13 declaration-invalid',
      'three.skill.md:4:11 declaration-invalid',
    ])
  })

  it('gives the same hits and scores from an index and from disk', async () => {
    const [index, disk] = [open(compiled), open(fromDisk)]
    for (const query of ['deploy purge', 'rollback', 'vault', 'pur', 'how'])
      for (const find of [
        (one: Runtime) => one.search(query),
        (one: Runtime) => one.forAgent().search(query),
      ])
        expect(shown(await find(index))).toEqual(shown(await find(disk)))
  })

  it('finds for code what listTools gives, and for an agent what it may call', async () => {
    const runtime = open()
    expect(names(await runtime.search('purge'))).toEqual([
      'run-purge',
      'needs',
      'deploy',
      'deploy-docs',
      'hidden',
    ])
    expect(names(await runtime.forAgent().search('purge'))).toEqual(['run-purge', 'deploy', 'deploy-docs'])
    const others = await runtime.forAgent({ deny: 'run-*' }).search('purge')
    expect(names(others)).toEqual(['deploy', 'deploy-docs'])
    expect(names(await runtime.search(''))).toEqual(
      (await runtime.listTools()).filter(({ origin }) => origin.layer !== 'bundled').map(({ name }) => name),
    )
  })

  it('finds registered tools, and as they are registered anew', async () => {
    const runtime = open()
    expect(await runtime.search('weather')).toEqual([])
    const undo = runtime.register({ name: 'get_weather', description: 'Forecasts.', execute: () => 1 })
    expect(names(await runtime.search('weather'))).toEqual(['get_weather'])
    undo()
    expect(await runtime.search('weather')).toEqual([])
  })

  it('refuses a limit that is no whole number, and goes on finding', async () => {
    const runtime = open()
    const before = shown(await runtime.search('purge deploy'))
    for (const limit of [1.5, Number.NaN, -1])
      await expect(runtime.search('purge deploy', { limit })).rejects.toMatchObject({
        code: 'OPTIONS_INVALID',
      })
    expect(shown(await runtime.search('purge deploy'))).toEqual(before)
  })

  it('takes the first words of a long query, and the first terms of a beginning', async () => {
    const many = Array.from({ length: 5_000 }, (_, number) => `qx${number}`)
    const runtime = createRuntime({ paths: [], library: false })
    for (let tool = 0; tool < 50; tool++)
      runtime.register({
        name: `t${tool}`,
        description: many.slice(tool * 100, tool * 100 + 100).join(' '),
        execute: () => 1,
      })
    const found = await runtime.search(`${many.map(word => `${word}0`).join(' ')} qx`, { limit: 50 })
    expect(found.length).toBeLessThan(50)
    expect(await runtime.search('qx49 qx4999', { limit: 50 })).toHaveLength(2)
  })

  it('filters before the limit, and changes no score by that', async () => {
    const runtime = open()
    const all = await runtime.search('purge deploy')
    const score = (name: string): number => all.find(({ tool }) => tool.name === name)?.score ?? 0
    const only = async (options: object) =>
      shown(await runtime.search('purge deploy', { limit: 1, ...options }))
    expect(await only({ tags: ['docs'] })).toEqual([['deploy-docs', score('deploy-docs'), 'purge', 'deploy']])
    expect(await only({ pattern: '#docs x*' })).toEqual([
      ['deploy-docs', score('deploy-docs'), 'purge', 'deploy'],
    ])
    expect(await only({ kind: 'folder' })).toEqual([['deploy', score('deploy'), 'purge', 'deploy']])
    expect(await only({ runs: true })).toEqual([['run-purge', score('run-purge'), 'purge']])
    expect(await only({ runs: false, names: ['needs'] })).toEqual([['needs', score('needs'), 'purge']])
    expect(names(await runtime.search('discover'))).toEqual([])
    expect(names(await runtime.search('discover', { library: true }))).toEqual(['agent-discover'])
    const wrong = { kind: 'other' as 'file' }
    await expect(runtime.search('x', wrong)).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })

  it('tells by which fields, and of a text only whom it may be read by', async () => {
    const [hit] = await open().search('rollback deploying', { limit: 1, explain: true })
    expect(Object.keys(hit?.fields?.rollback ?? {})).toEqual(['headings'])
    expect(Object.keys(hit?.fields?.deploying ?? {})).toEqual(['name', 'description'])
    const asking = open().forAgent({ rules: 'deploy(policy=ask)' })
    const [declared] = await asking.search('deploy rollback', { limit: 1, explain: true })
    expect(declared).toMatchObject({ tool: { name: 'deploy' }, matched: ['deploy'] })
    expect(Object.keys(declared?.fields ?? {})).toEqual(['deploy'])
  })
})

describe('what an agent may not know', () => {
  const ADDED = {
    'skills/secret-deploy.skill.md': skill('secret-deploy', 'tags: [ops]', 'Purge deploy rollback.'),
    'skills/secret-cache.skill.md': skill('secret-cache', 'visibility: hidden', 'Cache cache.'),
  }
  const policies: AgentOptions[] = [{ deny: 'secret-*' }, { allow: 'deploy* run-* agent-discover' }]
  const queries = ['deploy', 'purge cache', 'secr', 'cac', 'secret deploy', '']

  it('changes no score, no hit and no count, whether it is there or not', async () => {
    const [with_, without] = [open(makeTree({ ...TREE, ...ADDED })), open(fromDisk)]
    for (const policy of policies)
      for (const query of queries) {
        const [one, other] = [with_.forAgent(policy), without.forAgent(policy)]
        expect([query, shown(await one.search(query))]).toEqual([query, shown(await other.search(query))])
        const args = { query, limit: 1 }
        expect(await one.invoke('agent-discover', args)).toEqual(await other.invoke('agent-discover', args))
      }
  })

  it('is the text of a skill that a person is asked about', async () => {
    const runtime = open()
    expect(names(await runtime.search('vault'))).toEqual([])
    expect(names(await runtime.search('gated'))).toEqual(['gated'])
    const found = async (policy: AgentOptions) => names(await runtime.forAgent(policy).search('rollback'))
    expect(await found({})).toEqual(['deploy'])
    expect(await found({ rules: 'deploy(policy=ask)' })).toEqual([])
    expect(await found({ rules: 'other(policy=ask)' })).toEqual(['deploy'])
    const guarded = createRuntime({ cwd: compiled, paths: PATHS, policy: { guard: () => 'ask' as const } })
    expect(names(await guarded.forAgent().search('rollback'))).toEqual([])
    expect(names(await guarded.forAgent().search('deploy'))).toEqual(['deploy', 'deploy-docs'])
    await guarded.close()
  })
})

describe('agent-apps search', () => {
  it('prints what an agent finds', async () => {
    const said = await agentApps(join(compiled), [
      'search',
      'purge',
      'cache',
      '--limit',
      '2',
      '--path',
      'skills',
    ])
    expect(said.status).toBe(0)
    expect(said.stdout.split('\n').map(line => line.trim().split(/\s+/)[1])).toEqual([
      'deploy',
      'run-purge',
      undefined,
    ])
    const json = await agentApps(compiled, ['search', 'docs', '--path', 'skills', '--json', '--explain'])
    expect(JSON.parse(json.stdout)).toMatchObject([
      { name: 'deploy-docs', matched: ['docs'], fields: { docs: { name: expect.any(Number) } } },
    ])
    const none = await agentApps(compiled, ['search', 'nowhere', '--path', 'skills'])
    expect(none).toMatchObject({ status: 0, stdout: '', stderr: 'no tool has one of these words\n' })
    const wrong = await agentApps(compiled, ['search', 'x', '--limit', 'all'])
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('--limit 5') })
  })
})
