import { createRuntime, type DefinedTool, defineTool, definitionOf, type ToolDefinition } from 'agent-apps'
import { type CheckName, conformance, testRuntime } from 'agent-apps/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const params = {
  type: 'object',
  properties: { text: { type: 'string', description: 'Any text.' } },
  required: ['text'],
} as const
const SOUND = {
  name: 'sound',
  description: 'Keeps its contract.',
  params,
  returns: { type: 'string' },
  execute: ({ text }: { text: string }) => text,
}
const args = [{ text: 'a' }]

/** What `conformance` finds at fault, as `check: message`. */
async function problems(
  more: object,
  options: Parameters<typeof conformance>[1] = {},
): Promise<{ check: CheckName; message: string }[]> {
  const tool = { ...SOUND, ...more } as unknown as ToolDefinition
  try {
    return (await conformance(tool, { args, abortMs: 50, ...options })).problems
  } catch (error) {
    const { code, issues } = error as { code: string; issues: { expected: CheckName; message: string }[] }
    expect(code).toBe('CONFORMANCE_FAILED')
    return issues.map(({ expected, message }) => ({ check: expected, message }))
  }
}

const timers: NodeJS.Timeout[] = []
const kept = (timer: NodeJS.Timeout): void => void timers.push(timer)
afterAll(() => timers.forEach(clearTimeout))

describe('conformance finds nothing at fault', () => {
  it('in a sound tool, defined or not, with hooks, a key and variables of its own', async () => {
    process.env.CONFORMANCE_TOKEN = 'x'
    const fields = {
      env: ['CONFORMANCE_TOKEN'],
      deriveApprovalKey: ({ text }: { text: string }) => text,
    }
    const sound = {
      ...SOUND,
      init: async ({ signal }: { signal: AbortSignal }) => {
        const timer = setInterval(() => {}, 1000)
        signal.addEventListener('abort', () => clearInterval(timer))
        return timer
      },
      dispose: ({ instance }: { instance: unknown }) => clearInterval(instance as NodeJS.Timeout | undefined),
      execute: async ({ text }: { text: string }, { signal }: { signal: AbortSignal }) => {
        if (text !== 'slow') return text + process.env.CONFORMANCE_TOKEN
        return new Promise((_, refuse) => {
          const timer = setInterval(() => {}, 1000)
          signal.addEventListener('abort', () => {
            clearInterval(timer)
            refuse(signal.reason)
          })
        })
      },
    }
    const refused = [{}, { text: 1 }]
    const { problems } = await conformance(withFields(sound, fields), {
      args,
      refused,
      slow: { text: 'slow' },
    })
    expect(problems).toEqual([])
    expect(await conformance(defineTool(SOUND as unknown as ToolDefinition), { args })).toEqual({
      tool: 'sound',
      problems: [],
    })
    const late = defineTool('late', async () => ({
      description: 'Late.',
      execute: () => ({ error: 'none' }),
    }))
    await conformance(late)
    delete process.env.CONFORMANCE_TOKEN
  })

  it('in a tool whose hooks need its configuration', async () => {
    const runtime = createRuntime({ paths: [], config: { tools: { query: { url: 'a' } } } })
    const query = defineTool({
      name: 'query',
      description: 'Asks.',
      config: {
        type: 'object',
        properties: { url: { type: 'string' }, port: { type: 'number', default: 80 } },
      },
      init: ({ config }) => {
        if (config.url !== 'a' || config.port !== 80) throw new Error('It has no configuration')
      },
      execute: () => 1,
    })
    expect((await conformance(query, { runtime })).problems).toEqual([])
  })

  it('in a tool of a runtime, by its name', async () => {
    const runtime = createRuntime({ paths: [] })
    expect(await conformance('skill-list', { runtime })).toEqual({ tool: 'skill-list', problems: [] })
    await expect(conformance('nobody', { runtime })).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(await runtime.invoke('skill-list')).toBeTypeOf('object')
    await runtime.close()
  })

  it('in a tool that calls others, which the runtime has', async () => {
    const runtime = await testRuntime({ skills: { other: () => 'other' } })
    const execute = (_: unknown, ctx: { invoke: (name: string) => unknown }) => ctx.invoke('other')
    expect(await problems({ execute }, { runtime })).toEqual([])
    expect(await runtime.findTool('sound')).toBeNull()
    await runtime.close()
  })
})

/** A tool with fields of its definition that are read by who knows them. */
function withFields(tool: object, fields: object): DefinedTool {
  const { name, fn: run, frontmatter } = defineTool(tool as ToolDefinition)
  const fn: DefinedTool['fn'] = (ctx, args) => run(ctx, args)
  const definition = async (): Promise<object> => ({ ...(await definitionOf(run)), ...fields })
  Object.defineProperty(fn, Symbol.for('agent-apps.definition'), { value: definition })
  return Object.defineProperty({ name, fn, frontmatter }, Symbol.for('agent-apps.defined-tool'), {
    value: true,
  })
}

describe('conformance finds a tool that', () => {
  const cases: Record<string, [more: object, check: CheckName, message: RegExp, options?: object]> = {
    'has no description': [{ description: undefined }, 'definition', /no description/],
    'does not describe a parameter': [
      { params: { type: 'object', properties: { text: { type: 'string' } } } },
      'definition',
      /Parameters have no description: text\./,
    ],
    'refuses what it should take': [{}, 'schemas', /arguments of "sound"/, { args: [{ text: 1 }] }],
    'takes what it should refuse': [{}, 'schemas', /does not refuse/, { refused: [{ text: 'b' }] }],
    'refuses it with another error': [
      {
        params: { type: 'object', properties: params.properties },
        execute: ({ text }: { text?: string }) => (text === undefined ? JSON.parse('{') : text),
      },
      'schemas',
      /it throws/,
      { refused: [{}] },
    ],
    'gives what its schema does not allow': [{ execute: () => 1 }, 'schemas', /result of "sound"/i],
    throws: [
      {
        execute: () => {
          throw new Error('no room')
        },
      },
      'schemas',
      /fails: no room/,
    ],
    'gives a date': [
      { returns: undefined, execute: () => ({ at: new Date() }) },
      'result',
      /result\.at is an instance of Date/,
    ],
    'gives a bigint': [{ returns: undefined, execute: () => [1n] }, 'result', /result\[0\] is a bigint/],
    'gives what holds itself': [
      {
        returns: undefined,
        execute: () => {
          const own: Record<string, unknown> = {}
          own.own = own
          return own
        },
      },
      'result',
      /is circular/,
    ],
    'gives a title that is not a string': [
      { returns: undefined, execute: () => ({ title: 1, metadata: {}, output: 'x' }) },
      'result',
      /`title`/,
    ],
    'gives attachments that are no array': [
      { returns: undefined, execute: () => ({ title: 'x', metadata: {}, output: 'x', attachments: {} }) },
      'result',
      /`attachments`/,
    ],
    'gives metadata that is not an object': [
      { returns: undefined, execute: () => ({ title: 'x', metadata: 'x', output: 'x' }) },
      'result',
      /`metadata`/,
    ],
    'goes on after it was aborted': [
      { execute: ({ text }: { text: string }) => (text === 'slow' ? new Promise(() => {}) : text) },
      'abort',
      /continues for more than 50 ms/,
      { slow: { text: 'slow' } },
    ],
    'leaves something running when it is aborted': [
      {
        execute: ({ text }: { text: string }, { signal }: { signal: AbortSignal }) => {
          if (text !== 'slow') return text
          kept(setTimeout(() => {}, 60_000))
          return new Promise((_, refuse) => signal.addEventListener('abort', () => refuse(signal.reason)))
        },
      },
      'abort',
      /leaves something running: Timeout/,
      { slow: { text: 'slow' } },
    ],
    'cannot be initialised twice': [
      {
        init: () => {
          if (timers.length > 1000) return
          if (onlyOnce.has('made')) throw new Error('address in use')
          onlyOnce.add('made')
        },
        dispose: () => void onlyOnce.delete('made'),
        execute: ({ text }: { text: string }) => text,
      },
      'hooks',
      /`init`, called again throws: address in use/,
    ],
    'cannot be disposed of twice': [
      {
        init: () => ({ isOpen: true }),
        dispose: ({ instance }: { instance: { isOpen: boolean } | undefined }) => {
          if (instance && !instance.isOpen) throw new Error('is closed')
          if (instance) instance.isOpen = false
        },
      },
      'hooks',
      /`dispose`, called again throws: is closed/,
    ],
    'cannot be disposed of where init failed': [
      {
        init: () => ({ end() {} }),
        dispose: ({ instance }: { instance: { end: () => void } }) => instance.end(),
      },
      'hooks',
      /`dispose` without the result of `init` throws/,
    ],
    'keeps something running after dispose': [
      { init: () => kept(setTimeout(() => {}, 60_000)), dispose: () => {} },
      'hooks',
      /running after `dispose`: Timeout/,
    ],
    'goes on with an init that was aborted': [
      {
        init: ({ signal }: { signal: AbortSignal }) =>
          signal.aborted ? undefined : hangingWhenAborted(signal),
        dispose: () => {},
      },
      'hooks',
      /`init` continues for more than 50 ms/,
    ],
    'reads a variable of the environment': [
      { execute: ({ text }: { text: string }) => text + (process.env.HOME ?? '') },
      'env',
      /variable HOME/,
    ],
    'asks whether there is one': [
      { execute: ({ text }: { text: string }) => ('HOME' in process.env ? text : '') },
      'env',
      /variable HOME/,
    ],
    'reads all variables': [
      { execute: ({ text }: { text: string }) => text + Object.keys(process.env).length },
      'env',
      /all environment variables/,
    ],
  }
  const onlyOnce = new Set<string>()
  /** Is made at once, unless it is aborted before. */
  function hangingWhenAborted(signal: AbortSignal): Promise<void> {
    return new Promise(fulfil => {
      const timer = setTimeout(fulfil, 1)
      signal.addEventListener('abort', () => clearTimeout(timer))
    })
  }

  it.each(Object.entries(cases))('%s', async (_name, [more, check, message, options]) => {
    const found = await problems(more, options)
    expect(found).toContainEqual({ check, message: expect.stringMatching(message) })
    expect(new Set(found.map(one => one.check))).toEqual(new Set([check]))
  })

  const keys: Record<string, [derive: (args: { text: string }) => unknown, message: RegExp]> = {
    'has a time in its key': [({ text }) => text + Date.now(), /differs/],
    'has chance in its key': [({ text }) => text + Math.random(), /differs/],
    'counts in its key': [({ text }) => text + counted++, /differs/],
    'has the order of its arguments in its key': [args => JSON.stringify(args), /differs/],
    'has a key that is not a string': [() => 1, /must be a string/],
    'has a key that comes later': [async ({ text }) => text, /must be a string/],
    'has a key that fails': [() => JSON.parse('{'), /throws/],
  }
  let counted = 0
  it.each(Object.entries(keys))('%s', async (_name, [deriveApprovalKey, message]) => {
    const tool = withFields(SOUND, { deriveApprovalKey })
    await expect(conformance(tool, { args: [{ text: 'a', more: 1 }] })).rejects.toMatchObject({
      issues: [{ expected: 'key', path: 'args[0]', message: expect.stringMatching(message) }],
    })
  })
})

describe('conformance', () => {
  it('takes schemas of a library', async () => {
    const tool = defineTool({
      name: 'typed',
      description: 'Is typed.',
      params: z.object({ text: z.string().describe('Any text.') }),
      execute: ({ text }) => text,
    })
    await conformance(tool, { args, refused: [{}] })
  })

  it('refuses options that it does not know, and no samples', async () => {
    await expect(conformance(SOUND as never, { arg: [] } as never)).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
    await expect(conformance(SOUND as never, { args: [] })).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })

  it('leaves the environment as it was, also with several at once', async () => {
    const { env } = process
    await Promise.all([
      conformance(SOUND as never, { args }),
      conformance({ ...SOUND, execute: () => process.env.HOME } as never, { args }).catch(() => {}),
    ])
    expect(process.env).toBe(env)
  })

  it('is told what other code reads by nobody', async () => {
    const reading = setInterval(() => process.env.HOME, 0)
    await conformance({ ...SOUND, execute: () => new Promise(f => setTimeout(f, 20, 'a')) } as never, {
      args,
    })
    clearInterval(reading)
  })
})
