import { describe, expect, it } from 'vitest'
import { gate } from '../support/gate.js'
import { ownRuntimes } from '../support/own-runtime.js'

const runtime = ownRuntimes()

describe('the signal of a turn', () => {
  it.each(['trust', 'check'] as const)(
    'aborts all calls of the turn and no others, under %s',
    async freshness => {
      const own = runtime({ freshness })
      const began = [gate(), gate(), gate()]
      const execute = async ({ at }: { at?: number }, { signal }: { signal: AbortSignal | undefined }) => {
        began[at ?? 0]?.open()
        return new Promise((fulfil, refuse) => {
          signal?.addEventListener('abort', () => refuse(signal.reason))
          if (at === 2) setTimeout(() => fulfil('went on'), 50)
        })
      }
      const params = { type: 'object', properties: { at: { type: 'integer' } } } as const
      own.register({ name: 'waits', params, execute })
      own.register({ name: 'calls', execute: (_, ctx) => ctx.invoke('waits', { at: 1 }) })
      const controller = new AbortController()
      const reason = new Error('no longer wanted')
      const turn = own.turn(() => Promise.allSettled([own.invoke('waits', { at: 0 }), own.invoke('calls')]), {
        signal: controller.signal,
      })
      const other = own.invoke('waits', { at: 2 })
      await Promise.all(began.map(({ passed }) => passed))
      controller.abort(reason)
      expect(await turn).toEqual([
        { status: 'rejected', reason },
        { status: 'rejected', reason },
      ])
      expect(await other).toBe('went on')
    },
  )

  it('keeps later calls of the turn from beginning', async () => {
    const own = runtime()
    own.register({ name: 'plain', execute: () => 'ran' })
    const controller = new AbortController()
    const late = own.turn(
      async () => {
        controller.abort()
        return own.invoke('plain')
      },
      { signal: controller.signal },
    )
    await expect(late).rejects.toMatchObject({ code: 'RUN_ABORTED' })
    await expect(own.turn(() => 1, { signal: controller.signal })).rejects.toMatchObject({
      code: 'RUN_ABORTED',
    })
    expect(await own.invoke('plain')).toBe('ran')
  })

  it('ends the inner turn with the outer one, and by a signal of its own', async () => {
    const own = runtime()
    own.register({ name: 'plain', execute: () => 'ran' })
    const [outer, inner] = [new AbortController(), new AbortController()]
    await own.turn(
      async () => {
        await own.turn(
          async () => {
            expect(await own.invoke('plain')).toBe('ran')
            inner.abort()
            await expect(own.invoke('plain')).rejects.toMatchObject({ code: 'RUN_ABORTED' })
          },
          { signal: inner.signal },
        )
        expect(await own.invoke('plain')).toBe('ran')
        await own.turn(async () => {
          outer.abort()
          await expect(own.invoke('plain')).rejects.toMatchObject({ code: 'RUN_ABORTED' })
        })
      },
      { signal: outer.signal },
    )
  })

  it('must be a signal', async () => {
    const turn = runtime().turn(() => 1, { signl: 1 } as never)
    await expect(turn).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })

  it('reaches its calls without AsyncLocalStorage while no other turn is under way', async () => {
    const { getBuiltinModule } = process
    Object.assign(process, {
      getBuiltinModule: (name: string) =>
        name === 'node:async_hooks' ? undefined : getBuiltinModule.call(process, name),
    })
    try {
      const own = runtime({ freshness: 'trust' })
      own.register({ name: 'plain', execute: () => 'ran' })
      const controller = new AbortController()
      await own.turn(
        async () => {
          expect(await own.invoke('plain')).toBe('ran')
          controller.abort()
          await expect(own.invoke('plain')).rejects.toMatchObject({ code: 'RUN_ABORTED' })
          expect(await own.reload()).toEqual({ pending: true })
        },
        { signal: controller.signal },
      )
      expect(await own.invoke('plain')).toBe('ran')
    } finally {
      Object.assign(process, { getBuiltinModule })
    }
  })
})
