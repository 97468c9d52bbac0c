import { type Context, createRuntime, defineTool, registerTool } from 'agent-apps'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { HookTrigger } from '../../src/skill/metadata-keys.js'
import { times } from '../support/long.js'
import { type Body, runOf, runWith, stepOf } from '../support/run-with-chain.js'

/** What a middleware does, in words. Each may be written with or without `async`, where that makes sense. */
const BEHAVIOURS = [
  'go on',
  'stop',
  'throw',
  'next',
  'next, replace',
  'next, then throw',
  'next, catch',
  'next, catch, replace',
  'next twice',
] as const
type Behaviour = (typeof BEHAVIOURS)[number]

interface Part {
  behaviour: Behaviour
  isAsync: boolean
  hook?: readonly HookTrigger[] | undefined
}

interface Onion {
  steps: Part[]
  tool: { gives: 'value' | 'undefined' | 'error'; isAsync: boolean }
}

type Next = () => Promise<unknown>

/** Does what a part is to do. */
async function act(name: string, behaviour: Behaviour, next: Next, log: string[]): Promise<unknown> {
  switch (behaviour) {
    case 'go on':
      return undefined
    case 'stop':
      return `${name}'s`
    case 'throw':
      throw new Error(name)
    case 'next':
      log.push(`${name} sees ${await next()}`)
      return undefined
    case 'next, replace':
      return `${name}(${await next()})`
    case 'next, then throw':
      await next()
      throw new Error(name)
    case 'next, catch':
    case 'next, catch, replace': {
      const seen = await next().catch((error: Error & { code?: string }) => `!${error.code ?? error.message}`)
      log.push(`${name} sees ${seen}`)
      return behaviour === 'next, catch' ? undefined : `${name}(${seen})`
    }
    case 'next twice':
      await next()
      return next()
  }
}

/** The rules, as plainly as they can be written. */
async function model({ steps, tool }: Onion): Promise<string[]> {
  const log: string[] = []
  const named = steps.map((part, at) => ({ ...part, name: `m${at}` }))
  const entries = named.filter(({ hook }) => hook === undefined)
  const hooked = (trigger: HookTrigger) => named.filter(({ hook }) => hook?.includes(trigger))
  let result: unknown

  /** @returns whether what is further in has run or must not */
  const around = async (
    part: (typeof named)[number],
    mark: string,
    inside: () => Promise<boolean>,
    isEntry: boolean,
  ): Promise<boolean> => {
    log.push(`> ${part.name}${mark}`)
    let isCalled = false
    let isDone = true
    const value = await act(
      part.name,
      part.behaviour,
      async () => {
        if (isCalled) throw new Error('NEXT_TWICE')
        isCalled = true
        isDone = await inside()
        return result
      },
      log,
    )
    log.push(`< ${part.name}${mark}`)
    if (value !== undefined) {
      result = value
      return true
    }
    if (isCalled) return isDone
    return isEntry ? false : inside()
  }
  const entry =
    (at: number, hook = 0): (() => Promise<boolean>) =>
    async () => {
      const [around1, part] = [hooked('$next')[hook], entries[at]]
      if (around1) return around(around1, ` @${part?.name ?? 'tool'}`, entry(at, hook + 1), false)
      if (part)
        return around(
          part,
          '',
          async () => {
            await from(at + 1)
            return true
          },
          true,
        )
      log.push('tool')
      if (tool.gives === 'error') throw new Error('tool')
      if (tool.gives === 'value') result = 'R'
      return true
    }
  const from = async (at: number): Promise<void> => {
    if (!(await entry(at)()) && at < entries.length) await from(at + 1)
  }
  const all =
    (at: number): (() => Promise<boolean>) =>
    async () => {
      const hook = hooked('$invoke')[at]
      if (hook) return around(hook, ' @all', all(at + 1), false)
      await from(0)
      return true
    }
  return all(0)().then(
    () => [...log, `= ${result}`],
    (error: Error) => [...log, `! ${error.message}`],
  )
}

async function ours({ steps, tool }: Onion): Promise<string[]> {
  const log: string[] = []
  const body = (part: Part, name: string): Body => {
    const run: Body = async ctx => {
      const { hook } = ctx.run
      const mark = hook ? ` @${hook.trigger === '$invoke' ? 'all' : hook.target}` : ''
      log.push(`> ${name}${mark}`)
      const value = await act(name, part.behaviour, ctx.manager.next, log)
      log.push(`< ${name}${mark}`)
      return value
    }
    if (part.isAsync || part.behaviour.startsWith('next')) return run
    return ctx => {
      const { hook } = ctx.run
      const mark = hook ? ` @${hook.trigger === '$invoke' ? 'all' : hook.target}` : ''
      log.push(`> ${name}${mark}`)
      if (part.behaviour === 'throw') throw new Error(name)
      log.push(`< ${name}${mark}`)
      return part.behaviour === 'stop' ? `${name}'s` : undefined
    }
  }
  const chain = steps.map((part, at) =>
    stepOf(`m${at}`, body(part, `m${at}`), part.hook && { hook: part.hook }),
  )
  const give = (): unknown => {
    log.push('tool')
    if (tool.gives === 'error') throw new Error('tool')
    return tool.gives === 'value' ? 'R' : undefined
  }
  return runWith(chain, tool.isAsync ? async () => give() : give).then(
    result => [...log, `= ${result}`],
    (error: Error & { code?: string }) => [...log, `! ${error.code ?? error.message}`],
  )
}

const part: fc.Arbitrary<Part> = fc.record({
  behaviour: fc.constantFrom(...BEHAVIOURS),
  isAsync: fc.boolean(),
  hook: fc.constantFrom<(readonly HookTrigger[] | undefined)[]>(
    undefined,
    undefined,
    undefined,
    ['$next'],
    ['$invoke'],
    ['$next', '$invoke'],
  ),
})
/** Mostly such as go on, so that much is reached. */
const mildPart = part.map(one =>
  one.behaviour === 'throw' || one.behaviour === 'stop' ? { ...one, behaviour: 'go on' as const } : one,
)
const onion: fc.Arbitrary<Onion> = fc.record({
  steps: fc.array(fc.oneof({ weight: 4, arbitrary: mildPart }, part), { maxLength: 7 }),
  tool: fc.record({
    gives: fc.constantFrom('value' as const, 'value' as const, 'undefined' as const, 'error' as const),
    isAsync: fc.boolean(),
  }),
})

describe('the onion', () => {
  it('does what the model does, whatever the middlewares do', async () => {
    await fc.assert(
      fc.asyncProperty(onion, async one => {
        const expected = (await model(one)).map(line => line.replace(/ @(m\d+|tool|all)$/, ' @$1'))
        expect(await ours(one)).toEqual(expected)
      }),
      { numRuns: times(40, 100_000) },
    )
  })

  it('runs outside in, and back out', async () => {
    const steps: Part[] = [
      { behaviour: 'next, replace', isAsync: true },
      { behaviour: 'go on', isAsync: false },
      { behaviour: 'next', isAsync: true },
    ]
    expect(await ours({ steps, tool: { gives: 'value', isAsync: false } })).toEqual([
      '> m0',
      '> m1',
      '< m1',
      '> m2',
      'tool',
      'm2 sees R',
      '< m2',
      '< m0',
      '= m0(R)',
    ])
  })

  it('wraps every entry and the tool in its $next hooks, and none of them in another', async () => {
    const steps: Part[] = [
      { behaviour: 'next', isAsync: true, hook: ['$next'] },
      { behaviour: 'next', isAsync: true, hook: ['$next', '$invoke'] },
      { behaviour: 'go on', isAsync: true },
    ]
    const log = await ours({ steps, tool: { gives: 'value', isAsync: false } })
    expect(log.filter(line => line.startsWith('>') || line === 'tool')).toEqual([
      '> m1 @all',
      '> m0 @m2',
      '> m1 @m2',
      '> m2',
      '> m0 @tool',
      '> m1 @tool',
      'tool',
    ])
  })

  it('waits for nothing that is not a promise', () => {
    const steps = [stepOf('a', () => undefined), stepOf('b', () => undefined, { hook: ['$next', '$invoke'] })]
    expect(runOf(steps, () => 'at once').run()).toBe('at once')
  })

  it('may call next() again where it failed, and only there', async () => {
    const log: string[] = []
    const tries = (times: number) => async (ctx: Context) => {
      for (let attempt = 1; attempt < times; attempt++) {
        try {
          return void (await ctx.manager.next())
        } catch (error) {
          log.push(String(error))
        }
      }
      await ctx.manager.next()
      return undefined
    }
    let calls = 0
    const body = (): string => {
      calls++
      if (calls < 3) throw new Error(`${calls}`)
      return 'third'
    }
    const inner = stepOf('inner', ctx => ctx.manager.next().then(() => undefined))
    expect(await runWith([stepOf('retry', tries(3)), inner], body)).toBe('third')
    expect(log).toEqual(['Error: 1', 'Error: 2'])
    const twice = stepOf('twice', async ctx => {
      await ctx.manager.next()
      await ctx.manager.next()
    })
    await expect(runWith([twice], () => 'once')).rejects.toMatchObject({ code: 'NEXT_TWICE' })
  })

  it('leaves behind what still runs of a try that failed', async () => {
    const started: number[] = []
    const hangs: (() => void)[] = []
    const race = stepOf('race', async ctx => {
      const failing = started.length === 0 ? Promise.reject(new Error('late')) : new Promise(() => {})
      await Promise.race([ctx.manager.next(), failing])
    })
    const slow = stepOf('slow', async () => {
      started.push(started.length)
      if (started.length === 1) await new Promise<void>(resolve => hangs.push(resolve))
    })
    const again = stepOf('again', async ctx => {
      await ctx.manager.next().catch(() => ctx.manager.next())
    })
    let calls = 0
    expect(await runWith([again, race, slow], () => `call ${++calls}`)).toBe('call 1')
    for (const end of hangs) end()
    await new Promise(setImmediate)
    expect({ started, calls }).toEqual({ started: [0, 1], calls: 1 })
  })
})

it('a tool does not start whose call was aborted while its schema checked the arguments', async () => {
  const runtime = createRuntime({ paths: [] })
  const controller = new AbortController()
  const started = vi.fn()
  const abort = async (): Promise<boolean> => {
    controller.abort()
    return true
  }
  const params = z.object({}).refine(abort)
  await registerTool(runtime.globals, defineTool({ name: 'checked', params, execute: started }))
  await expect(runtime.invoke('checked', {}, { signal: controller.signal })).rejects.toMatchObject({
    code: 'RUN_ABORTED',
  })
  expect(started).not.toHaveBeenCalled()
})
