import {
  type Context,
  createRuntime,
  defineTool,
  type RunEvent,
  type RunEventType,
  type Runtime,
  registerTool,
  type ToolContext,
  type ToolFunction,
} from 'agent-apps'
import { afterEach, describe, expect, it, vi } from 'vitest'

const TYPES: RunEventType[] = ['tool:start', 'tool:update', 'tool:end', 'tool:error', 'tool:denied']

function runtimeWith(tools: Record<string, (ctx: Context, args: unknown) => unknown>): Runtime {
  const runtime = createRuntime({ paths: [], library: false })
  for (const [name, fn] of Object.entries(tools))
    registerTool(runtime.globals, {
      name,
      fn: fn as ToolFunction,
      params: { type: 'object' },
      description: name,
    })
  return runtime
}

function heard({ globals }: Runtime): Readonly<RunEvent>[] {
  const events: Readonly<RunEvent>[] = []
  for (const type of TYPES) globals.events.on(type, event => void events.push(event))
  return events
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('events', () => {
  it('are of types that there are', () => {
    const { globals } = runtimeWith({})
    expect(() => globals.events.on('tool:strat' as never, () => {})).toThrow(
      expect.objectContaining({
        code: 'OPTIONS_INVALID',
        message: 'There is no event "tool:strat".',
        hint: `There are tool:start, tool:update, tool:end, tool:error, tool:denied, approval:asked, approval:answered, trust:asked, trust:answered.`,
      }),
    )
    expect(globals.events.listeners.size).toBe(0)
  })

  it('say whose call it is, nested ones too, and whether the result is a failure', async () => {
    const runtime = runtimeWith({
      outer: ctx => {
        ctx.run.update({ title: 'half' })
        return ctx.manager.invoke('inner')
      },
      inner: () => ({ error: 'offline', message: 'No network.' }),
      throws: () => {
        throw new Error('no')
      },
      well: () => ({ title: 'T', metadata: {}, output: 'o' }),
    })
    const events = heard(runtime)
    const ids = { agentId: 'a', sessionId: 's', userId: 'u' }
    const agent = runtime.forAgent(ids)
    await agent.invoke('outer')
    await agent.invoke('throws').catch(() => {})
    await agent.invoke('well')
    expect(events.map(({ type, tool, failed }) => [type, tool, failed])).toEqual([
      ['tool:start', 'outer', undefined],
      ['tool:update', 'outer', undefined],
      ['tool:start', 'inner', undefined],
      ['tool:end', 'inner', true],
      ['tool:end', 'outer', true],
      ['tool:start', 'throws', undefined],
      ['tool:error', 'throws', undefined],
      ['tool:start', 'well', undefined],
      ['tool:end', 'well', undefined],
    ])
    for (const event of events) expect(event).toMatchObject(ids)
    events.length = 0
    await runtime.invoke('well', {}, { userId: 'u' })
    expect(events).toMatchObject([{ userId: 'u' }, { userId: 'u' }])
    expect(events.some(event => 'agentId' in event || 'sessionId' in event)).toBe(false)
  })

  it('say at the end of a call the last that was reported of its progress', async () => {
    const runtime = runtimeWith({
      counts: ctx => {
        ctx.run.update({ title: 'half', metadata: { done: 1 }, progress: 1, total: 2 })
        ctx.run.update({ metadata: { done: 2 }, progress: 2 })
      },
      silent: () => undefined,
    })
    const ends: Readonly<RunEvent>[] = []
    runtime.globals.events.on('tool:end', event => void ends.push(event))
    await runtime.invoke('counts')
    await runtime.invoke('silent')
    expect(ends[0]).toMatchObject({ title: 'half', metadata: { done: 2 }, progress: 2, total: 2 })
    expect(Object.keys(ends[1] as object).sort()).toEqual(['duration', 'layer', 'run', 'tool', 'type'])
  })

  it('tell when a call begins, how far it is and how it ends, and whose it is', async () => {
    const runtime = runtimeWith({
      outer: async ctx => {
        ctx.run.update({ title: 'half', metadata: { done: 1 } })
        await ctx.manager.invoke('inner').catch(() => {})
        return ctx.run.id
      },
      inner: () => {
        throw new Error('fails')
      },
    })
    const events = heard(runtime)
    const id = await runtime.invoke('outer')
    const inner = events[2]?.run
    const about = { tool: 'outer', layer: 'programmatic', run: id }
    expect(events.map(({ duration, ...event }) => ({ ...event, isTime: duration >= 0 }))).toEqual([
      { type: 'tool:start', ...about, isTime: true },
      { type: 'tool:update', ...about, title: 'half', metadata: { done: 1 }, isTime: true },
      { type: 'tool:start', ...about, tool: 'inner', run: inner, parent: id, isTime: true },
      {
        type: 'tool:error',
        ...about,
        tool: 'inner',
        run: inner,
        parent: id,
        error: new Error('fails'),
        isTime: true,
      },
      { type: 'tool:end', ...about, title: 'half', metadata: { done: 1 }, isTime: true },
    ])
    expect(inner).not.toBe(id)
    expect(events.every(Object.isFrozen)).toBe(true)
  })

  it('cannot break a run: what a listener throws becomes a diagnostic', async () => {
    const runtime = runtimeWith({ tool: () => 'R' })
    const { events } = runtime.globals
    const last = vi.fn()
    events.on('tool:start', () => {
      throw new Error('sync')
    })
    events.on('tool:end', async () => {
      throw new Error('async')
    })
    events.on('tool:end', event => {
      Object.assign(event, { tool: 'other' })
    })
    events.on('tool:start', last)
    expect(await runtime.invoke('tool')).toBe('R')
    expect(last).toHaveBeenCalledOnce()
    await new Promise(done => setTimeout(done, 5))
    const reasons = runtime.diagnostics().map(({ rule, reason }) => `${rule}: ${reason}`)
    expect(reasons).toHaveLength(2)
    expect(reasons[0]).toBe('listener-throws: A listener of "tool:start" throws: sync')
    expect(reasons[1]).toMatch(/listener-throws: A listener of "tool:end" throws: /)
  })

  it('end when the listener is taken off, each registration by itself', async () => {
    const runtime = runtimeWith({ tool: () => 'R' })
    const { events } = runtime.globals
    const listener = vi.fn()
    const offs = [events.on('tool:end', listener), events.on('tool:end', listener)]
    await runtime.invoke('tool')
    expect(listener).toHaveBeenCalledTimes(2)
    offs[0]?.()
    offs[0]?.()
    await runtime.invoke('tool')
    expect(listener).toHaveBeenCalledTimes(3)
    offs[1]?.()
    expect(events.listeners.size).toBe(0)
    const id = vi.spyOn(crypto, 'randomUUID')
    await runtime.invoke('tool')
    expect(listener).toHaveBeenCalledTimes(3)
    expect(id).not.toHaveBeenCalled()
  })

  it('tell of a call that is denied, and of arguments that are refused', async () => {
    const runtime = runtimeWith({ tool: () => 'R' })
    registerTool(runtime.globals, { name: 'none', fn: () => 1 })
    const events = heard(runtime)
    await runtime
      .forAgent({ allowedTools: 'other' })
      .invoke('tool')
      .catch(() => {})
    await runtime.invoke('none', { a: 1 }).catch(() => {})
    expect(events.map(({ type }) => type)).toEqual(['tool:start', 'tool:denied', 'tool:start', 'tool:error'])
  })
})

describe('the context of defineTool', () => {
  it('hands on what the call says, to tools called from it too', async () => {
    const runtime = runtimeWith({})
    const pick = (context: ToolContext) => ({
      callId: context.callId,
      session: context.sessionId,
      message: context.messageId,
      agent: context.agentId,
      user: context.userId,
      workspace: context.workspaceId,
      aborted: context.signal?.aborted,
    })
    const add = (name: string, execute: (context: ToolContext) => unknown): void =>
      registerTool(runtime.globals, {
        name,
        fn: defineTool({ name, execute: (_, context) => execute(context) }).fn,
      })
    add('outer', async context => {
      context.update({ title: 'going on' })
      return [pick(context), await context.invoke('inner')]
    })
    add('inner', pick)
    const events = heard(runtime)
    const ids = { sessionId: 's', messageId: 'm', agentId: 'a', userId: 'u', workspaceId: 'w' }
    const same = { session: 's', message: 'm', agent: 'a', user: 'u', workspace: 'w', aborted: false }
    const result = await runtime.invoke('outer', {}, { ...ids, callId: 'c' })
    const inner = events.find(({ tool }) => tool === 'inner')?.run
    expect(result).toEqual([
      { callId: 'c', ...same },
      { callId: inner, ...same },
    ])
    expect(events.map(({ type, tool, callId }) => [type, tool, callId])).toEqual([
      ['tool:start', 'outer', 'c'],
      ['tool:update', 'outer', 'c'],
      // An id is one call's: those that it makes have none.
      ['tool:start', 'inner', undefined],
      ['tool:end', 'inner', undefined],
      ['tool:end', 'outer', 'c'],
    ])
    const alone = await defineTool({ name: 'alone', execute: (_, context) => pick(context) }).fn(undefined)
    expect(alone).toEqual({ aborted: false })
  })
})
