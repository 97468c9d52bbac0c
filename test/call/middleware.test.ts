import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type AgentAppsError,
  type Context,
  createRuntime,
  type InvokeOptions,
  type JsonObject,
  type Runtime,
  registerTool,
} from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { around, bothWays, code, type Outcome, text, threeWays, worker } from '../support/cascade-project.js'
import { askKept, endKept } from '../support/kept-processes.js'
import { isLong, some } from '../support/long.js'
import { deployRuntime } from '../support/processes.js'
import { makeTree } from '../support/tree.js'

declare global {
  var isBroken: boolean
}

type Body = (ctx: Context, args: unknown) => unknown

interface Tool {
  runtime: Runtime
  call: (options?: InvokeOptions, args?: unknown) => Promise<unknown>
}

/** A tool of a program's own with metadata that names the library's middleware. */
function tool(metadata: JsonObject, body: Body): Tool {
  const runtime = createRuntime({ paths: [], freshness: 'trust' })
  registerTool(runtime.globals, {
    name: 'tool',
    metadata,
    params: { type: 'object' },
    fn: body,
  })
  return { runtime, call: (options, args) => runtime.invoke('tool', args, options) }
}

const sleep = (ms: number): Promise<void> => new Promise(done => setTimeout(done, ms))
const flaky = (failures: number, error: object): { body: Body; times: number[] } => {
  const times: number[] = []
  const body = () => {
    times.push(performance.now())
    if (times.length <= failures) throw Object.assign(new Error('flaky'), error)
    return `after ${times.length}`
  }
  return { body, times }
}

describe('the library’s middleware', () => {
  it('comes from its index', async () => {
    const { runtime, call } = tool(
      { timeout: 1000, retry: 2, limit: 5, state: true, trace: true },
      () => 'result',
    )
    expect(await call()).toBe('resul\n[Cut: 5 of 6 characters.]')
    expect((await runtime.explain('tool')).chain.map(({ name, mode, hook }) => [name, mode, hook])).toEqual([
      ['timeout', 'dynamic', undefined],
      ['retry', 'dynamic', undefined],
      ['limit', 'dynamic', undefined],
      ['state', 'dynamic', undefined],
      ['trace', 'static', ['$next']],
    ])
    expect(runtime.stats()).toMatchObject({ parser: 'unused', via: { disk: 0 } })
  })

  it.each(['timeout', 'retry', 'limit', 'state', 'trace'])(
    '%s does nothing where it is false',
    async name => {
      const { call } = tool({ [name]: false }, ctx => Object.keys(ctx.locals))
      expect(await call()).toEqual(['result', 'config'])
    },
  )

  it.each([
    ['timeout', [0, -1, 'soon', true, 2 ** 31, {}]],
    ['retry', [0, 'often', { attempts: 1.5 }, { delay: -1 }]],
    ['limit', [0, 1.5, '5', true, {}]],
  ] as const)('%s says what it takes', async (name, wrong) => {
    for (const config of wrong) {
      const { call } = tool({ [name]: config as JsonObject }, () => 'x')
      await expect(call(), JSON.stringify(config)).rejects.toMatchObject({
        code: 'MIDDLEWARE_CONFIG',
        tool: 'tool',
        message: expect.stringMatching(
          `^The middleware "${name}" of "tool" cannot use its configuration: .${name}. is n`,
        ),
        cause: expect.objectContaining({ tool: name }),
      })
    }
  })

  it('says where a wrong configuration is written, compiled and from disk', async () => {
    const throwing = code(
      'own',
      { role: 'middleware', $inherit: false },
      `throw Object.assign(new Error('No.'), { code: 'MIDDLEWARE_CONFIG', hint: 'Yes.', [Symbol.for('agent-apps.error')]: true })`,
    )
    const cwd = makeTree({
      'package.json': '{"type":"module"}\n',
      'skills/SKILL.md':
        '---\nname: main\ndescription: x\nmetadata:\n  role: main\n  $local:\n    retry: often\n---\n',
      'skills/own.skill.js': throwing,
      'skills/a.skill.md': '---\nname: a\ndescription: x\nmetadata:\n  timeout: soon\n  retry: 1\n---\n',
      'skills/b.skill.md': '---\nname: b\ndescription: x\n---\n',
      'skills/c.skill.md':
        '---\nname: c\ndescription: x\nmetadata:\n  trace: true\n  retry: 1\n  own: 1\n---\n',
      'skills/inner.skill.js': around('inner'),
      'skills/d.skill.md': '---\nname: d\ndescription: x\nmetadata:\n  retry: 1\n  inner: 1\n---\n',
    })
    const told = async (freshness: 'check' | 'trust'): Promise<unknown[]> => {
      const runtime = createRuntime({ paths: ['skills'], cwd, freshness })
      return Promise.all(
        ['a', 'b', 'c', 'd'].map(async name => {
          const { message, tool, hint, file, position } = (await runtime
            .invoke(name)
            .catch(error => error)) as AgentAppsError
          return [tool, message, hint, file?.slice(cwd.length + 1), position?.line]
        }),
      )
    }
    const wrong = 'cannot use its configuration:'
    const expected = [
      [
        'a',
        `The middleware "timeout" of "a" ${wrong} \`timeout\` is not a number of milliseconds.`,
        'Write `timeout: 5000`, or `timeout: false` for none.',
        'skills/a.skill.md',
        5,
      ],
      [
        'b',
        expect.stringContaining(`The middleware "retry" of "b" ${wrong} \`retry\` is not a number`),
        expect.any(String),
        'skills/SKILL.md',
        7,
      ],
      ['c', `The middleware "own" of "c" ${wrong} No.`, 'Yes.', 'skills/c.skill.md', 7],
      [
        'inner',
        expect.stringMatching(/^The middleware "retry" of "inner"/),
        expect.any(String),
        'skills/SKILL.md',
        7,
      ],
    ]
    expect(await told('check')).toEqual(expected)
    await compile({ cwd, paths: ['skills'] })
    expect(await told('trust')).toEqual(expected)
  })

  it('runs the same compiled and from disk', { tags: 'long' }, async () => {
    const [{ disk, index } = {} as never] = await bothWays([
      {
        tree: {
          'skills/m.skill.js': around('m', { $inherit: false }),
          'skills/t.skill.js': worker(
            't',
            { limit: 3, m: 1, retry: { attempts: 2, delay: 1 } },
            `
            globalThis.tries = (globalThis.tries ?? 0) + 1
            if (globalThis.tries % 2 === 1) throw Object.assign(new Error('once'), { retryable: true })
            return 'a long result'`,
          ),
          'skills/late.skill.js': worker(
            'late',
            { timeout: 400 },
            'await new Promise(done => setTimeout(done, 1000))',
          ),
        },
        calls: [['t'], ['late']],
      },
    ])
    expect(disk.results).toEqual([
      { name: 't', calls: ['> m 1', 't', 't', '< m'], result: 'a l\n[Cut: 3 of 13 characters.]' },
      {
        name: 'late',
        calls: ['late'],
        code: 'TOOL_TIMEOUT',
        message: '"late" did not finish within 400 ms.',
      },
    ])
    expect(index.results).toEqual(disk.results)
    expect(index).toMatchObject({ cascadesComputed: 0, parser: 'unused', via: { disk: 0 } })
  })
})

describe('the schemas of a call', () => {
  it('are known to everything around the tool, and the result is held against the same', async () => {
    const see = `const { params, returns } = ctx.envelope.target.run.tool
      say(JSON.stringify([params, returns]))`
    const object = { type: 'object' }
    const number = { type: 'number' }
    const ways = await threeWays({
      tree: {
        'skills/see.skill.js': code('see', { role: 'middleware', $hook: ['$invoke'] }, see),
        'skills/loosen.skill.js': code(
          'loosen',
          { role: 'middleware' },
          'ctx.envelope.target.run.tool.returns = {}',
        ),
        'skills/structured.skill.js': code(
          'structured',
          { limit: 5, returns: object },
          `return { text: 'a long result' }`,
        ),
        'skills/own.skill.js': code(
          'own',
          { see: true, params: object, returns: number },
          'return args.give',
        ),
        'skills/base.skill.md': text('base', {
          params: object,
          returns: number,
          $public: ['params', 'returns'],
        }),
        'skills/heir.skill.js': code('heir', { $inherit: 'base', see: true }, 'return args.give'),
        'skills/later.skill.js': code(
          'later',
          {
            see: true,
            loosen: true,
            params: { $resolve: 'run.tool.def.frontmatter.metadata.takes' },
            takes: object,
            returns: { $resolve: 'args.gives' },
          },
          `args.give === undefined && delete ctx.run.tool.returns\nreturn args.give`,
        ),
      },
      calls: [
        ['structured'],
        ['own', { give: 1 }],
        ['heir', { give: 1 }],
        ['later', { gives: number, give: 1 }],
        ['later', { gives: number, give: 'text' }],
        ['later', { gives: number }],
      ],
    })
    const calls = [JSON.stringify([object, number])]
    const invalid = (found: string) => ({
      name: 'later',
      calls,
      code: 'RESULT_INVALID',
      message: `The result of "later" is invalid: must be a number, not ${found}`,
    })
    for (const { results } of ways) {
      expect(results).toEqual([
        { name: 'structured', calls: [], result: { text: 'a long result' } },
        { name: 'own', calls, result: 1 },
        { name: 'heir', calls, result: 1 },
        { name: 'later', calls, result: 1 },
        invalid('"text"'),
        invalid('nothing'),
      ])
    }
  })
})

describe('the schema of a result', () => {
  const RETURNS = { type: 'object', required: ['status'] }
  const tree = {
    'skills/single.skill.md': text('single', { returns: RETURNS }),
    'skills/folder/SKILL.md': text('folder', { returns: RETURNS, trace: true }),
    'skills/inline.skill.md': text('inline', {
      returns: RETURNS,
      delegate: 'inline://markdown,---\nname: x\n---\nSome text.',
    }),
    'skills/asks.skill.js': code('asks', { role: 'middleware' }, 'return args.gives'),
    'skills/asked.skill.md': text('asked', { returns: RETURNS, asks: { gives: { status: 'done' } } }),
    'skills/wrong.skill.md': text('wrong', { returns: RETURNS, asks: { gives: { state: 'done' } } }),
    'skills/prose.skill.md': text('prose', { returns: RETURNS, asks: { gives: 'Prose.' } }),
    'skills/module.skill.md': text('module', { returns: RETURNS, delegate: './module.js' }),
    'skills/module.js': `export default () => 'text'\n`,
    'skills/code.skill.js': code('code', { returns: RETURNS }, `return 'text'`),
    'skills/base.skill.md': text('base', { delegate: './module.js' }),
    'skills/heir.skill.md': text('heir', { returns: RETURNS, $inherit: 'base' }),
  }

  it('is held against what a delegate, code or an agent gives, and never against a text', async () => {
    const names = Object.keys(tree).flatMap(file => /(\w+)(?:\.skill\.|\/SKILL)/.exec(file)?.[1] ?? [])
    const called = names.filter(name => name !== 'asks' && name !== 'base')
    const ways = await threeWays({ tree, calls: called.map(name => [name]) })
    const text = '"text"'
    const notObject = 'must be an object, not'
    for (const { results } of ways) {
      expect(results.map(({ name, result, code, message }) => [name, result ?? code, message])).toEqual([
        ['single', 'Do single.\n', undefined],
        ['folder', 'Do folder.\n', undefined],
        ['inline', 'Some text.', undefined],
        ['asked', { status: 'done' }, undefined],
        [
          'wrong',
          'RESULT_INVALID',
          'The result of "wrong" is invalid: status is missing: expected something',
        ],
        ['prose', 'Prose.', undefined],
        ['module', 'RESULT_INVALID', `The result of "module" is invalid: ${notObject} ${text}`],
        ['code', 'RESULT_INVALID', `The result of "code" is invalid: ${notObject} ${text}`],
        ['heir', 'RESULT_INVALID', `The result of "heir" is invalid: ${notObject} ${text}`],
      ])
    }
  })

  it('does not keep an agent from opening a skill', async () => {
    const cwd = makeTree({ 'package.json': '{"type":"module"}\n', ...tree })
    for (const freshness of ['check', 'trust'] as const) {
      if (freshness === 'trust') await compile({ cwd, paths: ['skills'] })
      const agent = createRuntime({ cwd, paths: ['skills'], freshness }).forAgent()
      expect(await agent.invoke('folder')).toMatchObject({ content: 'Do folder.\n' })
    }
  })

  it('is not a type of a text in a bundle', { tags: 'long' }, async () => {
    const cwd = makeTree({ 'package.json': '{"type":"module"}\n', ...tree })
    await compile({ cwd, paths: ['skills'], bundle: join(cwd, 'agent.mjs') })
    const types = readFileSync(join(cwd, 'agent.d.mts'), 'utf8')
    const result = (name: string) => new RegExp(`"${name}": \\{ args: .*; result: (.*) \\}`).exec(types)?.[1]
    expect(['single', 'folder', 'asked', 'module'].map(result)).toEqual([
      'string',
      'unknown',
      'unknown',
      expect.stringContaining('status'),
    ])
  })
})

describe('timeout', () => {
  it.each(some(['compiled', 'from disk']))('does not count the importing of a tool’s code, %s', async how => {
    const slow = `await new Promise(done => setTimeout(done, 300))\n`
    const cwd = makeTree({
      'package.json': '{"type":"module"}\n',
      'skills/slow.skill.js': slow + code('slow', { timeout: 150 }, `return 'slow'`),
      'skills/bad.skill.js': `if (globalThis.isBroken) throw new Error('broken')\n${code('bad', { timeout: 300, again: true }, '')}`,
      'skills/again.skill.js': code(
        'again',
        { role: 'middleware' },
        `try { await ctx.manager.next() } catch (error) { return 'caught ' + error.message }`,
      ),
    })
    if (how === 'compiled') await compile({ cwd, paths: ['skills'] })
    const runtime = createRuntime({ cwd, paths: ['skills'] })
    expect(await runtime.invoke('slow')).toBe('slow')
    // What cannot be imported is thrown where the tool runs.
    globalThis.isBroken = true
    expect(await runtime.invoke('bad')).toMatch(/^caught .*broken/)
  })

  it('ends a call, aborts its signal, and takes no late result', async () => {
    let signal: AbortSignal | undefined
    let finished = false
    const { call } = tool({ timeout: { ms: 15 } }, async ctx => {
      signal = ctx.run.signal
      await sleep(40)
      finished = true
      return 'late'
    })
    await expect(call()).rejects.toMatchObject({ code: 'TOOL_TIMEOUT', tool: 'tool' })
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ code: 'TOOL_TIMEOUT' })
    await sleep(40)
    expect(finished).toBe(true)
  })

  it('leaves a call alone that is in time, with its result and error', async () => {
    let signal: AbortSignal | undefined
    const { call } = tool({ timeout: 1000 }, ctx => {
      signal = ctx.run.signal
      return 'in time'
    })
    expect(await call()).toBe('in time')
    expect(signal?.aborted).toBe(false)
    await expect(tool({ timeout: 1000 }, () => Promise.reject(new Error('own'))).call()).rejects.toThrow(
      'own',
    )
  })

  it('ends what the tool called, too', async () => {
    const { runtime, call } = tool({ timeout: 15 }, ctx => ctx.manager.invoke('inner'))
    let inner: AbortSignal | undefined
    registerTool(runtime.globals, {
      name: 'inner',
      fn: async ctx => {
        inner = (ctx as Context).run.signal
        await sleep(40)
      },
    })
    await expect(call()).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(inner?.aborted).toBe(true)
  })

  it('starts nothing more once it is over', async () => {
    const started: string[] = []
    const { runtime, call } = tool({ timeout: 15, slow: true }, () => void started.push('tool'))
    registerTool(runtime.globals, { name: 'slow', role: 'middleware', fn: () => sleep(40) })
    await expect(call()).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' })
    await sleep(50)
    expect(started).toEqual([])
  })
})

describe('retry', () => {
  it('tries again what is retryable, waiting longer each time', async () => {
    const { body, times } = flaky(9, { retryable: true })
    const { call } = tool({ retry: { attempts: 10, delay: 5, most: 12 } }, body)
    expect(await call()).toBe('after 10')
    const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0))
    const least = [4, 9]
    expect(waits.every((wait, at) => wait >= (least[at] ?? 11))).toBe(true)
    // Without `most` the last wait alone would take 1,280 ms.
    expect(waits.at(-1)).toBeLessThan(640)
  })

  it('gives up with the last error', async () => {
    const { body, times } = flaky(9, { retryable: true, code: 'BUSY' })
    await expect(tool({ retry: { attempts: 3, delay: 1 } }, body).call()).rejects.toMatchObject({
      code: 'BUSY',
    })
    expect(times).toHaveLength(3)
  })

  it('tries nothing again that is not retryable', async () => {
    for (const error of [{}, { retryable: 'yes' }, { retryable: false }]) {
      const { body, times } = flaky(9, error)
      await expect(tool({ retry: 5 }, body).call()).rejects.toThrow('flaky')
      expect(times).toHaveLength(1)
    }
  })

  it('ends its waiting with the signal', async () => {
    const { body, times } = flaky(9, { retryable: true })
    const controller = new AbortController()
    const call = tool({ retry: { attempts: 3, delay: 5000 } }, body).call({ signal: controller.signal })
    while (times.length === 0) await sleep(1)
    controller.abort()
    await expect(call).rejects.toThrow()
    expect(times).toHaveLength(1)
  })

  it('does not try again what ran out of its time', async () => {
    let tries = 0
    const { call } = tool({ retry: { attempts: 3, delay: 1 }, timeout: 10 }, () => sleep(30 + ++tries))
    await expect(call()).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(tries).toBe(1)
  })

  it('tries again what ran out of its time, where a middleware says so', async () => {
    let tries = 0
    const { runtime, call } = tool(
      { retry: { attempts: 3, delay: 1 }, again: true, timeout: 20 },
      async ctx => {
        const own = ++tries
        const { signal } = ctx.run
        if (own < 3) await sleep(50)
        return `try ${own} ${signal.aborted}`
      },
    )
    registerTool(runtime.globals, {
      name: 'again',
      role: 'middleware',
      fn: async ctx => {
        try {
          await (ctx as Context).manager.next()
        } catch (error) {
          throw Object.assign(error as Error, { retryable: true })
        }
      },
    })
    expect(await call()).toBe('try 3 false')
    await sleep(60)
    expect(tries).toBe(3)
  })

  it('lets timeout end it all, where that is further out', async () => {
    const { body } = flaky(99, { retryable: true })
    const { call } = tool({ timeout: 30, retry: { attempts: 99, delay: 10, most: 10 } }, body)
    await expect(call()).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' })
  })
})

describe('limit', () => {
  const limited = (limit: number, result: unknown): Promise<unknown> => tool({ limit }, () => result).call()

  it('cuts text and says so', async () => {
    expect(await limited(4, 'four')).toBe('four')
    expect(await limited(4, 'fives')).toBe('five\n[Cut: 4 of 5 characters.]')
    expect(await limited(4, undefined)).toBe(undefined)
  })

  it('cuts the output of a structured result alone', async () => {
    const result = { title: 'A long title', metadata: { much: 'data' }, output: 'abcdef' }
    expect(await limited(6, result)).toBe(result)
    expect(await limited(3, result)).toEqual({ ...result, output: 'abc\n[Cut: 3 of 6 characters.]' })
    expect(result.output).toBe('abcdef')
  })

  it('counts what is not text as JSON', async () => {
    const list = [1, 2, 3]
    expect(await limited(7, list)).toBe(list)
    expect(await limited(3, list)).toBe('[1,\n[Cut: 3 of 7 characters.]')
    expect(await limited(2, 12345)).toBe('12\n[Cut: 2 of 5 characters.]')
  })

  it('cuts no character in two', async () => {
    expect(await limited(2, 'a😀b')).toBe('a\n[Cut: 1 of 4 characters.]')
    expect(await limited(3, 'a😀b')).toBe('a😀\n[Cut: 3 of 4 characters.]')
    expect(await limited(1, '😀')).toBe('\n[Cut: 0 of 2 characters.]')
  })
})

describe('state', () => {
  const counter = (config: JsonObject | true = true): Tool =>
    tool({ state: config }, ({ locals }) => {
      const state = locals.state as { count?: number }
      state.count = (state.count ?? 0) + 1
      return state.count
    })

  it('lasts over the calls of a session, and not of another', async () => {
    const { call } = counter()
    expect([
      await call({ sessionId: 'a' }),
      await call({ sessionId: 'a' }),
      await call({ sessionId: 'b' }),
    ]).toEqual([1, 2, 1])
    expect([await call(), await call()]).toEqual([1, 1])
    expect(await call({ sessionId: '__proto__' })).toBe(1)
  })

  it('is each tool’s own, and each runtime’s', async () => {
    const { runtime, call } = counter()
    registerTool(runtime.globals, {
      name: 'other',
      metadata: { state: true },
      fn: ctx => Object.keys((ctx as Context).locals.state as object),
    })
    await call({ sessionId: 'a' })
    expect(await runtime.invoke('other', {}, { sessionId: 'a' })).toEqual([])
    expect(await counter().call({ sessionId: 'a' })).toBe(1)
  })

  it('begins with what is configured, which it does not change', async () => {
    const { runtime, call } = counter({ count: 5, deep: { list: [] } })
    expect([
      await call({ sessionId: 'a' }),
      await call({ sessionId: 'a' }),
      await call({ sessionId: 'b' }),
    ]).toEqual([6, 7, 6])
    expect((await runtime.explain('tool')).chain[0]?.args).toEqual({ count: 5, deep: { list: [] } })
  })

  it('forgets the session that was used least recently, past a thousand', { tags: 'long' }, async () => {
    const { call } = counter()
    for (let session = 0; session < 1000; session++) await call({ sessionId: `s${session}` })
    expect(await call({ sessionId: 's0' })).toBe(2)
    await call({ sessionId: 'one more' })
    expect(await call({ sessionId: 's0' })).toBe(3)
    expect(await call({ sessionId: 's1' })).toBe(1)
  })
})

describe('trace', () => {
  interface Entry {
    name: string
    tool: string
    start: number
    duration: number
    error?: string
  }

  const traceOf = (ctx: Context | undefined): Entry[] => ctx?.locals.trace as Entry[]

  it('keeps what each entry and the tool took, from inside out', async () => {
    let ctx: Context | undefined
    const { runtime, call } = tool({ trace: true, outer: 1, limit: 99 }, async own => {
      ctx = own
      await sleep(10)
      return 'result'
    })
    registerTool(runtime.globals, { name: 'outer', role: 'middleware', fn: () => undefined })
    expect(await call()).toBe('result')
    const entries = traceOf(ctx)
    expect(entries.map(({ name, tool: of }) => [name, of])).toEqual([
      // It ended before what is further in began.
      ['outer', 'tool'],
      ['tool', 'tool'],
      ['limit', 'tool'],
    ])
    expect(entries.every(({ start, duration }) => start > 1e12 && duration >= 0)).toBe(true)
    const [, own = 0, limit = 0] = entries.map(({ duration }) => duration)
    expect(own).toBeGreaterThanOrEqual(9)
    expect(limit).toBeGreaterThanOrEqual(own)
  })

  it('keeps errors, which go on', async () => {
    let ctx: Context | undefined
    const { call } = tool({ trace: true, limit: 9 }, own => {
      ctx = own
      throw new TypeError('no')
    })
    await expect(call()).rejects.toThrow(TypeError)
    expect(traceOf(ctx).map(({ name, error }) => [name, error])).toEqual([
      ['tool', 'no'],
      ['limit', 'no'],
    ])
  })

  it('makes spans where OpenTelemetry is installed, each in the one around it', async () => {
    const cwd = makeTree({
      'package.json': '{"type":"module"}\n',
      'skills/m.skill.js': around('m', { $inherit: false }),
      'skills/t.skill.js': worker('t', { trace: true, m: 1 }),
      'skills/bad.skill.js': code('bad', { trace: true }, `throw new Error('no')`),
    })
    await compile({ cwd, paths: ['skills'] })
    const script = deployRuntime(fileURLToPath(new URL('../support/run-skills.mjs', import.meta.url)))
    const job = { ask: 'chains', cwd, paths: ['skills'], freshness: 'trust', calls: [['t'], ['bad']] }
    if (isLong) {
      const [without] = await askKept<Outcome>(script, [job])
      expect(without?.results[0]?.calls).toEqual(['> m 1', 't', '< m'])
      endKept(script)
    }
    install(dirname(script))
    const [withSpans] = await askKept<Outcome>(script, [job])
    expect(withSpans?.results.map(({ calls }) => calls)).toEqual([
      ['tracer agent-apps', 'start m of t', '> m 1', 'start t of t', 't', 'end t', '< m', 'end m'],
      ['start bad of bad', 'exception no', 'status 2 no', 'end bad'],
    ])
    expect(withSpans?.results.map(({ result, message }) => result ?? message)).toEqual(['t', 'no'])
  })

  it.runIf(isLong)('does without an OpenTelemetry that cannot be loaded', async () => {
    const cwd = makeTree({
      'package.json': '{"type":"module"}\n',
      'skills/t.skill.js': worker('t', { trace: true }),
    })
    await compile({ cwd, paths: ['skills'] })
    const script = deployRuntime(fileURLToPath(new URL('../support/run-skills.mjs', import.meta.url)))
    install(dirname(script), 'throw new Error("broken")\n')
    const [answer] = await askKept<Outcome>(script, [
      { ask: 'chains', cwd, paths: ['skills'], freshness: 'trust', calls: [['t']] },
    ])
    expect(answer?.results[0]).toMatchObject({ calls: ['t'], result: 't' })
  })

  /** Puts a package of OpenTelemetry's name into an application, which says what is asked of it. */
  function install(app: string, text = STUB): void {
    const home = join(app, 'node_modules/@opentelemetry/api')
    mkdirSync(home, { recursive: true })
    writeFileSync(
      join(home, 'package.json'),
      '{"name":"@opentelemetry/api","type":"module","exports":"./index.js"}\n',
    )
    writeFileSync(join(home, 'index.js'), text)
  }
  const STUB = `
    const say = text => globalThis.calls.push(text)
    const getTracer = name => (say('tracer ' + name), {
      startActiveSpan(name, { attributes }, run) {
        say('start ' + name + ' of ' + attributes['agent_apps.tool'])
        return run({
          recordException: error => say('exception ' + error.message),
          setStatus: ({ code, message }) => say('status ' + code + ' ' + message),
          end: () => say('end ' + name),
        })
      },
    })
    export const trace = { getTracer }
  `
})
