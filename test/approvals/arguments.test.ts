import { createRuntime, type RegisterToolOptions, registerTool } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { asking, code } from '../support/asking.js'
import { oneIn, some } from '../support/long.js'
import { runtimeWith } from '../support/registered-runtime.js'

const echo: { fn: RegisterToolOptions['fn'] } = { fn: (_, args) => args }

class Command {
  run = 'ls'
}

function circle(): object {
  const one: Record<string, unknown> = {}
  one.self = one
  return one
}

/** 2^40 values, were it written out. */
function doubled(): object {
  let value: object = {}
  for (let level = 0; level < 40; level++) value = { left: value, right: value }
  return value
}

describe('the arguments of an agent’s call', () => {
  it.each(
    oneIn(3, [
      ['a function', { a: () => 1 }, 'hold function at "a"'],
      ['a method toJSON', { toJSON: () => 'ls' }, 'hold function at "toJSON"'],
      ['an instance of a class', { a: [new Command()] }, 'hold Command at "a.0"'],
      ['a date', { a: new Date(0) }, 'hold Date at "a"'],
      ['a map', new Map(), 'hold Map'],
      ['a symbol', { a: Symbol('a') }, 'hold symbol at "a"'],
      ['a bigint', { a: 1n }, 'hold 1n at "a"'],
      ['NaN', { a: Number.NaN }, 'hold NaN at "a"'],
      ['an array with a hole', { a: new Array(2) }, 'hold undefined at "a.0"'],
      ['an object that holds itself', circle(), 'hold a circular reference at "self"'],
      ['an object without end', doubled(), 'hold more than 1000000 values'],
      [
        'a getter',
        {
          get command() {
            return 'ls'
          },
        },
        'hold a getter',
      ],
      [
        'a getter of an array',
        { a: Object.defineProperty([1], 0, { get: () => 1, enumerable: true }) },
        'hold a getter',
      ],
    ]),
  )('may not hold %s', async (_, args, why) => {
    const runtime = runtimeWith({ echo })
    const refused = {
      code: 'ARGS_INVALID',
      message: expect.stringContaining(`The arguments of "echo" ${why}`),
    }
    const ways = [
      () => runtime.invoke('echo', args, { as: 'agent' }),
      () => runtime.forAgent().authorize('echo', args),
      () => runtime.forAgent().invoke('echo', args),
    ]
    // A million values take a while to be counted.
    for (const way of some(ways, why.includes('1000000') ? 1 : ways.length))
      await expect(way()).rejects.toMatchObject(refused)
  })

  it('are plain JSON that stays as it is, and what is undefined is left out', async () => {
    const agent = runtimeWith({ echo }).forAgent()
    const odd = JSON.parse('{"__proto__":{"a":1},"constructor":null,"b":[[]]}')
    expect(await agent.invoke('echo', odd)).toEqual(odd)
    expect(Object.hasOwn((await agent.invoke('echo', odd)) as object, '__proto__')).toBe(true)
    expect(Object.keys((await agent.invoke('echo', { a: undefined, b: 1 })) as object)).toEqual(['b'])
    expect(await agent.invoke('echo', Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 })
  })

  it('of code stay the caller’s, whatever they hold', async () => {
    const command = new Command()
    expect(await runtimeWith({ echo }).invoke('echo', { command })).toEqual({ command })
  })

  it('are read once: a proxy that answers differently later runs what was approved', async () => {
    let reads = 0
    const proxy = new Proxy(
      { command: 'ls' },
      { get: (target, key) => (key === 'command' && reads++ > 0 ? 'rm -rf /' : Reflect.get(target, key)) },
    )
    const { runtime, requests } = asking({ bash: { ...echo, gated: true } }, ['allow-once'])
    expect(await runtime.forAgent().invoke('bash', proxy)).toEqual({ command: 'ls' })
    expect(requests[0]?.args).toEqual({ command: 'ls' })
    expect(reads).toBe(1)
  })

  it('are not swapped by middleware, nor by the host that is asked', async () => {
    const swaps: RegisterToolOptions['fn'] = async ctx => {
      const { target } = ctx.envelope
      const given = target.args as { command: string }
      expect(() => {
        given.command = 'rm -rf /'
      }).toThrow(TypeError)
      expect(() => Object.assign(target, { args: { command: 'rm -rf /' } })).toThrow(TypeError)
    }
    const runtime = createRuntime({
      paths: [],
      library: false,
      interact: request => {
        expect(() => Object.assign(request, { args: { command: 'rm' } })).toThrow(TypeError)
        expect(() => Object.assign((request as { args: object }).args, { command: 'rm' })).toThrow(TypeError)
        return 'allow-once'
      },
    })
    registerTool(runtime.globals, { name: 'swap', role: 'middleware', fn: swaps })
    registerTool(runtime.globals, {
      name: 'bash',
      gated: true,
      params: { type: 'object' },
      metadata: { swap: true },
      ...echo,
    })
    expect(await runtime.forAgent().invoke('bash', { command: 'ls' })).toEqual({ command: 'ls' })
  })

  it('are the tool’s own copy, at each try', async () => {
    const seen: unknown[] = []
    const runtime = createRuntime({ paths: [], library: false })
    registerTool(runtime.globals, {
      name: 'twice',
      role: 'middleware',
      fn: async ctx => {
        await ctx.manager.next().catch(() => {})
        return ctx.manager.next()
      },
    })
    registerTool(runtime.globals, {
      name: 'pops',
      params: { type: 'object' },
      metadata: { twice: true },
      fn: (_, args) => {
        const { list } = args as { list: number[] }
        seen.push([...list])
        list.pop()
        if (seen.length === 1) throw new Error('again')
        return 'done'
      },
    })
    expect(await code(runtime.forAgent().invoke('pops', { list: [1, 2] }))).toBe('done')
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
    ])
  })
})
