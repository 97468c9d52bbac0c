import { createRuntime, defineTool, type HookContext } from 'agent-apps'
import { describe, expect, it, vi } from 'vitest'
import { gate } from '../support/gate.js'
import { notingTool } from '../support/noting-tool.js'
import { ownRuntimes } from '../support/own-runtime.js'

const runtime = ownRuntimes()

describe('hooks', () => {
  it('are called around all calls, init and dispose once', async () => {
    const log: string[] = []
    const own = runtime()
    own.register(notingTool('a', log))
    expect(log).toEqual([])
    const results = await Promise.all([own.invoke('a'), own.invoke('a')])
    expect(results).toEqual(['a 1', 'a 1'])
    await own.close()
    await own.close()
    expect(log).toEqual(['init a', 'activate a 1', 'call a 1', 'call a 1', 'deactivate a 1', 'dispose a 1'])
  })

  it('are those of each runtime by itself', async () => {
    const log: string[] = []
    const tool = notingTool('a', log)
    const [one, other] = [runtime(), runtime()]
    for (const each of [one, other]) each.register(tool)
    expect(await Promise.all([one.invoke('a'), other.invoke('a')])).toEqual(['a 1', 'a 2'])
    await one.close()
    expect(log.filter(line => line.startsWith('dispose'))).toEqual(['dispose a 1'])
    expect(await other.invoke('a')).toBe('a 2')
  })

  it('are called by start, and not for tools without them', async () => {
    const log: string[] = []
    const own = runtime()
    own.register(notingTool('a', log))
    own.register({ name: 'plain', execute: () => log.push('plain') })
    await own.start()
    await own.start()
    expect(log).toEqual(['init a', 'activate a 1'])
  })

  it('refuse to be anything but functions', () => {
    expect(() => defineTool({ name: 'a', init: 1 as never, execute: () => 1 })).toThrow(
      expect.objectContaining({ code: 'DEFINITION_INVALID', message: expect.stringContaining('"init"') }),
    )
  })

  it('of a tool whose definition a function makes are called', async () => {
    const log: string[] = []
    const own = runtime()
    own.register(
      defineTool('late', async () => ({
        init: () => log.push('init'),
        execute: (_args: unknown, ctx: { instance: unknown }) => ctx.instance,
      })),
    )
    await own.start()
    expect(log).toEqual(['init'])
    expect(await own.invoke('late')).toBe(1)
  })
})

describe('a tool whose init fails', () => {
  it('is left out with a diagnostic, and disposed of; activate tries again', async () => {
    const log: string[] = []
    const own = runtime()
    let works = false
    const init = () => {
      if (!works) throw new Error('no connection')
      return 'made'
    }
    own.register(notingTool('a', log, { init }))
    own.register({ name: 'b', execute: () => 'b' })
    await own.start()
    expect((await own.listTools()).map(({ name }) => name)).toEqual(['b'])
    expect(own.diagnostics()).toMatchObject([
      { rule: 'init-fails', reason: 'The tool "a" is not initialised: no connection' },
    ])
    await expect(own.invoke('a')).rejects.toMatchObject({
      code: 'INIT_FAILED',
      cause: expect.objectContaining({ message: 'no connection' }),
    })
    expect(await own.invoke('b')).toBe('b')
    expect(log).toEqual(['dispose undefined'])
    works = true
    await own.activate('a')
    expect(await own.invoke('a')).toBe('made')
    expect((await own.listTools()).map(({ name }) => name)).toEqual(['a', 'b'])
  })
})

describe('deactivate', () => {
  it('refuses new calls and waits for those that are running', async () => {
    const log: string[] = []
    const own = runtime()
    const [running, started] = [gate(), gate()]
    const execute = async () => {
      started.open()
      await running.passed
      log.push('ended')
    }
    own.register(notingTool('a', log, { execute }))
    const call = own.invoke('a')
    await started.passed
    const off = own.deactivate('a')
    await vi.waitFor(async () => expect(await own.listTools()).toEqual([]))
    await expect(own.invoke('a')).rejects.toMatchObject({ code: 'TOOL_INACTIVE' })
    running.open()
    await Promise.all([call, off])
    expect(log).toEqual(['init a', 'activate a 1', 'ended', 'deactivate a 1'])
    expect(await own.listTools()).toEqual([])
    await own.activate('a')
    await own.invoke('a')
    expect(log.slice(4)).toEqual(['activate a 1', 'ended'])
  })
})

describe('a hook has what is the tool’s own', () => {
  const definition = (init: (ctx: HookContext) => unknown) =>
    defineTool({
      name: 'query',
      description: 'Asks.',
      config: {
        type: 'object',
        properties: { url: { type: 'string' }, port: { type: 'number', default: 80 } },
      },
      env: ['HOOK_KEY', 'OTHER_KEY'],
      init,
      execute: (_, ctx) => ctx.instance,
    })

  it('its configuration, checked, and its variables, which are left out of what init throws', async () => {
    vi.stubEnv('HOOK_KEY', 'sesame-open')
    vi.stubEnv('OTHER_KEY', 'not let through')
    const options = {
      paths: [],
      library: false,
      env: ['HOOK_KEY'],
      config: { tools: { query: { url: 'a' } } },
    }
    const runtime = createRuntime(options)
    runtime.register(definition(({ config, env }) => ({ config, env })))
    expect(await runtime.invoke('query')).toEqual({
      config: { url: 'a', port: 80 },
      env: { HOOK_KEY: 'sesame-open' },
    })
    const failing = createRuntime(options)
    failing.register(
      definition(({ env }) => {
        throw new Error(`No ${env.HOOK_KEY}`)
      }),
    )
    await failing.start()
    expect(failing.diagnostics()).toMatchObject([
      { rule: 'init-fails', reason: expect.stringContaining('No [redacted]') },
    ])
    await expect(failing.activate('query')).rejects.toMatchObject({
      message: expect.stringContaining('No [redacted]'),
    })
    const wrong = createRuntime({ ...options, config: { tools: { query: { port: 'a' } } } })
    const init = vi.fn()
    wrong.register(definition(init))
    await wrong.start()
    expect(wrong.diagnostics()).toMatchObject([{ reason: expect.stringContaining('port must be a number') }])
    await expect(wrong.invoke('query')).rejects.toMatchObject({
      code: 'INIT_FAILED',
      cause: { code: 'TOOL_CONFIG' },
    })
    expect(init).not.toHaveBeenCalled()
    vi.unstubAllEnvs()
  })

  it('a way to ask a person, for whom the time of init stands still', async () => {
    let waits = 0
    const interact = vi.fn(() => new Promise(answer => setTimeout(answer, waits, 'code-1')))
    const asking = () => {
      const runtime = createRuntime({ paths: [], library: false, interact })
      runtime.register(definition(({ ask }) => ask({ kind: 'text', message: 'The code?' })))
      return runtime
    }
    // Modules are imported now, for which no time of these timers passes.
    expect(await asking().invoke('query')).toBe('code-1')
    expect(interact.mock.calls).toMatchObject([[{ kind: 'text', tool: 'query', message: 'The code?' }]])
    vi.useFakeTimers()
    waits = 120_000
    const called = asking().invoke('query')
    await vi.advanceTimersByTimeAsync(121_000)
    expect(await called).toBe('code-1')
    const slow = createRuntime({ paths: [], library: false, interact })
    slow.register(
      definition(async ({ ask, signal }) => {
        await ask({ kind: 'text', message: 'The code?' })
        await new Promise((_, refuse) => signal.addEventListener('abort', () => refuse(signal.reason)))
      }),
    )
    const late = slow.invoke('query').catch(error => error)
    await vi.advanceTimersByTimeAsync(151_000)
    expect(await late).toMatchObject({ code: 'INIT_FAILED' })
    vi.useRealTimers()
  })
})
