import { join } from 'node:path'
import { type AgentRuntime, type Context, createRuntime, defineTool, type RuntimeOptions } from 'agent-apps'
import { createRuntime as createSlimRuntime } from 'agent-apps/runtime'
import { describe, expect, it } from 'vitest'
import { runtimeWith } from '../support/registered-runtime.js'
import { makeTree, skill } from '../support/tree.js'

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: { code?: string }) => error.code ?? error)

const names = async (agent: AgentRuntime): Promise<string[]> =>
  (await agent.listTools()).map(({ name }) => name)

const SKILLS = {
  'guide/SKILL.md': skill(
    'guide',
    'Read `rules.md` for ${args.topic}.\n',
    'metadata: { interpolate: true, params: { type: object } }\n',
  ),
  'guide/rules.md': 'The rules.',
  'secret/SKILL.md': skill('secret', 'Nobody may know.\n'),
  'secret/keys.md': 'The keys.',
  'note.skill.md': skill('note', 'A note.\n'),
  'count/SKILL.md': skill(
    'count',
    'It counts.\n',
    'metadata: { delegate: "inline://code,export default () => 3", gated: true }\n',
  ),
  'code.skill.js': `import { defineTool } from 'agent-apps'
export default defineTool({ name: 'coded', description: 'Runs.', execute: () => 'ran' })`,
}

function agentOver(options: RuntimeOptions = {}): AgentRuntime {
  const paths = [makeTree(SKILLS)]
  return createRuntime({ paths, library: false, ...options }).forAgent({ deny: 'secret' })
}

describe('an agent opens', () => {
  it('a skill, with its rendered content and its files', async () => {
    const agent = agentOver()
    expect(await agent.open('guide', { topic: 'tests' })).toEqual({
      content: 'Read `rules.md` for tests.\n',
      directory: expect.stringMatching(/guide$/),
      resources: [{ path: 'rules.md', size: 10 }],
    })
    expect(await agent.open('note')).toEqual({ content: 'A note.\n', resources: [] })
  })

  it('a skill that runs something, without running it or asking anybody', async () => {
    const agent = agentOver()
    expect(await agent.open('count')).toMatchObject({ content: 'It counts.\n' })
    expect(await code(agent.invoke('count'))).toBe('APPROVAL_UNAVAILABLE')
    expect(await code(agentOver({ policy: { deny: 'count' } }).open('count'))).toBe('TOOL_NOT_FOUND')
  })

  it('a text only after approval where that is needed', async () => {
    const asked: string[] = []
    const interact: RuntimeOptions['interact'] = request => {
      if (request.kind === 'approval') asked.push(request.tool)
      return 'deny'
    }
    const agent = agentOver({ policy: { rules: 'guide($policy=ask)' }, interact })
    expect(await code(agent.open('guide', { topic: 'x' }))).toBe('APPROVAL_DENIED')
    expect(asked).toEqual(['guide'])
  })

  it('no code, and nothing that it may not use', async () => {
    const agent = agentOver()
    expect(await code(agent.open('coded'))).toBe('CONTENT_MISSING')
    expect(await code(agent.open('secret'))).toBe('TOOL_DENIED')
    expect(await code(agent.open('absent'))).toBe('TOOL_NOT_FOUND')
  })
})

describe('an agent sees', () => {
  it('no file and no detail of a skill that it may not use', async () => {
    const agent = agentOver()
    expect(new TextDecoder().decode(await agent.readResource('guide', 'rules.md'))).toBe('The rules.')
    expect((await agent.describe('guide')).resources.map(({ path }) => path)).toEqual(['rules.md'])
    for (const one of [agent.readResource('secret', 'keys.md'), agent.describe('secret')])
      expect(await code(one)).toBe('TOOL_NOT_FOUND')
    expect(await code(agent.readResource('guide', '../secret/keys.md'))).toBe('RESOURCE_NOT_FOUND')
    expect(await code(agent.readResource('./secret/SKILL.md', 'keys.md'))).toBe('TOOL_DENIED')
  })

  it('whether a tool runs something, and the bytes of its file', async () => {
    const agent = agentOver()
    const runs = (await agent.listTools()).map(({ name, runs }) => [name, runs])
    expect(Object.fromEntries(runs)).toEqual({ coded: true, count: true, guide: false, note: false })
    for (const [name, file] of [
      ['guide', 'guide/SKILL.md'],
      ['note', 'note.skill.md'],
      ['coded', 'code.skill.js'],
    ] as const)
      expect(String(Buffer.from((await (await agent.findTool(name))?.source?.()) ?? []))).toBe(SKILLS[file])
    expect(String(Buffer.from(await agent.readResource('guide', 'SKILL.md')))).toBe(SKILLS['guide/SKILL.md'])
    expect(await code(agent.readResource('secret', 'SKILL.md'))).toBe('TOOL_NOT_FOUND')
    expect(runtimeWith({ one: {} }).globals.tools.programmaticTools.get('one')).toMatchObject({ runs: true })
  })

  it('a catalog of the tools that it may call', async () => {
    const catalog = await agentOver().catalog({ format: 'markdown' })
    expect(catalog.described.sort()).toEqual(['coded', 'count', 'guide', 'note'])
    expect(catalog.text).not.toContain('secret')
    await expect(agentOver().catalog({ formt: 'xml' } as object)).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
  })
})

describe('spawn', () => {
  const TOOLS = {
    look: { permissions: { required: ['read'] as const } },
    save: { permissions: { required: ['write'] as const }, gated: false },
    plain: {},
    gated: { gated: true },
  }
  const policy = { permissions: ['read', 'write'] as const }

  it('gives an agent that each policy above limits', async () => {
    const agent = runtimeWith(TOOLS, { policy }).forAgent({ deny: 'plain' })
    const reader = agent.spawn({ permissions: ['read'] })
    expect(await names(reader)).toEqual(['look', 'gated'])
    expect(await code(reader.invoke('save'))).toBe('PERMISSION_MISSING')
    const narrow = reader.spawn({ allow: 'look save plain' })
    expect(await names(narrow)).toEqual(['look'])
    expect(await code(narrow.invoke('gated'))).toBe('TOOL_DENIED')
    expect(await narrow.findTool('gated')).toBeNull()
    expect(await names(agent)).toEqual(['look', 'save', 'gated'])
    const { decision, by, step } = await narrow.authorize('gated')
    expect([decision, by, step]).toEqual(['deny', 'the policy that it was spawned with', 3])
  })

  it('gives no more than there is above: permissions, tools, rules that allow', async () => {
    const none = runtimeWith(TOOLS).forAgent()
    expect(await code(none.spawn({ permissions: ['write'] }).invoke('save'))).toBe('PERMISSION_MISSING')
    const agent = runtimeWith(TOOLS, { policy }).forAgent({ allow: 'look' })
    expect(await code(agent.spawn({ allow: 'save' }).invoke('save'))).toBe('TOOL_DENIED')
    expect(await code(agent.spawn({ allow: [] }).invoke('save'))).toBe('TOOL_DENIED')
    const lax = runtimeWith(TOOLS, { policy }).forAgent()
    expect(await code(lax.spawn({ rules: 'gated($policy=allow)' }).invoke('gated'))).toBe('OPTIONS_INVALID')
    expect(await code(lax.spawn({ rules: 'save' }).invoke('save'))).toBe('APPROVAL_UNAVAILABLE')
    for (const more of [
      { allowedTools: '*' },
      { approval: {} },
      { guard: () => undefined },
      { agentId: 'x' },
    ])
      expect(() => lax.spawn(more as object)).toThrow(expect.objectContaining({ code: 'OPTIONS_INVALID' }))
  })

  it('checks what it is given at once, and in a bundle at the first call', async () => {
    const runtime = runtimeWith(TOOLS, { policy, agents: [{ id: 'reader' }] })
    for (const agent of [runtime.forAgent(), runtime.forAgent().spawn({}).within('plain')]) {
      expect(() => agent.spawn({ dney: 'look' } as object)).toThrow(
        expect.objectContaining({ code: 'OPTIONS_INVALID', hint: expect.stringContaining('deny') }),
      )
      for (const given of ['redaer', { agent: 'redaer' }])
        expect(() => agent.spawn(given)).toThrow(expect.objectContaining({ code: 'AGENT_UNKNOWN' }))
    }
    const small = createSlimRuntime({ paths: [], agents: [{ id: 'reader' }] }).forAgent()
    expect(await code(small.spawn({ dney: 'look' } as object).listTools())).toBe('OPTIONS_INVALID')
    expect(await code(small.spawn('redaer').listTools())).toBe('AGENT_UNKNOWN')
    expect(await small.spawn('reader').findTool('look')).toBeNull()
  })

  it('takes the limits of a named agent, within those above', async () => {
    const agents = [
      { id: 'reader', tools: { allow: 'look save gated' }, permissions: ['read'] as const },
      { id: 'careful', tools: { deny: 'plain' }, rules: ['look', 'gated($policy=allow)'] },
    ]
    const runtime = runtimeWith(
      { ...TOOLS, starts: { fn: (ctx: Context) => names(ctx.manager.spawn('reader') as AgentRuntime) } },
      { policy, agents },
    )
    const agent = runtime.forAgent({ deny: 'gated' })
    for (const given of ['reader', { agent: 'reader' }]) {
      const reader = agent.spawn(given)
      expect(await names(reader)).toEqual(['look'])
      expect(await code(reader.invoke('plain'))).toBe('TOOL_DENIED')
      expect(await code(reader.invoke('gated'))).toBe('TOOL_DENIED')
      expect(await code(reader.invoke('save'))).toBe('PERMISSION_MISSING')
      expect(await names(reader.spawn({ agent: 'careful', deny: 'look' }))).toEqual([])
    }
    expect(await agent.invoke('starts')).toEqual(['look'])
    // Its rules that allow are for an agent that a host makes, and so is what nobody above grants.
    const careful = runtime.forAgent().spawn('careful')
    expect(await code(careful.invoke('look'))).toBe('APPROVAL_UNAVAILABLE')
    expect(await code(careful.invoke('gated'))).toBe('APPROVAL_UNAVAILABLE')
    expect(await runtime.forAgent('careful').invoke('gated')).toBe('gated ran')
    const none = runtimeWith(TOOLS, { agents }).forAgent()
    expect(await names(none.spawn('reader'))).toEqual(['gated'])
  })

  it('lists for each named agent what it may call, whichever was asked first', async () => {
    const agents = [
      { id: 'one', tools: { allow: 'look' } },
      { id: 'two', tools: { allow: 'save' } },
    ]
    const runtime = runtimeWith(TOOLS, { policy, agents, freshness: 'trust' })
    for (const [id, name] of [
      ['one', 'look'],
      ['two', 'save'],
    ] as const)
      for (const agent of [runtime.forAgent(id), runtime.forAgent().spawn(id)])
        expect(await names(agent)).toEqual([name])
  })

  it('calls by the id of the named agent, so that what was approved for another is not for it', async () => {
    const asked: unknown[] = []
    const runtime = runtimeWith(TOOLS, {
      agents: [{ id: 'reader' }],
      interact: request => {
        if (request.kind === 'approval') asked.push([request.agentId, request.sessionId])
        return 'allow-session'
      },
    })
    const agent = runtime.forAgent({ agentId: 'main', sessionId: 's' })
    for (const one of [agent, agent.spawn('reader'), agent.spawn('reader').spawn({ deny: 'look' })])
      expect(await one.invoke('gated')).toBe('gated ran')
    expect(asked).toEqual([
      ['main', 's'],
      ['reader', 's'],
    ])
    expect(await agent.spawn('reader').approvals.list()).toMatchObject([{ agentId: 'reader' }])
  })

  it('shares the session: what was approved for it stays approved', async () => {
    let asked = 0
    const interact = (): 'allow-session' => {
      asked++
      return 'allow-session'
    }
    const agent = runtimeWith(TOOLS, { interact }).forAgent()
    const spawned = agent.spawn({})
    expect(await spawned.invoke('gated')).toBe('gated ran')
    expect(await agent.invoke('gated')).toBe('gated ran')
    expect(await spawned.spawn({}).invoke('gated')).toBe('gated ran')
    expect(asked).toBe(1)
  })

  it('copies the policy: what is changed later does not reach it', async () => {
    const deny = ['plain']
    const agent = runtimeWith(TOOLS).forAgent().spawn({ deny })
    deny.length = 0
    expect(await code(agent.invoke('plain'))).toBe('TOOL_DENIED')
  })

  it('in a tool gives an agent below its call, in its session', async () => {
    const seen: unknown[] = []
    const note = (ctx: Context): void => void seen.push([ctx.envelope.sessionId, ctx.envelope.depth])
    const starts = defineTool({
      name: 'starts',
      description: 'Starts an agent.',
      allowedTools: 'look noted',
      execute: async (_, ctx) => {
        const agent = ctx.spawn({ deny: 'look(a=1)' })
        const listed = (await agent.listTools()).map(({ name }) => name)
        const calls = ['noted', 'save', 'plain'].map(name => code(agent.invoke(name)))
        return [listed, ...(await Promise.all(calls)), await code(agent.invoke('look', { a: 1 }))]
      },
    })
    const runtime = runtimeWith({ ...TOOLS, noted: { fn: note } }, { policy })
    runtime.register(starts)
    expect(await runtime.forAgent({ sessionId: 's' }).invoke('starts')).toEqual([
      ['look', 'noted'],
      ...[undefined, 'TOOL_DENIED', 'TOOL_DENIED', 'TOOL_DENIED'],
    ])
    expect(seen).toEqual([['s', 1]])
    const agent = runtime.forAgent({ deny: 'noted' })
    expect(await agent.invoke('starts')).toEqual([['look'], ...Array(4).fill('TOOL_DENIED')])
  })

  it('in a tool that no agent called is limited by the runtime alone', async () => {
    const fn = (ctx: Context): Promise<unknown> => code(ctx.manager.spawn({}).invoke('save'))
    const runtime = (options: RuntimeOptions) => runtimeWith({ ...TOOLS, starts: { fn } }, options)
    expect(await runtime({ policy }).invoke('starts')).toBe('save ran')
    expect(await runtime({}).invoke('starts')).toBe('PERMISSION_MISSING')
  })

  it('in a tool asks for no more than the tool may give: ctx.spawn and a policy of its own', async () => {
    const spawns = (more: object) => (ctx: Context) =>
      code((async () => ctx.manager.spawn(more).invoke('gated'))())
    const calls = (more: object) => (ctx: Context) =>
      code(ctx.manager.invoke('gated', {}, { as: 'agent', policy: more }))
    for (const more of [
      { allowedTools: '*' },
      { rules: 'gated($policy=allow)' },
      { approval: { mode: 'yolo' } },
    ])
      for (const fn of [spawns(more), calls(more)])
        expect(
          await runtimeWith({ ...TOOLS, fn: { fn } })
            .forAgent()
            .invoke('fn'),
        ).toBe('OPTIONS_INVALID')
  })
})

describe('within a skill', () => {
  const tools = {
    look: {},
    save: {},
    careful: { allowedTools: 'look save(a=1)', trust: { rules: 'look(a=2)' } },
    wide: { allowedTools: '*' },
  }

  it('an agent may call what its allowed-tools say, by its rules', async () => {
    const agent = runtimeWith(tools).forAgent().within('careful')
    expect(await names(agent)).toEqual(['look', 'save'])
    expect(await agent.invoke('look', { a: 1 })).toBe('look ran')
    expect(await code(agent.invoke('look', { a: 2 }))).toBe('APPROVAL_UNAVAILABLE')
    expect(await code(agent.invoke('save', { a: 2 }))).toBe('TOOL_DENIED')
    expect(await code(agent.within('wide').invoke('save', { a: 2 }))).toBe('TOOL_DENIED')
    expect(await code(agent.spawn({ deny: 'look' }).invoke('look'))).toBe('TOOL_DENIED')
    expect(await agent.findTool('wide')).toBeNull()
    expect(await agent.authorize('save', { a: 2 })).toMatchObject({ by: '"careful"', step: 2 })
  })

  it('that does not exist nothing is called', async () => {
    expect(await code(runtimeWith(tools).forAgent().within('absent').invoke('look'))).toBe('TOOL_NOT_FOUND')
  })

  it('of a namespace names are looked up there first', async () => {
    const dir = makeTree({
      'deploy/SKILL.md': skill('deploy'),
      'build/SKILL.md': skill('build', 'Build it so.\n'),
    })
    const other = makeTree({ 'build/SKILL.md': skill('build', 'Build it otherwise.\n') })
    const paths = [other, { dir, namespace: 'acme' }]
    const agent = createRuntime({ paths, library: false }).forAgent()
    const within = agent.within('acme:deploy')
    expect(await agent.open('build')).toMatchObject({ content: 'Build it otherwise.\n' })
    expect(await within.open('build')).toMatchObject({ content: 'Build it so.\n' })
    expect(await within.findTool('build')).toMatchObject({ name: 'acme:build' })
    expect(await within.describe('build')).toMatchObject({ tool: { name: 'acme:build' } })
    expect(await within.invoke('build')).toMatchObject({ directory: join(dir, 'build') })
  })
})

describe('ctx.granted', () => {
  const granted = (ctx: Context): unknown => ctx.run.granted
  const permissions = { required: ['read'], optional: ['write', 'network'] } as const
  const tools = {
    tool: { permissions, gated: false, fn: granted },
    plain: { fn: granted },
    outer: {
      permissions: { required: ['read', 'write'] as const },
      gated: false,
      fn: (ctx: Context) => ctx.manager.invoke('tool'),
    },
    around: {
      role: 'middleware' as const,
      permissions,
      fn: async (ctx: Context) => [granted(ctx), await ctx.manager.next()],
    },
    wrapped: { metadata: { around: {} }, permissions, gated: false, fn: granted },
  }

  it('has the optional permissions that hosts grant', async () => {
    const runtime = runtimeWith(tools, { policy: { permissions: ['read', 'write'] } })
    const agent = runtime.forAgent()
    expect(await agent.invoke('tool')).toEqual(['write'])
    expect(await runtime.forAgent({ permissions: ['read'] }).invoke('tool')).toEqual([])
    expect(await agent.spawn({ permissions: ['read', 'network'] }).invoke('tool')).toEqual([])
    expect(await agent.invoke('plain')).toEqual([])
    expect(await runtime.invoke('tool')).toEqual(['write', 'network'])
  })

  it('of a tool below an agent has what the tool was granted that the agent called', async () => {
    const runtime = runtimeWith(tools, { policy: { permissions: ['read', 'write', 'network'] } })
    expect(await runtime.forAgent().invoke('outer')).toEqual(['write'])
    expect(await runtime.invoke('outer')).toEqual(['write', 'network'])
  })

  it('of a middleware has what is granted where it stands', async () => {
    const runtime = runtimeWith(tools, { policy: { permissions: ['read', 'network'] } })
    expect(await runtime.forAgent().invoke('wrapped')).toEqual([['network'], ['network']])
  })

  it('is read from the context of execute', async () => {
    const runtime = createRuntime({ paths: [], library: false, policy: { permissions: ['write'] } })
    runtime.register({
      ...{ name: 'saves', description: 'Saves.', gated: false, permissions: { optional: ['write', 'read'] } },
      execute: (_, ctx) => ctx.granted,
    })
    expect(await runtime.forAgent().invoke('saves')).toEqual(['write'])
  })
})
