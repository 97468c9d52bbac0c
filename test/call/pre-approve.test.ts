import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentRuntime, createRuntime, type Runtime, type RuntimeOptions, registerTool } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { runtimeWith } from '../support/registered-runtime.js'
import { makeTree, skill, writeTree } from '../support/tree.js'

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: { code?: string }) => error.code ?? error)

const SKILLS = {
  'deploy/SKILL.md': skill('deploy', 'Deploy.\n', 'allowed-tools: save(a=1) gated look*\n'),
  'all/SKILL.md': skill('all', 'All.\n', 'allowed-tools: "* save($deny)"\n'),
  'odd/SKILL.md': skill('odd', 'Odd.\n', 'allowed-tools: "save gated( "\n'),
}

function runtimeOver(policy: RuntimeOptions['policy'] = {}, more: RuntimeOptions = {}): Runtime {
  const runtime = createRuntime({
    ...{ paths: [makeTree(SKILLS)], library: false },
    policy: { permissions: ['read', 'write'], readAllowedTools: 'pre-approve', ...policy },
    ...more,
  })
  const tools = {
    save: { permissions: { required: ['write'] as const } },
    lookup: { permissions: { optional: ['write'] as const } },
    gated: { gated: true },
    calls: {
      fn: (ctx: { manager: { invoke: AgentRuntime['invoke'] } }) =>
        ctx.manager.invoke('gated', {}, { as: 'agent' } as object),
    },
  }
  for (const [name, tool] of Object.entries(tools))
    registerTool(runtime.globals, {
      fn: () => `${name} ran`,
      params: { type: 'object' },
      name,
      description: 'x',
      ...tool,
    } as never)
  return runtime
}

describe('under pre-approve, an open skill', () => {
  it('has the calls run that its allowed-tools matches, for its message', async () => {
    const agent = runtimeOver().forAgent()
    const m = { messageId: 'm' }
    expect(await code(agent.invoke('gated', {}, m))).toBe('APPROVAL_UNAVAILABLE')
    await agent.open('deploy', {}, m)
    expect(await code(agent.invoke('gated', {}, m))).toBe('gated ran')
    expect(await code(agent.invoke('save', { a: 1 }, m))).toBe('save ran')
    expect(await code(agent.invoke('save', { a: 2 }, m))).toBe('APPROVAL_UNAVAILABLE')
    expect(await code(agent.invoke('gated', {}, { messageId: 'n' }))).toBe('APPROVAL_UNAVAILABLE')
    expect(await code(agent.invoke('gated'))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('is forgotten with the next one that is opened for another message', async () => {
    const agent = runtimeOver().forAgent()
    await agent.invoke('deploy', {}, { messageId: 'm' })
    expect(await code(agent.invoke('gated', {}, { messageId: 'm' }))).toBe('gated ran')
    await agent.open('odd', {}, { messageId: 'n' })
    expect(await code(agent.invoke('gated', {}, { messageId: 'm' }))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('has them run until the turn ends', async () => {
    const runtime = runtimeOver()
    const agent = runtime.forAgent()
    await agent.open('deploy')
    expect(await code(agent.invoke('gated'))).toBe('APPROVAL_UNAVAILABLE')
    await runtime.turn(async () => {
      await agent.open('deploy')
      expect(await code(agent.invoke('gated'))).toBe('gated ran')
    })
    expect(await code(agent.invoke('gated'))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('approves nothing for another session, user or agent, nor for what tools call', async () => {
    const runtime = runtimeOver()
    const m = { messageId: 'm' }
    const ids = { sessionId: 's', userId: 'u', agentId: 'a' }
    await runtime.forAgent(ids).open('deploy', {}, m)
    expect(await code(runtime.forAgent(ids).invoke('gated', {}, m))).toBe('gated ran')
    for (const other of [{ sessionId: 't' }, { userId: 'v' }, { agentId: 'b' }])
      expect(await code(runtime.forAgent({ ...ids, ...other }).invoke('gated', {}, m))).toBe(
        'APPROVAL_UNAVAILABLE',
      )
    expect(await code(runtime.forAgent(ids).invoke('calls', {}, m))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('names what does more than read, and approves nothing that it denies or that is denied', async () => {
    const m = { messageId: 'm' }
    const agent = runtimeOver().forAgent()
    await agent.open('deploy', {}, m)
    expect(await code(agent.invoke('lookup', {}, m))).toBe('APPROVAL_UNAVAILABLE')
    await agent.open('all', {}, { messageId: 'n' })
    expect(await code(agent.invoke('gated', {}, { messageId: 'n' }))).toBe('gated ran')
    expect(await code(agent.invoke('save', { a: 1 }, { messageId: 'n' }))).toBe('APPROVAL_UNAVAILABLE')
    const strict = runtimeOver({ rules: 'gated', deny: 'save' }).forAgent()
    await strict.open('deploy', {}, m)
    expect(await code(strict.invoke('gated', {}, m))).toBe('APPROVAL_UNAVAILABLE')
    expect(await code(strict.invoke('save', { a: 1 }, m))).toBe('TOOL_DENIED')
  })

  it('approves nothing where one of its patterns cannot be read, or it may not be opened', async () => {
    const m = { messageId: 'm' }
    const agent = runtimeOver().forAgent()
    await agent.open('odd', {}, m)
    expect(await code(agent.invoke('save', {}, m))).toBe('APPROVAL_UNAVAILABLE')
    const denied = runtimeOver({ deny: 'deploy' }).forAgent()
    expect(await code(denied.open('deploy', {}, m))).toBe('TOOL_DENIED')
    expect(await code(denied.invoke('gated', {}, m))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('of a project that the program did not name approves nothing', async () => {
    const runtime = runtimeOver()
    runtime.globals.config.isProjects = true
    const agent = runtime.forAgent()
    await agent.open('deploy', {}, { messageId: 'm' })
    expect(await code(agent.invoke('gated', {}, { messageId: 'm' }))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('of folders that a person must trust approves nothing that was written since', async () => {
    const paths = [{ dir: makeTree(SKILLS), trust: 'ask' as const }]
    const run = makeTree({ 'run/SKILL.md': skill('run', 'x', 'metadata: { delegate: ./run.ts }\n') })
    writeFileSync(join(run, 'run/run.ts'), 'export default () => 1\n')
    const all = [...paths, { dir: run, trust: 'ask' as const }]
    const interact = (): 'allow-session' => 'allow-session'
    const runtime = runtimeOver({ trust: { project: 'ask' } }, { paths: all, freshness: 'check', interact })
    const agent = runtime.forAgent()
    const decided = async (name: string, messageId: string): Promise<unknown> => {
      await agent.open(name, {}, { messageId })
      return (await agent.authorize('gated', {}, { messageId })).decision
    }
    await agent.invoke('run')
    expect(await decided('deploy', 'm')).toBe('allow')
    writeTree(paths[0]?.dir ?? '', { 'mine/SKILL.md': skill('mine', 'x', 'allowed-tools: gated\n') })
    expect(await decided('mine', 'n')).toBe('ask')
  })

  it('restricts nothing, and says in authorize what it approves', async () => {
    const runtime = runtimeOver()
    const agent = runtime.forAgent()
    expect(await code(agent.within('odd').invoke('calls'))).toBe('APPROVAL_UNAVAILABLE')
    expect(await agent.within('deploy').findTool('calls')).not.toBeNull()
    await runtime.turn(async () => {
      await agent.open('deploy')
      expect(await agent.authorize('gated')).toMatchObject({
        ...{ decision: 'allow', step: 6, by: '"deploy"', written: { skill: 'deploy', key: 'allowed-tools' } },
        reason: '"deploy" is open, and its `allowed-tools` has it',
      })
    })
    expect(
      await runtimeOver({ readAllowedTools: 'restrict' }).forAgent().within('deploy').findTool('calls'),
    ).toBeNull()
  })
})

it('a tool of a server needs approval whatever it says of itself, unless a rule names it', async () => {
  const remote = { layer: 'remote', entry: '', file: '', via: 'remote', shadows: [] }
  const make = (rules: string): AgentRuntime => {
    const runtime = runtimeWith({ far: { gated: false } }, { policy: { rules } })
    const { programmaticTools } = runtime.globals.tools
    programmaticTools.set('far', { ...programmaticTools.get('far'), origin: remote } as never)
    return runtime.forAgent()
  }
  expect(await code(make('').invoke('far'))).toBe('APPROVAL_UNAVAILABLE')
  expect(await make('').authorize('far')).toMatchObject({ step: 6, reason: "it is a server's" })
  expect(await code(make('*($policy=allow)').invoke('far'))).toBe('APPROVAL_UNAVAILABLE')
  expect(await code(make('far($policy=allow)').invoke('far'))).toBe('far ran')
})
