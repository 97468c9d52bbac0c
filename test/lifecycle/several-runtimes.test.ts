import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ownRuntimes } from '../support/own-runtime.js'

const runtime = ownRuntimes()

it('a turn of one runtime aborts no calls of another, and still counts inside it', async () => {
  const [one, other] = [runtime(), runtime()]
  one.register({ name: 'plain', execute: () => 'ran' })
  other.register({ name: 'plain', execute: () => 'ran' })
  const controller = new AbortController()
  const calls = one.turn(
    () =>
      other.turn(async () => {
        controller.abort()
        return Promise.allSettled([other.invoke('plain'), one.invoke('plain')])
      }),
    { signal: controller.signal },
  )
  expect(await calls).toMatchObject([
    { status: 'fulfilled', value: 'ran' },
    { status: 'rejected', reason: { code: 'RUN_ABORTED' } },
  ])
})

// Node 20 and 22 walk over all storages that were ever used at each promise, and free none.
it('all runtimes of a process share one storage', async () => {
  const program = `
    import hooks from 'node:async_hooks'
    let made = 0
    hooks.AsyncLocalStorage = class extends hooks.AsyncLocalStorage {
      constructor() {
        super()
        made++
      }
    }
    const { createRuntime } = await import('agent-apps')
    for (let count = 0; count < 20; count++) {
      const runtime = createRuntime({ paths: [], library: false })
      runtime.register({ name: 'plain', execute: () => 'ran' })
      await runtime.turn(() => runtime.invoke('plain'))
    }
    console.log(made)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(Number(stdout)).toBeLessThan(3)
})
