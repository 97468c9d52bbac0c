import { createRuntime, type Runtime } from 'agent-apps'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { gate } from '../support/gate.js'
import { some } from '../support/long.js'
import { notingTool } from '../support/noting-tool.js'
import { ownRuntimes } from '../support/own-runtime.js'
import { startCode } from '../support/processes.js'
import { makeTree, skill } from '../support/tree.js'

const runtime = ownRuntimes()

afterEach(() => void vi.useRealTimers())

// Loading code takes a time that a clock which stands still does not tell.
beforeAll(async () => {
  const own = createRuntime({ paths: [], library: false })
  own.register(notingTool('a', []))
  await own.invoke('a')
  await own.deactivate('a')
  await own.close()
})

/** Lets everything happen that waits for no timer. */
async function settled(): Promise<void> {
  for (let round = 0; round < 50; round++) await new Promise(setImmediate)
}

function withFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    value => ({ value }),
    (error: { code?: string }) => error.code ?? error,
  )
}

describe('init', () => {
  it('is aborted after 30 s, and disposed of when it ends', async () => {
    withFakeTimers()
    const log: string[] = []
    const own = runtime()
    const late = gate()
    let signal: AbortSignal | undefined
    const init = async (ctx: { signal: AbortSignal }) => {
      signal = ctx.signal
      await late.passed
      return 'late'
    }
    own.register(notingTool('a', log, { init }))
    const call = codeOf(own.invoke('a'))
    await settled()
    await vi.advanceTimersByTimeAsync(29_999)
    expect(signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await call).toBe('INIT_FAILED')
    expect(signal?.aborted).toBe(true)
    expect(log).toEqual([])
    late.open()
    await settled()
    expect(log).toEqual(['dispose late'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is aborted by close, which waits for its end', async () => {
    const log: string[] = []
    const own = runtime()
    const begun = gate()
    const init = ({ signal }: { signal: AbortSignal }) => {
      begun.open()
      return new Promise<string>(fulfil => {
        signal.addEventListener('abort', () => setImmediate(() => fulfil('half')))
      })
    }
    own.register(notingTool('a', log, { init }))
    const call = codeOf(own.invoke('a'))
    await begun.passed
    await Promise.all([own.close(), own.close()])
    expect(await call).toBe('RUNTIME_CLOSED')
    expect(log).toEqual(['dispose half'])
  })

  it('that does not end does not keep close for ever', async () => {
    withFakeTimers()
    const own = runtime()
    own.register(notingTool('a', [], { init: () => new Promise(() => {}) }))
    const call = codeOf(own.invoke('a'))
    await settled()
    const closing = own.close()
    await settled()
    await vi.advanceTimersByTimeAsync(10_000)
    await closing
    expect(await call).toBe('RUNTIME_CLOSED')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not waited for by a call that is aborted meanwhile', async () => {
    const own = runtime()
    const begun = gate()
    const made = gate()
    const init = async () => {
      begun.open()
      await made.passed
    }
    own.register(notingTool('a', [], { init }))
    const controller = new AbortController()
    const call = codeOf(own.invoke('a', {}, { signal: controller.signal }))
    const other = own.invoke('a')
    await begun.passed
    controller.abort()
    expect(await call).toBe('RUN_ABORTED')
    made.open()
    await other
  })

  it('runs once for calls, start and activate at the same time', async () => {
    const log: string[] = []
    const own = runtime()
    own.register(notingTool('a', log))
    await Promise.all([own.start(), own.invoke('a'), own.activate('a'), own.start(), own.invoke('a')])
    expect(log.filter(line => line.startsWith('init'))).toEqual(['init a'])
  })
})

describe('the tools that a tool requires', () => {
  const requiring = (...names: string[]) => ({ metadata: { 'requires-tools': names } })

  async function started(own: Runtime, log: string[]): Promise<string[]> {
    await own.start()
    return log.filter(line => line.startsWith('init'))
  }

  it('are initialised before it and disposed of after it', async () => {
    const log: string[] = []
    const own = runtime()
    own.register(notingTool('a', log, requiring('plain', 'c-*')))
    own.register({ name: 'plain', metadata: { 'requires-tools': 'b' }, execute: () => 1 })
    own.register(notingTool('b', log, requiring('c')))
    own.register(notingTool('c', log))
    expect(await started(own, log)).toEqual(['init c', 'init b', 'init a'])
    await own.close()
    expect(log.filter(line => line.startsWith('dispose'))).toEqual([
      'dispose a 1',
      'dispose b 1',
      'dispose c 1',
    ])
  })

  it('keep each other from being initialised where they are a circle', async () => {
    const log: string[] = []
    const own = runtime()
    own.register(notingTool('a', log, requiring('b')))
    own.register(notingTool('b', log, requiring('a')))
    own.register(notingTool('outside', log, requiring('a')))
    own.register(notingTool('free', log))
    expect(await started(own, log)).toEqual(['init free'])
    expect((await own.listTools()).map(({ name }) => name)).toEqual(['free'])
    await expect(own.invoke('a')).rejects.toMatchObject({
      code: 'INIT_FAILED',
      message: 'The tool "a" is not initialised: the tools require each other in a circle: a → b → a.',
    })
    await expect(own.invoke('outside')).rejects.toMatchObject({
      code: 'INIT_FAILED',
      message: 'The tool "outside" is not initialised: "a", which it requires, is not initialised.',
    })
  })
})

describe('deactivate', () => {
  /** A tool whose calls wait until they are let go on. */
  function waiting(own: Runtime, log: string[]) {
    const [begun, goOn] = [gate(), gate()]
    const execute = async (_args: unknown, { signal }: { signal: AbortSignal | undefined }) => {
      signal?.addEventListener('abort', () => log.push('aborted'))
      begun.open()
      await goOn.passed
      return 'ended'
    }
    own.register(notingTool('a', log, { execute }))
    return { begun, goOn }
  }

  it('aborts calls that run for 10 s more, and then goes on', async () => {
    withFakeTimers()
    const log: string[] = []
    const own = runtime()
    const { begun, goOn } = waiting(own, log)
    const call = codeOf(own.invoke('a'))
    await begun.passed
    const off = own.deactivate('a')
    await settled()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(log).toEqual(['init a', 'activate a 1'])
    await vi.advanceTimersByTimeAsync(1)
    await off
    expect(await call).toBe('TOOL_INACTIVE')
    expect(log.slice(2)).toEqual(['aborted', 'deactivate a 1'])
    goOn.open()
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each(['deactivate', 'close'] as const)(
    'does not wait for the calls that %s is called from, those around it included',
    async how => {
      const log: string[] = []
      const own = runtime()
      const execute = async () => {
        await (how === 'close' ? own.close() : own.deactivate('outer'))
        log.push('off')
        return 'went on'
      }
      own.register(notingTool('outer', log, { execute: (_, ctx) => ctx.invoke('between') }))
      own.register({ name: 'between', execute: (_, ctx) => ctx.invoke('inner') })
      own.register(notingTool('inner', log, { execute }))
      expect(await own.invoke('outer')).toBe('went on')
      const ofOuter = log.filter(line => line.includes('outer') || line === 'off')
      expect(ofOuter.slice(0, 3)).toEqual(['init outer', 'activate outer 1', 'deactivate outer 1'])
    },
  )

  it('does so where another one is waiting for that call already', async () => {
    const log: string[] = []
    const own = runtime()
    const [begun, goOn] = [gate(), gate()]
    const execute = async () => {
      begun.open()
      await goOn.passed
      await own.deactivate('a')
    }
    own.register(notingTool('a', log, { execute }))
    const call = own.invoke('a')
    await begun.passed
    const off = own.deactivate('a')
    await settled()
    goOn.open()
    await Promise.all([call, off])
    expect(log).toEqual(['init a', 'activate a 1', 'deactivate a 1'])
  })

  it('refuses a call that waits for init meanwhile', async () => {
    const log: string[] = []
    const own = runtime()
    const [begun, made] = [gate(), gate()]
    const init = async () => {
      begun.open()
      await made.passed
      return 'made'
    }
    own.register(notingTool('a', log, { init }))
    const call = codeOf(own.invoke('a'))
    await begun.passed
    const off = own.deactivate('a')
    await settled()
    made.open()
    await off
    expect(await call).toBe('TOOL_INACTIVE')
    expect(log).toEqual(['activate made', 'deactivate made'])
  })

  it('before the first call keeps a tool from being initialised until it is activated', async () => {
    const log: string[] = []
    const own = runtime()
    own.register(notingTool('a', log))
    await own.deactivate('a')
    await own.start()
    expect(await codeOf(own.invoke('a'))).toBe('TOOL_INACTIVE')
    expect(log).toEqual([])
    await own.activate('a')
    expect(log).toEqual(['init a', 'activate a 1'])
  })

  it.each(some(['plain', 'a', 'skill']))('holds for calls of the same tick: %s', async name => {
    const paths = JSON.stringify([makeTree({ 'skill.skill.md': skill('skill') })])
    const ran = async (entry: string): Promise<void> => {
      // In a process of its own, where neither's code is loaded.
      const code = `
        import { defineTool, registerTool } from 'agent-apps'
        import { createRuntime } from '${entry}'
        const runtime = createRuntime({ paths: ${paths}, library: false })
        const { globals } = runtime
        const run = name => () => console.log(name + ' runs')
        registerTool(globals, { name: 'plain', description: 'P.', fn: run('plain') })
        registerTool(globals, { name: 'other', description: 'O.', fn: run('other') })
        await registerTool(globals, defineTool({ name: 'a', description: 'A.', init: run('init'), execute: run('a') }))
        for (let time = 0; time < 3; time++) {
          const off = runtime.deactivate('${name}')
          const calls = ['${name}', '${name}', 'other'].map(one => runtime.invoke(one))
          const agents = runtime.forAgent({ permissions: [] }).invoke('${name}')
          const settled = await Promise.allSettled([...calls, agents])
          await off
          console.log(settled.map(({ status, reason }) => reason?.code ?? status).join())
          await runtime.activate('${name}')
        }`
      const lines = (await startCode(code)).trim().split('\n')
      const refused = 'TOOL_INACTIVE,TOOL_INACTIVE,fulfilled,TOOL_INACTIVE'
      expect(lines.filter(line => !line.startsWith('init'))).toEqual(
        [1, 2, 3].flatMap(() => ['other runs', refused]),
      )
    }
    await Promise.all(['agent-apps', 'agent-apps/runtime'].map(ran))
  })

  it('of a name that leads nowhere holds no call up', async () => {
    const own = runtime()
    own.register({ name: 'plain', description: 'P.', execute: () => 'ran' })
    const off = codeOf(own.deactivate('nowhere'))
    expect(await own.invoke('plain')).toBe('ran')
    expect(await off).toBe('TOOL_NOT_FOUND')
    expect(await own.invoke('plain')).toBe('ran')
  })

  it('holds for a tool without hooks, whose running calls go on', async () => {
    const own = runtime()
    const [begun, goOn] = [gate(), gate()]
    const execute = async () => {
      begun.open()
      await goOn.passed
      return 'ended'
    }
    own.register({ name: 'plain', description: 'Waits.', execute })
    const call = own.invoke('plain')
    await begun.passed
    await own.deactivate('plain')
    expect(await codeOf(own.invoke('plain'))).toBe('TOOL_INACTIVE')
    expect(await own.forAgent().listTools()).toEqual([])
    goOn.open()
    expect(await call).toBe('ended')
    await own.activate('plain')
    expect(await own.invoke('plain')).toBe('ended')
  })
})

describe('close', () => {
  it('waits for running calls, and ends those that take longer', async () => {
    withFakeTimers()
    const log: string[] = []
    const own = runtime()
    const [begun, quick] = [gate(), gate()]
    own.register(notingTool('quick', log, { execute: () => quick.passed.then(() => 'quick') }))
    const execute = () => {
      begun.open()
      return new Promise(() => {})
    }
    own.register(notingTool('hanging', log, { execute }))
    const calls = [codeOf(own.invoke('quick')), codeOf(own.invoke('hanging'))]
    await begun.passed
    await settled()
    const closing = own.close()
    await settled()
    expect(await codeOf(own.invoke('quick'))).toBe('RUNTIME_CLOSED')
    quick.open()
    await vi.advanceTimersByTimeAsync(10_000)
    await closing
    expect(await Promise.all(calls)).toEqual([{ value: 'quick' }, 'RUNTIME_CLOSED'])
    expect(log.filter(line => line.startsWith('dispose'))).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps what hooks that failed said, and goes on without them', async () => {
    const log: string[] = []
    const own = runtime()
    const fails = () => {
      throw new Error('no room')
    }
    own.register(notingTool('a', log, { deactivate: fails, dispose: fails }))
    own.register(notingTool('b', log))
    await own.start()
    await own.close()
    expect(own.diagnostics()).toMatchObject([
      { rule: 'hook-fails', reason: 'The hook "dispose" of "a" fails: no room' },
    ])
    expect(log.slice(-2)).toEqual(['deactivate b 1', 'dispose b 1'])
  })

  it('gives a hook 10 s', async () => {
    withFakeTimers()
    const own = runtime()
    own.register(notingTool('a', [], { dispose: () => new Promise(() => {}) }))
    await own.start()
    const closing = own.close()
    await settled()
    await vi.advanceTimersByTimeAsync(10_000)
    await closing
    expect(own.diagnostics().map(({ rule }) => rule)).toEqual(['hook-fails'])
    expect(vi.getTimerCount()).toBe(0)
  })
})
