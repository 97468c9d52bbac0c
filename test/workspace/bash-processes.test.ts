import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { oneIn, some, times } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { call, codeOf, processesIn, workspaceRuntime } from '../support/workspace-tools.js'

/** Commands whose processes do what they can to stay. */
const STUBBORN = {
  'a pipeline': 'sleep 60 | sleep 60',
  'jobs in the background': 'sleep 60 & (sleep 60 & sleep 60) & wait',
  'one that ignores TERM': 'trap "" TERM; sleep 60; sleep 60',
  'one in another session': 'setsid sleep 60 & setsid -f bash -c "sleep 60; sleep 60"; sleep 60',
  'one that was orphaned elsewhere':
    '(setsid bash -c "trap \\"\\" TERM HUP; sleep 60; sleep 60" &) ; sleep 60',
  'one that is stopped': 'sleep 60 & kill -STOP $!; sleep 60',
  'one that starts others': 'while :; do sleep 0.01 & sleep 0.01; done',
  'one that floods its output': 'yes | tee /dev/stderr',
}

/** Waits until so many processes run in a folder, or more. */
const there = (root: string, count: number) =>
  vi.waitFor(() => expect(processesIn(root).length).toBeGreaterThanOrEqual(count), 20_000)
const gone = (root: string) => vi.waitFor(() => expect(processesIn(root)).toEqual([]), 20_000)

describe.skipIf(process.platform !== 'linux')('the processes of bash', () => {
  it.concurrent.each(oneIn(4, Object.entries(STUBBORN)))('end at a timeout: %s', async (_, command) => {
    const root = temporary()
    const runtime = workspaceRuntime(root)
    const { metadata, output } = await call(runtime, 'bash', { command, timeoutMs: 300 })
    expect(processesIn(root)).toEqual([])
    expect(output).toMatch(/\[ended after 300 ms, its time limit\]$/)
    expect(metadata.durationMs).toBeGreaterThanOrEqual(300)
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(50_000)
  })

  it.concurrent.each(oneIn(8, Object.entries(STUBBORN)))(
    'end at an abort, which settles the call at once: %s',
    async (_, command) => {
      const root = temporary()
      const runtime = workspaceRuntime(root)
      const controller = new AbortController()
      const running = codeOf(call(runtime, 'bash', { command }, { signal: controller.signal }))
      await there(root, 2)
      // What ignores an abort takes a minute. How fast it is on a busy machine is not for a test.
      const aborted = performance.now()
      controller.abort()
      expect(await running).toBe('RUN_ABORTED')
      expect(performance.now() - aborted).toBeLessThan(10_000)
      await gone(root)
    },
  )

  it.concurrent('are none when the call was aborted before', async () => {
    const root = temporary()
    const running = call(
      workspaceRuntime(root),
      'bash',
      { command: 'touch ran' },
      { signal: AbortSignal.abort() },
    )
    expect(await codeOf(running)).toBe('RUN_ABORTED')
    expect(existsSync(join(root, 'ran'))).toBe(false)
  })

  it.concurrent('that are left in the background end with the command', async () => {
    const root = temporary()
    const runtime = workspaceRuntime(root)
    const { output, metadata } = await call(runtime, 'bash', { command: 'sleep 60 & echo started' })
    expect(output).toBe('started\n')
    expect(metadata).toMatchObject({ exitCode: 0, signal: null })
    expect(metadata.durationMs).toBeLessThan(20_000)
    expect(processesIn(root)).toEqual([])
  })

  it.concurrent('that left its group on purpose go on, and keep no call waiting', async () => {
    const root = temporary()
    const command =
      'setsid bash -c "echo $$ > pid; sleep 60" & until [ -s pid ]; do sleep 0.01; done; echo started'
    const { output } = await call(workspaceRuntime(root), 'bash', { command })
    expect(output).toBe('started\n')
    const ids = processesIn(root)
    expect(ids.length).toBeGreaterThan(0)
    for (const id of ids) process.kill(id, 'SIGKILL')
    await gone(root)
  })

  it.concurrent('that left its group and write on are heard for a while only', { tags: 'long' }, async () => {
    const root = temporary()
    const command = 'setsid bash -c "while echo more; do sleep 0.02; done" & echo started'
    const { output, metadata } = await call(workspaceRuntime(root), 'bash', { command })
    expect(output).toContain('started\n')
    expect(metadata.durationMs).toBeLessThan(20_000)
    // Nobody reads what they write any more, which ends these.
    await gone(root)
  })

  it.concurrent.each(oneIn(3, ['SIGTERM', 'SIGINT', 'exit']))(
    'end with the program that called it: %s',
    async how => {
      const root = temporary()
      const code = `
      import { createRuntime } from 'agent-apps'
      const runtime = createRuntime({ paths: [], workspace: ${JSON.stringify(root)} })
      runtime.invoke('bash', { command: 'touch there; setsid sleep 60 & sleep 60' })
      if (${how === 'exit'}) process.on('SIGUSR2', () => process.exit(7))
    `
      const program = spawn(process.execPath, ['--input-type=module', '-e', code], {
        cwd: ROOT,
        stdio: 'ignore',
      })
      const ended = new Promise(resolve => {
        program.on('exit', (exitCode, signal) => resolve(exitCode ?? signal))
      })
      await expect.poll(() => existsSync(join(root, 'there')), { timeout: 30_000 }).toBe(true)
      await there(root, 3)
      program.kill(how === 'exit' ? 'SIGUSR2' : (how as NodeJS.Signals))
      expect(await ended).toBe(how === 'exit' ? 7 : how)
      await gone(root)
    },
  )

  it.concurrent.each(some(Object.entries(STUBBORN)))(
    'are gone after aborts at random moments: %s',
    { tags: 'long' },
    async (_, command) => {
      const root = temporary()
      const runtime = workspaceRuntime(root)
      for (let count = times(1, 13); count > 0; count--) {
        const controller = new AbortController()
        const running = codeOf(call(runtime, 'bash', { command }, { signal: controller.signal }))
        await wait(Math.random() * 60)
        controller.abort()
        expect(await running).toBe('RUN_ABORTED')
        await gone(root)
      }
    },
  )

  it('of many calls at once leave no listeners behind', { tags: 'long' }, async () => {
    const signals = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP']
    const before = signals.map(name => process.listenerCount(name))
    const warnings: Error[] = []
    process.on('warning', warning => warnings.push(warning))
    const runtime = workspaceRuntime(temporary())
    const { signal } = new AbortController()
    await Promise.all(
      Array.from({ length: 15 }, () => call(runtime, 'bash', { command: 'sleep 0.05' }, { signal })),
    )
    // Commands of the tests before may have ended since.
    for (const [at, name] of signals.entries()) {
      expect(process.listenerCount(name), name).toBeLessThanOrEqual(before[at] ?? 0)
    }
    expect(warnings).toEqual([])
  })
})
