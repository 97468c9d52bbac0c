import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  ctxCwd,
  ctxHookTarget,
  ctxHookTrigger,
  ctxPaths,
  ctxTarget,
  emptyGlobals,
  type Globals,
  isToolResult,
  registerTool,
  serializeContext,
} from 'agent-apps'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { invoke } from '../../runtime/call/invoke.js'
import { makeChain } from '../../runtime/cascade/make-chain.js'
import { createRuntime } from '../../runtime/create-runtime.js'
import type { ChainStep } from '../../runtime/state/chain.js'
import type { Context, InvokeOptions } from '../../runtime/state/context.js'
import { type Body, runOf, runWith, stepOf } from '../support/run-with-chain.js'
import { temporary } from '../support/temporary.js'

const chains = new Map<string, ChainStep[]>()
// Files share a process: what another one imported would keep its own chains, and a later one would get these.
vi.hoisted(() => vi.resetModules())
afterAll(() => {
  vi.doUnmock('../../runtime/cascade/chain-of.js')
  vi.resetModules()
})
vi.mock('../../runtime/cascade/chain-of.js', async original => {
  const actual = await original<typeof import('../../runtime/cascade/chain-of.js')>()
  return { ...actual, chainOf: ({ name }: { name: string }) => makeChain(chains.get(name) ?? []) }
})
afterEach(() => {
  chains.clear()
  vi.restoreAllMocks()
})

/** Globals with tools that take anything. */
function globalsWith(tools: Record<string, Body>): Globals {
  const globals = emptyGlobals()
  for (const [name, fn] of Object.entries(tools))
    registerTool(globals, { name, fn: fn as never, params: { type: 'object' }, description: name })
  return globals
}

const call = (globals: Globals, name = 'tool', args?: unknown, options?: InvokeOptions): Promise<unknown> =>
  invoke(name, args, globals as never, options)
const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    result => ({ result }),
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )
const tick = (ms = 5): Promise<void> => new Promise(done => setTimeout(done, ms))

describe('next()', () => {
  it('a second time, after the end, and of a tool', async () => {
    const twice: Body = ({ manager }) => {
      void manager.next()
      void manager.next()
    }
    expect(await code(runWith([stepOf('a', twice)], () => 1))).toBe('NEXT_TWICE')
    let late: Context | undefined
    const step = stepOf('a', ctx => {
      late = ctx
    })
    expect(await runWith([step], () => 1)).toBe(1)
    expect(() => late?.manager.next()).toThrow(/after it has ended/)
    expect(await code(runWith([], async ({ manager }) => [await manager.next(), await manager.next()]))).toBe(
      'NEXT_TWICE',
    )
  })

  it.each([true, false])('that nobody awaits is waited for (tool async: %s)', async isAsync => {
    const ended: string[] = []
    const tool: Body = isAsync
      ? async () => {
          await tick()
          ended.push('tool')
          return 'R'
        }
      : () => 'R'
    for (const body of [
      (ctx: Context) => void ctx.manager.next(),
      async (ctx: Context) => void ctx.manager.next(),
    ])
      expect(await runWith([stepOf('a', body)], tool)).toBe('R')
    expect(ended.length).toBe(isAsync ? 2 : 0)
  })

  it.each([true, false])('that nobody awaits fails for the middleware (tool async: %s)', async isAsync => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const tool: Body = isAsync
      ? async () => {
          await tick()
          throw new Error('tool')
        }
      : () => {
          throw new Error('tool')
        }
    const bodies: Body[] = [
      ctx => void ctx.manager.next(),
      async ctx => void ctx.manager.next(),
      async ctx => {
        void ctx.manager.next()
        // Long after it failed.
        await tick(20)
      },
    ]
    for (const body of bodies) {
      expect(await code(runWith([stepOf('a', body)], tool))).toBe('tool')
      expect(await code(runWith([stepOf('h', body, { hook: ['$next'] })], tool))).toBe('tool')
      expect(
        await code(
          runWith([stepOf('o', () => undefined), stepOf('a', body), stepOf('i', () => undefined)], tool),
        ),
      ).toBe('tool')
    }
    const caught: Body = async ctx => {
      await ctx.manager.next().catch(() => {})
      await tick()
    }
    expect(await code(runWith([stepOf('a', caught)], tool))).toEqual({ result: undefined })
    await tick()
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('raced by its middleware starts nothing more and gives no result', async () => {
    for (const end of ['value', 'throw']) {
      const started: string[] = []
      const steps = [
        stepOf('race', async ctx => {
          void ctx.manager.next()
          await tick(1)
          if (end === 'throw') throw new Error('raced')
          return 'raced'
        }),
        stepOf('slow', async () => {
          started.push('slow')
          await tick(10)
        }),
        stepOf('never', () => void started.push('never')),
      ]
      const { ctx, run } = runOf(steps, () => started.push('tool'))
      const outcome = await code(Promise.resolve(run()))
      expect(outcome).toEqual(end === 'throw' ? 'raced' : { result: 'raced' })
      await tick(20)
      expect(started).toEqual(['slow'])
      expect(ctx.locals.result).toBe(end === 'throw' ? undefined : 'raced')
    }
  })

  it('raced by its middleware gives no result, whatever comes late', async () => {
    const late: Body = async () => {
      await tick(10)
      return 'late'
    }
    const race = stepOf('race', async ctx => {
      void ctx.manager.next()
      await tick(1)
      return 'raced'
    })
    for (const { ctx, run } of [runOf([race, stepOf('slow', late)], () => 'R'), runOf([race], late)]) {
      expect(await run()).toBe('raced')
      await tick(20)
      expect(ctx.locals.result).toBe('raced')
    }
  })

  it('raced by its middleware leaves the chains of middlewares further in, too', async () => {
    const started: string[] = []
    chains.set('inner', [
      stepOf('slow', async () => {
        await tick(10)
      }),
    ])
    const steps = [
      stepOf('race', async ctx => {
        void ctx.manager.next()
        await tick(1)
        return 'raced'
      }),
      stepOf('inner', () => void started.push('inner'), { static: false }),
    ]
    expect(await runWith(steps, () => started.push('tool'))).toBe('raced')
    await tick(20)
    expect(started).toEqual([])
  })

  it('gives what is not a promise of ours, whatever a tool returns', async () => {
    // biome-ignore lint/suspicious/noThenProperty: what awaits is what is tested.
    const thenable = { then: (done: (value: string) => void) => done('from a thenable') }
    const seen: unknown[] = []
    const around: Body = async ctx => void seen.push(await ctx.manager.next())
    expect(await runWith([stepOf('a', around)], () => thenable)).toBe('from a thenable')
    expect(seen).toEqual(['from a thenable'])
    expect(await runWith([stepOf('a', ctx => ctx.manager.next())], async () => 2)).toBe(2)
    expect(await runWith([stepOf('a', ctx => Promise.race([ctx.manager.next(), tick(50)]))], () => 3)).toBe(3)
  })
})

describe('a middleware', () => {
  it('has a context of its own, and serves one', async () => {
    const seen: Record<string, unknown> = {}
    const steps = [
      stepOf('a', () => undefined, { args: { limit: 1 } }),
      stepOf(
        'b',
        (ctx, args) => {
          const target = ctxTarget(ctx)
          Object.assign(seen, {
            args,
            own: ctx.args,
            served: target.args,
            isTarget: ctx.envelope.target === target,
            index: [ctx.run.index, target.run.index],
            names: [ctx.run.tool.name, target.run.tool.name],
            chain: ctx.run.chain.map(({ name }) => name),
            ids: new Set([ctx.run.id, ctx.run.id, target.run.id]).size,
            hook: [ctxHookTrigger(ctx), ctxHookTarget(ctx)],
          })
        },
        { args: { limit: 2 } },
      ),
    ]
    const { ctx, run } = runOf(steps, own => [own.run.index, own.envelope.target === own], { args: { x: 1 } })
    expect(await run()).toEqual([2, true])
    expect(seen).toEqual({
      args: { limit: 2 },
      own: undefined,
      served: { x: 1 },
      isTarget: true,
      index: [1, 1],
      names: ['b', 'tool'],
      chain: ['a', 'b'],
      ids: 2,
      hook: [undefined, undefined],
    })
    expect(() => ctxTarget(ctx)).toThrow(expect.objectContaining({ code: 'CONTEXT_MISSING' }))
  })

  it('that is a hook knows what set it off, and what it wraps', async () => {
    const seen: unknown[] = []
    const see: Body = ctx => void seen.push([ctxHookTrigger(ctx), ctxHookTarget(ctx), ctx.run.index])
    await runWith([stepOf('h', see, { hook: ['$next', '$invoke'] }), stepOf('a', () => undefined)], () => 1)
    expect(seen).toEqual([
      ['$invoke', 'a', 0],
      ['$next', 'a', 0],
      ['$next', 'tool', 0],
    ])
  })

  it('that is a hook has no chain of its own', async () => {
    chains.set('h', [stepOf('never', () => 'stopped')])
    expect(await runWith([stepOf('h', () => undefined, { hook: ['$next'], static: false })], () => 'R')).toBe(
      'R',
    )
  })

  it('tells the host how far the call is that it serves', async () => {
    chains.set('tool', [stepOf('m', ctx => ctx.run.update({ title: 'on its way' }))])
    const globals = globalsWith({ tool: ctx => ctx.run.id })
    const runs: unknown[] = []
    globals.events.on('tool:update', ({ run, tool, title }) => runs.push([run, tool, title]))
    const id = await call(globals)
    await tick()
    expect(runs).toEqual([[id, 'tool', 'on its way']])
  })

  it('that is dynamic runs through its own chain, which serves it', async () => {
    const log: string[] = []
    chains.set('outer', [
      stepOf('inner', async ctx => {
        log.push(`inner serves ${ctxTarget(ctx).run.tool.name}`)
        await ctx.manager.next()
        log.push('inner ends')
      }),
    ])
    const outer = (isStatic: boolean): ChainStep =>
      stepOf(
        'outer',
        async (ctx, args) => {
          log.push(`outer ${JSON.stringify(args)} serves ${ctxTarget(ctx).run.tool.name}`)
          return `(${await ctx.manager.next()})`
        },
        { static: isStatic, args: { a: 1 } },
      )
    expect(await runWith([outer(false)], () => 'R')).toBe('(R)')
    expect(log).toEqual(['inner serves outer', 'outer {"a":1} serves tool', 'inner ends'])
    log.length = 0
    expect(await runWith([outer(true)], () => 'R')).toBe('(R)')
    expect(log).toEqual(['outer {"a":1} serves tool'])
    chains.set('outer', [stepOf('stop', () => 'stopped')])
    expect(await runWith([outer(false)], () => 'R')).toBe('stopped')
  })

  it('has its configuration filled in from the context that it serves', async () => {
    const args = {
      name: '${args.name}',
      all: '${nonlocals.a}-${nonlocals.b}',
      id: '${run.tool.name}',
      x: '\\${y}',
    }
    const seen: unknown[] = []
    const step = stepOf('a', (_, given) => void seen.push(given), { args, isVolatile: true })
    const globals = globalsWith({
      tool: ctx => {
        ctx.nonlocals.a = 1
        return ctx.manager.invoke('inner', { name: 'Ann' }, { nonlocals: { b: 2 } })
      },
      inner: () => 'R',
    })
    chains.set('inner', [step])
    expect(await call(globals)).toBe('R')
    expect(seen).toEqual([{ name: 'Ann', all: '1-2', id: 'inner', x: '${y}' }])
    expect(args.name).toBe('${args.name}')
  })
})

describe('nonlocals', () => {
  it('are seen below, and written to the writer’s own', async () => {
    const globals = globalsWith({
      tool: async ctx => {
        ctx.nonlocals.a = 'tool'
        const inner = await ctx.manager.invoke('inner')
        return [inner, { ...ctx.nonlocals }]
      },
      inner: async ctx => {
        const seen = ctx.nonlocals.a
        ctx.nonlocals.a = 'inner'
        return [seen, ctx.nonlocals.a, await ctx.manager.invoke('innermost')]
      },
      innermost: ctx => ctx.nonlocals.a,
    })
    expect(await call(globals)).toEqual([['tool', 'inner', 'inner'], { a: 'tool' }])
  })

  it('of a middleware lie beside those of what it serves', async () => {
    const seen: unknown[] = []
    chains.set('inner', [
      stepOf('m', ctx => {
        seen.push(ctx.nonlocals.from)
        ctx.nonlocals.mine = 1
        ctxTarget(ctx).nonlocals.shared = 2
      }),
    ])
    chains.get('inner')?.push(
      stepOf('after', async ctx => {
        await ctx.manager.next()
        seen.push(ctx.nonlocals.own)
      }),
    )
    const globals = globalsWith({
      tool: ctx => {
        ctx.nonlocals.from = 'tool'
        return ctx.manager.invoke('inner', {}, { nonlocals: { extra: 3 } })
      },
      inner: ctx => {
        ctx.nonlocals.own = 4
        return innerSees(ctx)
      },
    })
    const innerSees = (ctx: Context): unknown => [
      ctx.nonlocals.from,
      ctx.nonlocals.mine,
      ctx.nonlocals.shared,
      ctx.nonlocals.extra,
    ]
    expect(await call(globals)).toEqual(['tool', undefined, 2, 3])
    expect(seen).toEqual(['tool', undefined])
    chains.set('tool', [stepOf('host', ctx => void seen.push(ctx.nonlocals.user))])
    await call(globals, 'tool', {}, { nonlocals: { user: 'Ann' } })
    expect(seen).toContain('Ann')
  })

  it('reach no prototype', async () => {
    const given = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as Record<string, unknown>
    const globals = globalsWith({
      tool: ctx => {
        const parent = [ctx.nonlocals.polluted, ctx.nonlocals.constructor, ctx.nonlocals.toString]
        Reflect.set(ctx.nonlocals, '__proto__', { a: 1 })
        Reflect.set(ctx.locals, '__proto__', { b: 1 })
        return ctx.manager.invoke('inner').then(inner => [parent, ctx.nonlocals.a, ctx.locals.b, inner])
      },
      inner: ctx => [
        typeof Reflect.get(ctx.nonlocals, '__proto__'),
        ctx.nonlocals.polluted,
        ctx.nonlocals.hasOwnProperty,
      ],
    })
    expect(await call(globals, 'tool', {}, { nonlocals: given })).toEqual([
      [undefined, 2, undefined],
      undefined,
      undefined,
      ['object', undefined, undefined],
    ])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('signals', () => {
  it('end a call before its next entry', async () => {
    const controller = new AbortController()
    const ran: string[] = []
    const steps = [
      stepOf('a', () => {
        ran.push('a')
        controller.abort(new Error('enough'))
      }),
      stepOf('b', () => void ran.push('b')),
    ]
    const run = runWith(steps, () => ran.push('tool'), { options: { signal: controller.signal } })
    await expect(run).rejects.toMatchObject({ code: 'RUN_ABORTED', cause: { message: 'enough' } })
    expect(ran).toEqual(['a'])
  })

  it('of a caller end what it calls', async () => {
    const controller = new AbortController()
    const globals = globalsWith({
      tool: ctx => ctx.manager.invoke('inner', {}, { signal: new AbortController().signal }),
      inner: async ctx => {
        controller.abort()
        return [ctx.run.signal.aborted, await code(ctx.manager.invoke('last'))]
      },
      last: () => 'ran',
    })
    const result = await call(globals, 'tool', {}, { signal: controller.signal })
    expect(result).toEqual([true, 'RUN_ABORTED'])
  })

  it('that a middleware sets hold further in only, and only narrow', async () => {
    const host = new AbortController()
    const mine = new AbortController()
    const seen: boolean[] = []
    const see: Body = ctx => void seen.push(ctxTarget(ctx).run.signal.aborted)
    const steps = [
      stepOf('outer', async ctx => {
        const failure = await code(ctx.manager.next())
        seen.push(ctxTarget(ctx).run.signal.aborted, ctx.run.signal.aborted)
        return failure
      }),
      stepOf('timeout', async ctx => {
        ctxTarget(ctx).run.signal = mine.signal
        await ctx.manager.next()
      }),
      stepOf('see', see),
      stepOf('end', () => mine.abort()),
      stepOf('never', see),
    ]
    expect(await runWith(steps, () => 1, { options: { signal: host.signal } })).toBe('RUN_ABORTED')
    expect(seen).toEqual([false, false, false])
    const before = stepOf('sees it ended', async one => {
      await one.manager.next()
      return ctxTarget(one).run.signal.aborted
    })
    const ending = stepOf('ends it itself', async one => {
      ctxTarget(one).run.signal = AbortSignal.timeout(1)
      await one.manager.next()
    })
    expect(await runWith([before, ending], () => tick(10))).toBe(false)
    const { ctx, run } = runOf(
      [
        stepOf('set and go on', one => {
          ctxTarget(one).run.signal = new AbortController().signal
        }),
      ],
      one => {
        host.abort()
        return one.run.signal.aborted
      },
      { options: { signal: host.signal } },
    )
    expect(await run()).toBe(true)
    expect(ctx.run.signal.aborted).toBe(true)
  })

  it('that end with an error of ours throw it', async () => {
    const reason = Object.assign(new Error('slow'), {
      [Symbol.for('agent-apps.error')]: true,
      code: 'TOOL_TIMEOUT',
    })
    const run = runWith([], () => 1, { options: { signal: AbortSignal.abort(reason) } })
    await expect(run).rejects.toBe(reason)
  })

  it('and ids and all else are made only where they are read', async () => {
    const controller = vi.spyOn(globalThis, 'AbortController')
    const ids = vi.spyOn(crypto, 'randomUUID')
    const create = vi.spyOn(Object, 'create')
    chains.set('tool', [stepOf('a', async ctx => void (await ctx.manager.next()))])
    const globals = globalsWith({ tool: ctx => ctx.manager.invoke('inner'), inner: () => 1 })
    await call(globals)
    expect([controller, ids, create].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0])
    vi.restoreAllMocks()
    registerTool(globals, {
      name: 'tool',
      fn: ctx => [(ctx as Context).run.signal, (ctx as Context).run.id] as never,
    })
    const [signal, id] = (await call(globals)) as [AbortSignal, string]
    expect(signal.aborted).toBe(false)
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('depth', () => {
  it('is limited, and the error says who called whom', async () => {
    const globals = globalsWith({
      a: ctx => ctx.manager.invoke('b'),
      b: ctx => ctx.manager.invoke('a'),
      count: ctx => (ctx.envelope.depth < 63 ? ctx.manager.invoke('count') : ctx.envelope.depth),
    })
    const failure = await call(globals, 'a').catch((error: Error) => error)
    expect(failure).toMatchObject({ code: 'DEPTH_EXCEEDED', tool: 'a' })
    expect((failure as Error).message).toContain('more than 64 deep: a → b → a')
    expect(await call(globals, 'count')).toBe(63)
    globals.config.maxDepth = 2
    await expect(call(globals, 'a')).rejects.toThrow('more than 2 deep: a → b → a.')
  })

  it('counts tools that delegate to each other', async () => {
    const dir = temporary()
    const skill = (name: string, delegate: string): void => {
      mkdirSync(join(dir, name))
      writeFileSync(
        join(dir, name, 'SKILL.md'),
        `---\nname: ${name}\ndescription: x\nmetadata:\n  delegate: ${delegate}\n---\n`,
      )
    }
    skill('one', 'two')
    skill('two', '../one/SKILL.md')
    const runtime = createRuntime({ paths: [dir], library: false, maxDepth: 3 })
    await expect(runtime.invoke('one')).rejects.toThrow('more than 3 deep: one → two → one → two.')
  })

  it('a delegate that is a tool runs through its own chain and params', async () => {
    const dir = temporary()
    writeFileSync(
      join(dir, 'one.skill.md'),
      '---\nname: one\ndescription: x\nmetadata:\n  delegate: two\n---\n',
    )
    writeFileSync(join(dir, 'two.skill.md'), '---\nname: two\ndescription: x\n---\nTwo.')
    chains.set('two', [stepOf('loud', async ctx => `${await ctx.manager.next()}!`)])
    const runtime = createRuntime({ paths: [dir], library: false })
    expect(await runtime.invoke('one')).toBe('Two.!')
    await expect(runtime.invoke('one', { a: 1 })).rejects.toMatchObject({ code: 'ARGS_INVALID', tool: 'two' })
  })
})

describe('arguments', () => {
  it('are a copy that nobody changes; what the caller passed stays its own', async () => {
    const globals = globalsWith({
      tool: (ctx, args) => {
        const { list, map } = args as { list: unknown[]; map: { a?: number } }
        expect(() => list.push(3)).toThrow(TypeError)
        expect(() => Object.assign(map, { a: 1 })).toThrow(TypeError)
        expect(() => Object.assign(ctx, { args: 1 })).toThrow(TypeError)
        return ctx.args === args && args
      },
    })
    const date = new Date(0)
    const given: Record<string, unknown> = { list: [1, { x: 2 }], map: {}, date, run: call }
    const frozen = structuredClone({ list: [1, { x: 2 }], map: {} })
    const result = (await call(globals, 'tool', given)) as Record<string, unknown>
    expect(given).toMatchObject(frozen)
    Object.assign(given.map as object, { own: 1 })
    expect(result).toMatchObject(frozen)
    expect(result.map).toEqual({})
    expect([given, date].some(Object.isFrozen)).toBe(false)
    expect([result.date === date, result.run === call]).toEqual([true, true])
    for (const plain of [null, 1, 'text', [], {}]) {
      registerTool(globals, { name: 'any', fn: (_, args) => [args], params: {} })
      expect(await call(globals, 'any', plain)).toEqual([plain])
    }
  })

  it('with keys that could reach a prototype reach none', async () => {
    const globals = globalsWith({ tool: (_, args) => args })
    const given = JSON.parse(
      '{"a":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
    ) as object
    const result = (await call(globals, 'tool', given)) as { a: Record<string, unknown> }
    expect(Object.getPrototypeOf(result.a)).toBe(Object.prototype)
    expect(result.a.polluted).toBeUndefined()
    expect(JSON.stringify(result)).toBe(JSON.stringify(given))
  })
})

describe('the helpers', () => {
  it('read an invocation’s configuration before the runtime’s', async () => {
    const globals = globalsWith({
      tool: ctx => {
        const before = [ctxPaths(ctx as never), ctxCwd(ctx as never)]
        ctx.locals.config.paths = ['own']
        ctx.locals.config.cwd = '/own'
        return [...before, ctxPaths(ctx as never), ctxCwd(ctx as never)]
      },
    })
    Object.assign(globals.config, { paths: ['skills'] })
    expect(await call(globals)).toEqual([['skills'], process.cwd(), ['own'], '/own'])
  })

  it('serializeContext gives plain data', async () => {
    const globals = globalsWith({
      tool: ctx => {
        ctx.nonlocals.seen = ctx
        ctx.locals.fn = () => 1
        return ctx.manager.invoke('inner', { a: 1 }, { sessionId: 's' })
      },
      inner: ctx => {
        ctx.locals.deep = { a: { b: { c: 1 } } }
        ctx.locals.fn = () => 1
        ctx.locals.self = ctx.locals
        return serializeContext(ctx as never, 4)
      },
    })
    const result = (await call(globals)) as Record<string, Record<string, unknown>>
    expect(JSON.parse(JSON.stringify(result))).toEqual(result)
    expect(result).toMatchObject({
      args: { a: 1 },
      run: { tool: { name: 'inner' }, chain: [], index: 0, layer: 'programmatic' },
      locals: { deep: { a: { b: '[Object]' } }, self: '[Circular]' },
      envelope: { depth: 1, as: 'code', sessionId: 's', target: 'inner', caller: 'tool' },
    })
    expect('fn' in (result.locals ?? {})).toBe(false)
    expect(serializeContext(null as never)).toBeNull()
    expect(serializeContext({} as never)).toBeNull()
  })

  it('isToolResult', () => {
    const whole = { title: 't', metadata: {}, output: null }
    expect([whole, { ...whole, attachments: [] }].every(isToolResult)).toBe(true)
    const { output: _, ...without } = whole
    const none = [null, 'text', [], {}, without, { ...whole, title: 1 }, { ...whole, attachments: {} }]
    expect(none.some(isToolResult)).toBe(false)
  })
})

it('makeChain keeps hooks apart', () => {
  const steps = [stepOf('a', () => 1), stepOf('h', () => 1, { hook: ['$next', '$invoke'] })]
  const { entries, nextHooks, invokeHooks } = makeChain(steps)
  expect([entries, nextHooks, invokeHooks].map(all => all.map(({ name }) => name))).toEqual([
    ['a'],
    ['h'],
    ['h'],
  ])
})
