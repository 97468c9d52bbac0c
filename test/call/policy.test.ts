import {
  type ApprovalRequest,
  type Context,
  createRuntime,
  type RuntimeOptions,
  registerTool,
} from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { runtimeWith, type Tools } from '../support/registered-runtime.js'

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: { code?: string }) => error.code ?? error)

const TOOLS: Tools = {
  look: { permissions: { required: ['read'] } },
  save: { permissions: { required: ['write'] } },
  plain: {},
  gated: { gated: true },
}

describe('a runtime without a policy', () => {
  it('grants no permission, says so once, and runs what requires none', async () => {
    const runtime = runtimeWith(TOOLS)
    const agent = runtime.forAgent()
    for (let times = 0; times < 2; times++)
      expect((await agent.listTools()).map(({ name }) => name)).toEqual(['plain', 'gated'])
    expect(runtime.diagnostics().map(({ rule, reason }) => `${rule}: ${reason}`)).toEqual([
      'permission-missing: Agents do not get "look", which requires read: the host grants no permissions',
      'permission-missing: Agents do not get "save", which requires write: the host grants no permissions',
    ])
    expect(await code(agent.invoke('look'))).toBe('PERMISSION_MISSING')
    expect(await code(agent.invoke('plain'))).toBe('plain ran')
    expect(await code(agent.invoke('gated'))).toBe('APPROVAL_UNAVAILABLE')
    expect(await agent.findTool('look')).toBeNull()
  })

  it('limits no call of code', async () => {
    const runtime = runtimeWith(TOOLS)
    for (const name of Object.keys(TOOLS)) expect(await runtime.invoke(name)).toBe(`${name} ran`)
  })
})

describe('policies of a runtime and an agent', () => {
  it('are evaluated one by one: what either leaves out limits nothing', async () => {
    const runtime = runtimeWith(TOOLS, {
      policy: { permissions: ['read'], deny: 'plain', approval: { mode: 'yolo' } },
    })
    expect(await code(runtime.forAgent().invoke('look'))).toBe('look ran')
    expect(await code(runtime.forAgent({ permissions: ['read', 'write'] }).invoke('save'))).toBe(
      'PERMISSION_MISSING',
    )
    expect(await code(runtime.forAgent({ permissions: [] }).invoke('look'))).toBe('PERMISSION_MISSING')
    expect(await code(runtime.forAgent({ allow: 'plain' }).invoke('plain'))).toBe('TOOL_DENIED')
    expect(await code(runtime.forAgent({ allow: ['look'] }).invoke('gated'))).toBe('TOOL_DENIED')
    expect(await code(runtime.forAgent({ allow: [] }).invoke('gated'))).toBe('gated ran')
    const own = runtimeWith(TOOLS).forAgent({ permissions: ['read'] })
    expect(await code(own.invoke('look'))).toBe('look ran')
  })

  it('have rules, of which the strictest answer of the hosts counts', async () => {
    const runtime = runtimeWith(TOOLS, {
      policy: { permissions: ['write'], rules: 'gated($policy=allow) plain(a=1,$deny) save($policy=allow)' },
    })
    const agent = runtime.forAgent()
    expect(await code(agent.invoke('gated'))).toBe('gated ran')
    expect(await code(agent.invoke('save'))).toBe('save ran')
    expect(await code(agent.invoke('plain', { a: 1 }))).toBe('TOOL_DENIED')
    expect(await code(agent.invoke('plain', { a: 2 }))).toBe('plain ran')
    const strict = runtime.forAgent({ rules: 'gated plain(a=2)' })
    expect(await code(strict.invoke('gated'))).toBe('APPROVAL_UNAVAILABLE')
    expect(await code(strict.invoke('plain', { a: 2 }))).toBe('APPROVAL_UNAVAILABLE')
    expect(await code(strict.invoke('plain', { a: 1 }))).toBe('TOOL_DENIED')
  })

  it('allow what does more than read only by its name', async () => {
    for (const [rules, expected] of [
      ['*($policy=allow)', 'APPROVAL_UNAVAILABLE'],
      ['sav{e,}($policy=allow)', 'APPROVAL_UNAVAILABLE'],
      ['#safe($policy=allow)', 'APPROVAL_UNAVAILABLE'],
      ['save($policy=allow)', 'save ran'],
      ['"save"($policy=allow)', 'save ran'],
    ]) {
      const tools = { save: { ...TOOLS.save, tags: ['safe'] } }
      const runtime = runtimeWith(tools, { policy: { permissions: ['write'], rules: rules ?? '' } })
      expect([rules, await code(runtime.forAgent().invoke('save'))]).toEqual([rules, expected])
    }
  })

  it('skip approval under yolo, except where a rule asks', async () => {
    const yolo = { approval: { mode: 'yolo' as const }, permissions: ['write' as const] }
    const agent = runtimeWith(TOOLS, { policy: yolo }).forAgent()
    expect(await code(agent.invoke('gated'))).toBe('gated ran')
    expect(await code(agent.invoke('save'))).toBe('save ran')
    const asked = runtimeWith(TOOLS, { policy: { ...yolo, rules: 'gated' } }).forAgent()
    expect(await code(asked.invoke('gated'))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('run what an allowlist matches, and ask for all else', async () => {
    const approval = { mode: 'allowlist' as const, allow: ['gated(a=1)'] }
    const agent = runtimeWith(TOOLS, { policy: { approval } }).forAgent()
    expect(await code(agent.invoke('gated', { a: 1 }))).toBe('gated ran')
    expect(await code(agent.invoke('gated', { a: 2 }))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('have a guard that makes an answer stricter and never allows', async () => {
    const guards: [unknown, string, string][] = [
      [() => undefined, 'plain ran', 'APPROVAL_UNAVAILABLE'],
      [() => 'ask', 'APPROVAL_UNAVAILABLE', 'APPROVAL_UNAVAILABLE'],
      [() => 'deny', 'TOOL_DENIED', 'TOOL_DENIED'],
      [() => 'allow', 'TOOL_DENIED', 'TOOL_DENIED'],
      [async () => undefined, 'TOOL_DENIED', 'TOOL_DENIED'],
      [() => Promise.reject(new Error('late')).catch(() => 'ask'), 'TOOL_DENIED', 'TOOL_DENIED'],
      [
        () => {
          throw new Error('out of order')
        },
        'TOOL_DENIED',
        'TOOL_DENIED',
      ],
    ]
    for (const [guard, plain, gated] of guards) {
      const agent = runtimeWith(TOOLS, { policy: { guard: guard as () => 'ask' } }).forAgent()
      expect(await code(agent.invoke('plain'))).toBe(plain)
      expect(await code(agent.invoke('gated'))).toBe(gated)
    }
  })

  it('are copied: what is changed later does not reach them', async () => {
    const deny = ['plain']
    const permissions: 'read'[] = []
    const policy = { deny, permissions, approval: { mode: 'ask' as 'ask' | 'yolo' } }
    const runtime = runtimeWith(TOOLS, { policy })
    const agent = runtime.forAgent({ deny, permissions })
    deny.length = 0
    permissions.push('read')
    policy.approval.mode = 'yolo'
    expect(await code(agent.invoke('plain'))).toBe('TOOL_DENIED')
    expect(await code(agent.invoke('look'))).toBe('PERMISSION_MISSING')
    expect(await code(agent.invoke('gated'))).toBe('APPROVAL_UNAVAILABLE')
  })

  it.each([
    [{ policy: { alow: 'x' } }, 'The option `alow` of `policy` is not known.'],
    [
      { policy: { trust: { project: 'never' } } },
      'The option `project` of `trust` must be "ask" or "allow" or "deny".',
    ],
    [{ policy: { approval: { mod: 'yolo' } } }, 'The option `mod` of `approval` is not known.'],
    [
      { policy: { approval: { mode: 'never' } } },
      'The option `mode` of `approval` must be "ask" or "allowlist" or "yolo".',
    ],
    [{ policy: { allowedTools: 'x' } }, 'The option `allowedTools` of `policy` is not known.'],
    [{ interact: 'yes' }, 'The option `interact` of `createRuntime` must be a function.'],
    [{ agents: {} }, 'The option `agents` of `createRuntime` must be an array of objects.'],
    [{ agents: [{ id: 'a', tool: {} }] }, 'The option `tool` of `agents` is not known.'],
    [{ agents: [{ id: 'a', tools: { alow: 'x' } }] }, 'The option `alow` of `tools` is not known.'],
  ])('refuse %j', (options, message) => {
    expect(() => createRuntime({ paths: [], ...options } as RuntimeOptions)).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID', message }),
    )
  })

  it('refuse an option of an agent that is not known, and a pattern or permission when it is read', async () => {
    const runtime = runtimeWith(TOOLS)
    expect(() => runtime.forAgent({ denny: 'plain' } as object)).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID', hint: 'Did you mean `deny`?' }),
    )
    for (const agent of [{ deny: 'plain(' }, { rules: ['plain($dney)'] }, { permissions: ['wirte'] }])
      expect(await code(runtime.forAgent(agent as object).invoke('plain'))).toBe('OPTIONS_INVALID')
  })
})

describe('a skill', () => {
  const calling =
    (name: string, options: object): ((ctx: Context) => Promise<unknown>) =>
    ctx =>
      code(ctx.manager.invoke(name, {}, options))

  it('whose allowed-tools hold a pattern that cannot be read allows nothing', async () => {
    const runtime = runtimeWith({
      plain: {},
      bash: {},
      skill: { allowedTools: '* bash(rm*,$dney)', fn: calling('plain', { as: 'agent' }) },
    })
    expect(await runtime.invoke('skill')).toBe('TOOL_DENIED')
  })

  it('narrows with trust.rules what its agent calls, and allows nothing by them', async () => {
    const rules = 'gated($policy=allow) plain($deny)'
    const runtime = runtimeWith({
      ...TOOLS,
      one: { trust: { rules }, fn: calling('plain', { as: 'agent' }) },
      other: { trust: { rules }, fn: calling('gated', { as: 'agent' }) },
    })
    expect(await runtime.invoke('one')).toBe('TOOL_DENIED')
    expect(await runtime.invoke('other')).toBe('APPROVAL_UNAVAILABLE')
  })

  it('cannot give the calls that it makes more than its host gave', async () => {
    const grant = { as: 'agent', policy: { permissions: ['write'], rules: 'save' } }
    const tools = { ...TOOLS, spawns: { fn: calling('save', grant) } }
    expect(await runtimeWith(tools).forAgent().invoke('spawns')).toBe('PERMISSION_MISSING')
    const reading = runtimeWith(tools, { policy: { permissions: ['read'] } })
    expect(await reading.forAgent().invoke('spawns')).toBe('PERMISSION_MISSING')
    const allowing = { as: 'agent', policy: { rules: 'gated($policy=allow)' } }
    const lax = runtimeWith({ ...TOOLS, spawns: { fn: calling('gated', allowing) } })
    expect(await lax.forAgent().invoke('spawns')).toBe('OPTIONS_INVALID')
  })

  it('called by an agent may have its code call what requires no more than it was granted', async () => {
    const runtime = runtimeWith(
      {
        ...TOOLS,
        reads: { permissions: { required: ['read'] }, fn: calling('save', {}) },
        deep: { fn: ctx => ctx.manager.invoke('deeper') },
        deeper: { permissions: { required: ['write'] }, fn: calling('save', {}) },
        writes: { gated: false, permissions: { required: ['write'] }, fn: calling('save', {}) },
        perhaps: { gated: false, permissions: { optional: ['write'] }, fn: calling('save', {}) },
      },
      { policy: { permissions: ['read', 'write'] } },
    )
    const agent = runtime.forAgent()
    expect(await code(agent.invoke('reads'))).toBe('PERMISSION_MISSING')
    expect(await code(agent.invoke('deep'))).toBe('PERMISSION_MISSING')
    expect(await code(agent.invoke('writes'))).toBe('save ran')
    expect(await code(agent.invoke('perhaps'))).toBe('save ran')
    expect(await code(runtime.forAgent({ permissions: ['read'] }).invoke('perhaps'))).toBe(
      'PERMISSION_MISSING',
    )
    expect(await runtime.invoke('reads')).toBe('save ran')
  })

  it('whose guard cannot be read does not run', async () => {
    for (const guard of [
      { gated: 'yes' },
      { permissions: ['read'] },
      { permissions: { required: ['wirte'] } },
      { permissions: { needed: ['read'] } },
      { trust: { rules: 'x(' } },
      { trust: 'x' },
    ]) {
      const runtime = runtimeWith({ tool: guard as object }, { policy: { permissions: ['read'] } })
      expect(await code(runtime.invoke('tool'))).toBe('CASCADE_INVALID')
      expect(await code(runtime.forAgent().invoke('tool'))).toBe('CASCADE_INVALID')
    }
  })
})

describe('approval', () => {
  function asking(answers: unknown[], more: RuntimeOptions = {}) {
    const requests: ApprovalRequest[] = []
    const runtime = runtimeWith(TOOLS, {
      interact: request => {
        if (request.kind !== 'approval') throw new TypeError(`Nobody asked for ${request.kind}.`)
        requests.push(request)
        const answer = answers.shift()
        if (answer instanceof Error) throw answer
        return answer as 'deny'
      },
      ...more,
    })
    return { runtime, requests }
  }

  it('is asked with all that is needed to answer', async () => {
    const { runtime, requests } = asking(['allow-once'])
    const agent = runtime.forAgent({ agentId: 'a', sessionId: 's', userId: 'u' })
    expect(await agent.invoke('gated', { b: 1, a: [2] })).toBe('gated ran')
    expect(requests[0]).toMatchObject({
      ...{ kind: 'approval', tool: 'gated', layer: 'programmatic', ignored: [], preview: null },
      ...{ key: '{"a":[2],"b":1}', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ...{ args: { a: [2], b: 1 }, agentId: 'a', sessionId: 's', userId: 'u' },
      ...{ reason: 'it is gated', rule: null },
    })
    expect(requests[0]?.signal.aborted).toBe(true)
    expect(Object.isFrozen(requests[0]?.args)).toBe(true)
  })

  it('holds for the session, the user, the agent and the arguments that it was given for', async () => {
    const { runtime, requests } = asking(Array(9).fill('allow-session'))
    const ids = { sessionId: 's', userId: 'u', agentId: 'a' }
    const call = (more: object = {}, args: object = { a: 1, b: 2 }): Promise<unknown> =>
      runtime.forAgent({ ...ids, ...more }).invoke('gated', args)
    const asked: number[] = []
    for (const one of [
      call(),
      call(),
      call({}, { b: 2, a: 1 }),
      call({ userId: 'v' }),
      call({ sessionId: 't' }),
      call({ agentId: 'b' }),
      call({}, { a: 1, b: 3 }),
    ]) {
      await one
      asked.push(requests.length)
    }
    expect(asked.at(-1)).toBe(5)
    await runtime.forAgent().invoke('gated')
    await runtime.forAgent().invoke('gated')
    expect(requests).toHaveLength(7)
  })

  it('ends with the registration of the tool', async () => {
    const { runtime, requests } = asking(['allow-session', 'allow-session'])
    const agent = runtime.forAgent()
    await agent.invoke('gated')
    await agent.invoke('gated')
    expect(requests).toHaveLength(1)
    registerTool(runtime.globals, { name: 'gated', gated: true, fn: () => 'another' })
    expect(await agent.invoke('gated')).toBe('another')
    expect(requests).toHaveLength(2)
  })

  it('for once holds for one call, and for its retries by its id', async () => {
    const { runtime, requests } = asking(['allow-once', 'allow-once', 'deny'])
    const agent = runtime.forAgent()
    await agent.invoke('gated', {}, { callId: '1' })
    await agent.invoke('gated', {}, { callId: '1' })
    expect(requests).toHaveLength(1)
    await agent.invoke('gated', {}, { callId: '2' })
    expect(requests).toHaveLength(2)
    expect(await code(agent.invoke('gated'))).toBe('APPROVAL_DENIED')
  })

  it('is asked once for calls at the same time, unless it is for once', async () => {
    const shared = asking(['allow-session'])
    const agent = shared.runtime.forAgent()
    await Promise.all([1, 2, 3].map(() => agent.invoke('gated')))
    expect(shared.requests).toHaveLength(1)
    const single = asking(['allow-once', 'allow-once', 'deny'])
    const other = single.runtime.forAgent()
    const results = await Promise.all([1, 2, 3].map(() => code(other.invoke('gated'))))
    expect(results.sort()).toEqual(['APPROVAL_DENIED', 'gated ran', 'gated ran'])
  })

  it('is denied by anything but an answer', async () => {
    for (const [answer, expected] of [
      ['deny', 'APPROVAL_DENIED'],
      [{ answer: 'deny', reason: 'not today' }, 'APPROVAL_DENIED'],
      [undefined, 'APPROVAL_UNAVAILABLE'],
      [true, 'APPROVAL_UNAVAILABLE'],
      ['yes', 'APPROVAL_UNAVAILABLE'],
      [{ answer: 'allow' }, 'APPROVAL_UNAVAILABLE'],
      [new Error('window closed'), 'APPROVAL_UNAVAILABLE'],
      ['allow-project', 'gated ran'],
      [{ answer: 'allow-once' }, 'gated ran'],
    ]) {
      const { runtime } = asking([answer])
      expect([answer, await code(runtime.forAgent().invoke('gated'))]).toEqual([answer, expected])
    }
    const { runtime } = asking([{ answer: 'deny', reason: 'not today' }])
    await expect(runtime.forAgent().invoke('gated')).rejects.toThrow(
      'The call of "gated" was not approved: not today.',
    )
  })

  it('that nobody gives in time, or for a call that is aborted, is none', async () => {
    const never = { interact: () => new Promise<never>(() => {}) }
    const late = asking([], { ...never, interactTimeoutMs: 5 })
    expect(await code(late.runtime.forAgent().invoke('gated'))).toBe('APPROVAL_UNAVAILABLE')
    const aborted = asking([], never)
    const stop = new AbortController()
    const call = code(aborted.runtime.forAgent().invoke('gated', {}, { signal: stop.signal }))
    setTimeout(() => stop.abort(), 5)
    expect(await call).toBe('RUN_ABORTED')
  })
})

describe('authorize', () => {
  it('decides as a call does, without making it or asking', async () => {
    let calls = 0
    const runtime = runtimeWith(
      { ...TOOLS, counted: { fn: () => ++calls } },
      { interact: () => (++calls > 0 ? 'deny' : 'allow-once'), policy: { rules: 'counted(a=1,$deny)' } },
    )
    const agent = runtime.forAgent()
    expect(await agent.authorize('counted', { a: 1 })).toMatchObject({
      ...{ decision: 'deny', step: 5, code: 'TOOL_DENIED', by: 'the runtime', rule: 'counted(a=1,$deny)' },
      reason: 'the rule "counted(a=1,$deny)" of the runtime denies it',
    })
    expect(await agent.authorize('counted', { a: 2 })).toMatchObject({ decision: 'allow', step: 6 })
    expect(await agent.authorize('gated')).toMatchObject({ decision: 'ask', step: 6, code: null })
    expect(await agent.authorize('look')).toMatchObject({ decision: 'deny', step: 4 })
    expect(await agent.authorize('absent')).toMatchObject({
      decision: 'deny',
      step: 1,
      code: 'TOOL_NOT_FOUND',
    })
    expect((await agent.authorize('gated')).steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6])
    expect(calls).toBe(0)
  })
})

describe('listTools', () => {
  it('omits only tools that no arguments could make allowed', async () => {
    const names = async (options: RuntimeOptions['policy']): Promise<string[]> => {
      const tools = { one: {}, two: {}, look: { permissions: { required: ['read'] as const } } }
      const agent = runtimeWith(tools, { policy: { permissions: ['read'], ...options } }).forAgent()
      return (await agent.listTools()).map(({ name }) => name)
    }
    expect(await names({})).toEqual(['one', 'two', 'look'])
    expect(await names({ permissions: [] })).toEqual(['one', 'two'])
    expect(await names({ deny: 'one two(a=1)' })).toEqual(['two', 'look'])
    expect(await names({ allow: 'one(a=1)' })).toEqual(['one'])
    expect(await names({ rules: 'one(a=1) one($deny) two($deny)' })).toEqual(['one', 'look'])
    expect(await names({ rules: 'one(a=1,$deny) two' })).toEqual(['one', 'two', 'look'])
  })
})
