import {
  createRuntime,
  defineTool,
  type HostRequest,
  type RuntimeOptions,
  type Store,
  type ToolDefinition,
  type ToolSchema,
} from 'agent-apps'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

type Definition = ToolDefinition<ToolSchema | undefined, ToolSchema | undefined>

/** A runtime with the tool `t`. */
function runtimeWith(definition: Partial<Definition>, options: RuntimeOptions = {}) {
  const runtime = createRuntime({ paths: [], ...options })
  runtime.register({ name: 't', description: 'Works.', execute: () => 'ran', ...definition } as Definition)
  return runtime
}

/** The code and the message of what a call throws. */
async function failure(call: Promise<unknown>): Promise<{ code: string; message: string }> {
  return call.then(
    result => expect.fail(`gave ${JSON.stringify(result)}`),
    ({ code, message }) => ({ code, message }),
  )
}

describe('config', () => {
  const config = z.object({ region: z.string(), retries: z.number().default(3) })
  const tools = { t: { region: 'eu', enabled: true, timeoutMs: 5_000 } }

  it('is given to the tool that it is for, checked, with defaults, and frozen', async () => {
    const runtime = runtimeWith({ config, execute: (_, ctx) => ctx.config }, { config: { tools } })
    const given = await runtime.invoke('t')
    expect(given).toEqual({ region: 'eu', retries: 3 })
    expect(Object.isFrozen(given)).toBe(true)
    runtime.register({ name: 'other', execute: (_, ctx) => ctx.config })
    expect(await runtime.invoke('other')).toEqual({})
  })

  it('is a copy of what the host gave', async () => {
    const own = structuredClone(tools)
    const runtime = runtimeWith({ config, execute: (_, ctx) => ctx.config }, { config: { tools: own } })
    own.t.region = 'us'
    expect(await runtime.invoke('t')).toMatchObject({ region: 'eu' })
  })

  it.each<[string, object, string]>([
    ['lacks what the schema requires', {}, 'region'],
    ['is of another type', { region: 1 }, 'region'],
    ['is not known to the schema', { region: 'eu', regoin: 'us' }, 'regoin'],
  ])('that %s is TOOL_CONFIG, and the tool does not run', async (_, own, part) => {
    const strict = z.strictObject({ region: z.string() })
    const runtime = runtimeWith({ config: strict }, { config: { tools: { t: own as never } } })
    const { code, message } = await failure(runtime.invoke('t'))
    expect(code).toBe('TOOL_CONFIG')
    expect(message).toContain(part)
  })

  it('takes what is undefined for absent', async () => {
    const switched = z.object({ region: z.string().optional(), enabled: z.boolean().default(true) })
    const t = { region: undefined, enabled: undefined, timeoutMs: undefined } as never
    const run = { config: switched, execute: (_: unknown, ctx: { config: unknown }) => ctx.config }
    expect(await runtimeWith(run, { config: { tools: { t } } }).invoke('t')).toEqual({ enabled: true })
    expect(await runtimeWith({}, { config: { tools: { t } } }).invoke('t')).toBe('ran')
  })

  it('of a tool without a schema may only be `enabled` and `timeoutMs`', async () => {
    expect(
      await runtimeWith({}, { config: { tools: { t: { enabled: true, timeoutMs: 100 } } } }).invoke('t'),
    ).toBe('ran')
    const { code, message } = await failure(
      runtimeWith({}, { config: { tools: { t: { region: 'eu' } } } }).invoke('t'),
    )
    expect(code).toBe('TOOL_CONFIG')
    expect(message).toContain('"region"')
  })

  it('with `enabled: false` hides the tool from agents, and code may still call it', async () => {
    const runtime = runtimeWith({}, { config: { tools: { t: { enabled: false } } } })
    const agent = runtime.forAgent()
    expect(await agent.findTool('t')).toBeNull()
    expect(await agent.listTools()).not.toContainEqual(expect.objectContaining({ name: 't' }))
    expect(await failure(agent.invoke('t'))).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect((await agent.authorize('t')).code).toBe('TOOL_NOT_FOUND')
    expect(await runtime.invoke('t')).toBe('ran')
  })

  it.each<[string, unknown, string]>([
    ['options', { tool: {} }, 'tool'],
    ['`enabled`', { tools: { t: { enabled: 'no' } } }, 'enabled'],
    ['`timeoutMs`', { tools: { t: { timeoutMs: '1' } } }, 'timeoutMs'],
    ['a tool', { tools: { t: false } }, 't'],
  ])('with wrong %s is OPTIONS_INVALID', (_, given, part) => {
    expect(() => createRuntime({ config: given } as never)).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID', message: expect.stringContaining(part) }),
    )
  })
})

describe('a time limit', () => {
  const slow = { execute: () => new Promise(resolve => setTimeout(resolve, 2_000, 'late')) }

  it('is that of the call, or of the configuration, or of the tool', async () => {
    const limited = { ...slow, timeoutMs: 50 }
    expect(await failure(runtimeWith(limited).invoke('t'))).toMatchObject({ code: 'TOOL_TIMEOUT' })
    const configured = runtimeWith(slow, { config: { tools: { t: { timeoutMs: 40 } } } })
    expect((await failure(configured.invoke('t'))).message).toContain('40 ms')
    expect((await failure(configured.invoke('t', {}, { timeoutMs: 30 }))).message).toContain('30 ms')
    const replaced = runtimeWith(limited, { config: { tools: { t: { timeoutMs: 45 } } } })
    expect((await failure(replaced.invoke('t'))).message).toContain('45 ms')
    const quick = runtimeWith({ execute: () => 'ran', timeoutMs: 1 })
    expect(await quick.invoke('t', {}, { timeoutMs: 5_000 })).toBe('ran')
  })
})

describe('env', () => {
  const NAMES = { TOOL_KEY: 'sk-very-secret-1', HOST_ONLY: 'host-only-value', TOOL_ONLY: 'tool-only-value' }
  beforeEach(() => void Object.assign(process.env, NAMES))
  afterEach(() => {
    for (const name of Object.keys(NAMES)) delete process.env[name]
  })
  const env = ['TOOL_KEY', 'TOOL_ONLY', 'ABSENT']
  const host = { env: ['TOOL_KEY', 'HOST_ONLY', 'ABSENT'] }

  it('has what the tool declares and the host lets through', async () => {
    const runtime = runtimeWith({ env, execute: (_, ctx) => ({ ...ctx.env }) }, host)
    expect(await runtime.invoke('t')).toEqual({ TOOL_KEY: NAMES.TOOL_KEY })
    runtime.register({ name: 'other', execute: (_, ctx) => ctx.env })
    expect(await runtime.invoke('other')).toEqual({})
  })

  it('is out of the reach of what the tool calls', async () => {
    const runtime = runtimeWith({ env, execute: (_, ctx) => ctx.invoke('spy') }, host)
    const seen: unknown[] = []
    runtime.register(
      (ctx: { envelope: { caller: unknown } }) => void seen.push(JSON.stringify(ctx.envelope.caller)),
      {
        name: 'spy',
      } as never,
    )
    await runtime.invoke('t').catch(() => {})
    expect(seen.join()).not.toContain(NAMES.TOOL_KEY)
  })

  it('is left out of errors, their causes and stacks, and of failures as results', async () => {
    const leak = (text: string) => ({
      env,
      execute: async (_: unknown, ctx: { env: Record<string, string> }) => {
        throw Object.assign(
          new Error(`${text} ${ctx.env.TOOL_KEY}`, { cause: new Error(`${ctx.env.TOOL_KEY}`) }),
          {
            request: { headers: { authorization: `Bearer ${ctx.env.TOOL_KEY}` } },
          },
        )
      },
    })
    const error = await runtimeWith(leak('Failed with') as never, host)
      .invoke('t')
      .then(
        () => expect.fail(),
        (thrown: unknown) => thrown as Leaked,
      )
    expect(error.message).toBe('Failed with [redacted]')
    expect(error.cause.message).toBe('[redacted]')
    expect(error.stack).not.toContain(NAMES.TOOL_KEY)
    expect(error.request.headers.authorization).toBe('Bearer [redacted]')
    const failing = runtimeWith({ env, execute: (_, ctx) => ({ error: `no ${ctx.env.TOOL_KEY}` }) }, host)
    expect(await failing.invoke('t')).toEqual({ error: 'no [redacted]' })
  })

  it('is left out of events, of diagnostics, and of all that a model gets', async () => {
    const runtime = runtimeWith(
      {
        env,
        execute: (_, ctx) => {
          ctx.update({ title: `with ${ctx.env.TOOL_KEY}`, metadata: { key: [ctx.env.TOOL_KEY] } })
          return { key: ctx.env.TOOL_KEY }
        },
      },
      host,
    )
    const events: unknown[] = []
    const { events: hub } = runtime.globals
    hub.on('tool:update', event => void events.push(event))
    hub.on('tool:end', () => {
      throw new Error(`listener of ${NAMES.TOOL_KEY}`)
    })
    expect(await runtime.invoke('t')).toEqual({ key: NAMES.TOOL_KEY })
    expect(await runtime.forAgent().invoke('t')).toEqual({ key: '[redacted]' })
    expect(events[0]).toMatchObject({ title: 'with [redacted]', metadata: { key: ['[redacted]'] } })
    expect(
      runtime
        .diagnostics()
        .map(({ reason }) => reason)
        .join(),
    ).toContain('listener of [redacted]')
    expect(JSON.stringify(runtime.diagnostics())).not.toContain(NAMES.TOOL_KEY)
  })
})

interface Leaked {
  message: string
  stack: string
  cause: Error
  request: { headers: { authorization: string } }
}

/** A store as a host may have one, which says how it was used. */
function storeOf() {
  const values = new Map<string, { value: never; version: string }>()
  let version = 0
  const store: Store = {
    get: async key => structuredClone(values.get(key) ?? null),
    set: async (key, value, expected) => {
      if ((values.get(key)?.version ?? null) !== expected)
        throw Object.assign(new Error('overtaken'), { code: 'STATE_CONFLICT' })
      version++
      values.set(key, { value: value as never, version: String(version) })
      return String(version)
    },
    delete: async key => void values.delete(key),
  }
  return { store, values }
}

const counter = {
  state: { schema: z.object({ count: z.number() }), initial: { count: 0 } },
  execute: (_: unknown, ctx: { state: unknown }) => {
    const state = ctx.state as { count: number }
    state.count++
    return state.count
  },
}

describe('state', () => {
  const inSession = (sessionId: string) => [{}, { sessionId }] as const

  it.each([
    ['in memory', {}],
    ['in a store', storeOf()],
  ])('is one for each session, %s', async (_, options) => {
    const runtime = runtimeWith(counter, 'store' in options ? { store: options.store } : {})
    expect(await runtime.invoke('t', ...inSession('a'))).toBe(1)
    expect(await runtime.invoke('t', ...inSession('a'))).toBe(2)
    expect(await runtime.invoke('t', ...inSession('b'))).toBe(1)
    expect(await runtime.invoke('t')).toBe(1)
    expect(await runtime.invoke('t')).toBe(2)
    await runtime.endSession('a')
    expect(await runtime.invoke('t', ...inSession('a'))).toBe(1)
    expect(await runtime.invoke('t', ...inSession('b'))).toBe(2)
  })

  it('goes on in another runtime with the same store, without what has no session', async () => {
    const { store, values } = storeOf()
    await runtimeWith(counter, { store }).invoke('t', ...inSession('a'))
    await runtimeWith(counter, { store }).invoke('t')
    const second = runtimeWith(counter, { store })
    expect(await second.invoke('t', ...inSession('a'))).toBe(2)
    expect(await second.invoke('t')).toBe(1)
    expect(values.size).toBe(2)
    await second.endSession('a')
    expect(values.size).toBe(0)
  })

  it('is one object for the calls of a session, also at the same time', async () => {
    const { store } = storeOf()
    const runtime = runtimeWith(counter, { store })
    const calls = Array.from({ length: 20 }, () => runtime.invoke('t', ...inSession('a')))
    expect(new Set(await Promise.all(calls)).size).toBe(20)
    expect(await runtimeWith(counter, { store }).invoke('t', ...inSession('a'))).toBe(21)
  })

  it('of a call that another process overtook is STATE_CONFLICT, and the next call goes on from there', async () => {
    const { store } = storeOf()
    let goOn = (): void => {}
    const waiting = new Promise<void>(resolve => {
      goOn = resolve
    })
    const first = runtimeWith(
      {
        ...counter,
        execute: (args: unknown, ctx: never) => waiting.then(() => counter.execute(args, ctx)),
      } as never,
      { store },
    )
    const slow = failure(first.invoke('t', ...inSession('a')))
    const alsoSlow = failure(first.invoke('t', ...inSession('a')))
    const second = runtimeWith(counter, { store })
    expect(await second.invoke('t', ...inSession('a'))).toBe(1)
    goOn()
    expect(await slow).toMatchObject({
      code: 'STATE_CONFLICT',
      message: expect.stringContaining('was changed by another process'),
    })
    expect(await alsoSlow).toMatchObject({ code: 'STATE_CONFLICT' })
    expect(await first.invoke('t', ...inSession('a'))).toBe(2)
  })

  it('is kept where a call fails, and not once its session has ended', async () => {
    const { store, values } = storeOf()
    let ending = async (): Promise<void> => {}
    const runtime = runtimeWith(
      {
        ...counter,
        execute: async (args: unknown, ctx: never) => {
          counter.execute(args, ctx)
          await ending()
          throw new Error('failed')
        },
      } as never,
      { store },
    )
    expect((await failure(runtime.invoke('t', ...inSession('a')))).message).toBe('failed')
    expect([...values.values()]).toContainEqual(expect.objectContaining({ value: { count: 1 } }))
    ending = () => runtime.endSession('a')
    expect((await failure(runtime.invoke('t', ...inSession('a')))).message).toBe('failed')
    expect(values.size).toBe(0)
  })

  it('may be assigned, must match its schema, and else is what it was', async () => {
    const runtime = runtimeWith({
      ...counter,
      params: z.object({ set: z.any() }),
      execute: ({ set }: { set: unknown }, ctx: { state: unknown }) => {
        const before = ctx.state
        ctx.state = set
        return before
      },
    } as never)
    expect(await runtime.invoke('t', { set: { count: 7 } }, { sessionId: 'a' })).toEqual({ count: 0 })
    const { code, message } = await failure(runtime.invoke('t', { set: { count: 'x' } }, { sessionId: 'a' }))
    expect(code).toBe('STATE_INVALID')
    expect(message).toContain('count')
    expect(await runtime.invoke('t', { set: { count: 8 } }, { sessionId: 'a' })).toEqual({ count: 7 })
    const loop = { count: 1, self: {} }
    loop.self = loop
    const looping = runtimeWith({
      ...counter,
      execute: (_: unknown, ctx: { state: unknown }) => {
        ctx.state = loop
      },
    } as never)
    expect(await failure(looping.invoke('t'))).toMatchObject({ code: 'STATE_INVALID' })
  })

  it('is not that of another tool, of the same name either', async () => {
    const { store } = storeOf()
    const runtime = runtimeWith(counter, { store })
    runtime.register({ name: 'other', ...counter } as never)
    await runtime.invoke('t', ...inSession('a'))
    expect(await runtime.invoke('other', ...inSession('a'))).toBe(1)
    runtime.register({ name: 'none', state: 'none', execute: (_, ctx) => ctx.state ?? 'none' })
    expect(await runtime.invoke('none', ...inSession('a'))).toBe('none')
  })
})

describe('ctx.ask', () => {
  const asks = (question: object) =>
    ({ execute: (_: unknown, ctx: { ask: (q: never) => unknown }) => ctx.ask(question as never) }) as never

  it.each<[string, object, unknown, unknown]>([
    ['a text', { kind: 'text', message: 'Name?', default: 'me' }, 'you', 'you'],
    ['a choice', { kind: 'choice', message: 'Which?', choices: ['a', 'b'] }, { answer: 'b' }, 'b'],
    ['yes or no', { kind: 'confirm', message: 'Go on?' }, false, false],
  ])('gives %s that the host answers, who is told which tool asks', async (_, question, answer, given) => {
    const requests: HostRequest[] = []
    const interact = (request: HostRequest) => {
      requests.push(request)
      return Promise.resolve(answer)
    }
    const runtime = runtimeWith(asks(question), { interact })
    const ids = { agentId: 'a', userId: 'u', sessionId: 's' }
    expect(await runtime.invoke('t', {}, ids)).toEqual(given)
    expect(requests).toEqual([
      {
        ...question,
        ...ids,
        ...{ tool: 't', layer: 'programmatic', id: expect.any(String) },
        ...{ expires: expect.any(Number), signal: expect.any(AbortSignal) },
      },
    ])
  })

  it('names a middleware that asks, and not the tool that it serves', async () => {
    const tools: string[] = []
    const interact = (request: HostRequest) => {
      if (request.kind === 'confirm') tools.push(request.tool)
      return Promise.resolve(true)
    }
    const runtime = runtimeWith({ metadata: { guard: true } }, { interact })
    runtime.register({
      ...{ name: 'guard', role: 'middleware' },
      execute: async (_, ctx) => void (await ctx.ask({ kind: 'confirm', message: 'Go on?' })),
    })
    expect(await runtime.invoke('t')).toBe('ran')
    expect(tools).toEqual(['guard'])
  })

  it.each<[string, object, string]>([
    ['kind', { kind: 'approval', message: 'x' }, '`kind`'],
    ['kind of a prototype', { kind: 'constructor', message: 'x' }, '`kind`'],
    ['tool', { kind: 'confirm', message: 'x', tool: 'bash' }, '"tool"'],
    ['message', { kind: 'confirm', message: '' }, '`message`'],
    ['choices', { kind: 'choice', message: 'x', choices: [] }, '`choices`'],
    ['default', { kind: 'choice', message: 'x', choices: ['a'], default: 'b' }, '`default`'],
  ])('refuses a question with a wrong %s, and asks nobody', async (_, question, part) => {
    const interact = () => expect.fail('asked')
    const { code, message } = await failure(runtimeWith(asks(question), { interact }).invoke('t'))
    expect(code).toBe('OPTIONS_INVALID')
    expect(message).toContain(part)
  })

  it('shows control characters and changes of direction, so that no message looks like another', async () => {
    let message = ''
    const interact = (request: HostRequest) => {
      message = request.kind === 'confirm' ? request.message : ''
      return Promise.resolve(true)
    }
    const question = { kind: 'confirm', message: '\u001b[2JApprove?\n\u202eb\u200back' }
    await runtimeWith(asks(question), { interact }).invoke('t')
    expect(message).toBe('\\u001b[2JApprove?\n\\u202eb\\u200back')
  })

  it.each<[string, RuntimeOptions]>([
    ['there is no `interact`', {}],
    ['it throws', { interact: () => Promise.reject(new Error('closed')) }],
    ['it gives nothing', { interact: () => Promise.resolve(undefined) }],
    ['it gives another kind of answer', { interact: () => Promise.resolve('allow-session') }],
    ['it is too late', { interact: () => new Promise(() => {}), interactTimeoutMs: 20 }],
  ])('is INTERACTION_UNAVAILABLE where %s', async (_, options) => {
    const call = runtimeWith(asks({ kind: 'confirm', message: 'Go on?' }), options).invoke('t')
    expect(await failure(call)).toMatchObject({ code: 'INTERACTION_UNAVAILABLE' })
  })

  it('ends with the call, and tells the host', async () => {
    const controller = new AbortController()
    let asked: AbortSignal | undefined
    const interact = ({ signal }: HostRequest) => {
      asked = signal
      controller.abort()
      return new Promise(() => {})
    }
    const runtime = runtimeWith(asks({ kind: 'text', message: 'Name?' }), { interact })
    expect(await failure(runtime.invoke('t', {}, { signal: controller.signal }))).toMatchObject({
      code: 'RUN_ABORTED',
    })
    expect(asked?.aborted).toBe(true)
  })

  it('gives no approval: a call of a gated tool is asked about in its own request', async () => {
    const kinds: string[] = []
    const interact = ({ kind }: HostRequest) => {
      kinds.push(kind)
      return Promise.resolve(kind === 'approval' ? 'deny' : 'allow-session')
    }
    const runtime = runtimeWith(asks({ kind: 'text', message: 'Approve gated?' }), { interact })
    runtime.register({ name: 'gated', description: 'Asks.', gated: true, execute: () => 'ran' })
    const agent = runtime.forAgent()
    expect(await agent.invoke('t')).toBe('allow-session')
    expect(await failure(agent.invoke('gated'))).toMatchObject({ code: 'APPROVAL_DENIED' })
    expect(kinds).toEqual(['text', 'approval'])
  })
})

describe('a tool that is called without a runtime', () => {
  it('has a signal, which nobody aborts', async () => {
    const seen: AbortSignal[] = []
    const tool = defineTool({
      name: 't',
      execute: (_, ctx) => void seen.push(ctx.signal, ctx.abort, ctx.signal),
    })
    await tool.fn(undefined)
    expect(seen.map(({ aborted }) => aborted)).toEqual([false, false, false])
    expect(new Set(seen).size).toBe(1)
  })
})
