import {
  AgentAppsError,
  type Context,
  createRuntime,
  type HostRequest,
  type RuntimeOptions,
} from 'agent-apps'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { code } from '../support/asking.js'
import { times } from '../support/long.js'
import { runtimeWith, type Tools } from '../support/registered-runtime.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill } from '../support/tree.js'
import { compiled } from '../support/trust-project.js'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

const ids = { sessionId: 's', userId: 'u' }

const TOOLS: Tools = {
  gated: { gated: true },
  asks: { fn: ({ manager }: Context) => manager.invoke('asking') },
}

interface Shown {
  request: HostRequest
  answer: (said: unknown) => void
}

/** A host that shows one question after another, and answers when the test does. */
function host(options: RuntimeOptions = {}) {
  const shown: Shown[] = []
  const interact: NonNullable<RuntimeOptions['interact']> = request =>
    new Promise(answer => shown.push({ request, answer }))
  const runtime = runtimeWith(TOOLS, { interact, ...options })
  runtime.register({
    ...{ name: 'asking', description: 'Asks.', params: { type: 'object' } },
    execute: (_, ctx) => ctx.ask({ kind: 'text', message: 'What?' }),
  })
  return { runtime, shown, agent: runtime.forAgent(ids) }
}

/** Until nothing goes on any more but what waits for a person. */
const settled = (): Promise<void> => new Promise(done => setTimeout(done, 15))

const until = (holds: () => void): Promise<void> => vi.waitFor(holds, { interval: 2 })

describe('questions to one person', () => {
  it('are shown one at a time, and each answer is for the one that is shown', async () => {
    const { agent, shown } = host()
    const calls = [1, 2, 3].map(a => code(agent.invoke('gated', { a })))
    calls.push(code(agent.invoke('asks')))
    const seen: string[] = []
    for (let at = 0; at < 4; at++) {
      await until(() => expect(shown).toHaveLength(at + 1))
      await settled()
      expect(shown).toHaveLength(at + 1)
      const { request, answer } = shown[at] as Shown
      const about = JSON.stringify(request.kind === 'approval' ? request.args : request.kind)
      seen.push(about)
      answer(about === '{"a":2}' ? 'deny' : request.kind === 'text' ? 'that' : 'allow-once')
    }
    expect(seen.sort()).toEqual(['"text"', '{"a":1}', '{"a":2}', '{"a":3}'])
    expect(await Promise.all(calls)).toEqual(['gated ran', 'APPROVAL_DENIED', 'gated ran', 'that'])
  })

  it('are those of a session and user: others do not wait for them', async () => {
    const { runtime, shown } = host()
    for (const more of [{}, { sessionId: 't' }, { userId: 'v' }])
      void code(runtime.forAgent({ ...ids, ...more }).invoke('gated'))
    void code(runtime.forAgent({ ...ids, agentId: 'another' }).invoke('gated'))
    await until(() => expect(shown).toHaveLength(3))
    await settled()
    // Which of them comes first is left open.
    const whose = shown.map(
      ({ request }) => request.kind === 'approval' && `${request.sessionId} ${request.userId}`,
    )
    expect(whose.sort()).toEqual(['s u', 's v', 't u'])
  })

  it('are shown at the same time where the host says so', async () => {
    const { agent, shown } = host({ interactParallel: true })
    for (const a of [1, 2, 3]) void code(agent.invoke('gated', { a }))
    void code(agent.invoke('asks'))
    await until(() => expect(shown).toHaveLength(4))
  })

  it('have all of their time from when they are shown', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { agent, shown } = host({ interactTimeoutMs: 60_000 })
    const calls = [1, 2, 3].map(a => code(agent.invoke('gated', { a })))
    // Each look moves the clock by a millisecond: far fewer of them are needed than would add up to the time.
    const areShown = (count: number): Promise<void> =>
      vi.waitFor(() => expect(shown).toHaveLength(count), { interval: 1, timeout: 20_000 })
    for (const at of [0, 1]) {
      await areShown(at + 1)
      await vi.advanceTimersByTimeAsync(36_000)
      shown[at]?.answer('allow-once')
    }
    // The last one gets no answer.
    await areShown(3)
    await vi.advanceTimersByTimeAsync(60_000)
    // Which of them comes last is left open.
    expect((await Promise.all(calls)).sort()).toEqual(['APPROVAL_UNAVAILABLE', 'gated ran', 'gated ran'])
    expect(shown[2]?.request.signal.aborted).toBe(true)
  })

  it('are taken back with their call, shown or not, and those behind them come', async () => {
    const { agent, shown } = host()
    const [first, second] = [new AbortController(), new AbortController()]
    const calls = [code(agent.invoke('gated', { a: 1 }, { signal: first.signal }))]
    await until(() => expect(shown).toHaveLength(1))
    calls.push(
      code(agent.invoke('gated', { a: 2 }, { signal: second.signal })),
      code(agent.invoke('gated', { a: 3 })),
    )
    await settled()
    second.abort()
    expect(await calls[1]).toBe('RUN_ABORTED')
    expect(shown).toHaveLength(1)
    expect(shown[0]?.request.signal.aborted).toBe(false)
    first.abort()
    expect(await calls[0]).toBe('RUN_ABORTED')
    await until(() => expect(shown).toHaveLength(2))
    expect(shown[0]?.request.signal.aborted).toBe(true)
    // It comes too late, and for nothing that is shown now.
    shown[0]?.answer('allow-session')
    await settled()
    expect(shown.map(({ request }) => 'args' in request && request.args)).toEqual([{ a: 1 }, { a: 3 }])
    shown[1]?.answer('deny')
    expect(await calls[2]).toBe('APPROVAL_DENIED')
  })

  it('go on after one that fails, and about an aborted call nothing is asked', async () => {
    let asked = 0
    const { agent } = host({
      interact: () => {
        asked++
        throw new Error('gone')
      },
    })
    expect(await Promise.all([1, 2].map(a => code(agent.invoke('gated', { a }))))).toEqual([
      'APPROVAL_UNAVAILABLE',
      'APPROVAL_UNAVAILABLE',
    ])
    expect(await code(agent.invoke('gated', {}, { signal: AbortSignal.abort() }))).toBe('RUN_ABORTED')
    expect(asked).toBe(2)
  })

  it('are about what a call would do when they are shown', async () => {
    const { agent, shown, runtime } = host()
    let text = 'old'
    runtime.register({
      ...{ name: 'write', description: 'Writes.', params: { type: 'object' }, gated: true },
      preview: () => text,
      execute: () => 'written',
    })
    const calls = [1, 2].map(a => agent.invoke('write', { a }))
    await until(() => expect(shown).toHaveLength(1))
    // The other one waits by then.
    await settled()
    text = 'new'
    shown[0]?.answer('allow-once')
    await until(() => expect(shown).toHaveLength(2))
    expect(shown.map(({ request }) => 'preview' in request && request.preview)).toEqual(['old', 'new'])
    shown[1]?.answer('allow-once')
    await Promise.all(calls)
  })

  it('are not shown once the call cannot work any more, which ends that call alone', async () => {
    const { agent, shown, runtime } = host()
    let isGone = false
    runtime.register({
      ...{ name: 'edit', description: 'Edits.', params: { type: 'object' }, gated: true },
      deriveApprovalKey: () => 'any',
      preview: ({ a }) => {
        if (isGone && a === 1) throw new AgentAppsError('EDIT_FAILED', 'It is gone.', { hint: 'Read it.' })
        return `edit ${a}`
      },
      execute: ({ a }) => `edited ${a}`,
    })
    const calls = [code(agent.invoke('gated')), code(agent.invoke('edit', { path: 'x', a: 1 }))]
    await until(() => expect(shown).toHaveLength(1))
    await settled()
    calls.push(code(agent.invoke('edit', { path: 'x', a: 2 })))
    await settled()
    isGone = true
    for (const at of [0, 1]) {
      await until(() => expect(shown).toHaveLength(at + 1))
      shown[at]?.answer('allow-session')
    }
    expect(await Promise.all(calls)).toEqual(['gated ran', 'EDIT_FAILED', 'edited 2'])
  })

  it('about a project wait in the same line', { tags: 'long' }, async () => {
    const project = await compiled()
    const shown: Shown[] = []
    const runtime = createRuntime({
      project,
      interact: request => new Promise(answer => shown.push({ request, answer })),
    })
    runtime.register({ name: 'gated', description: 'Is gated.', gated: true, execute: () => 'gated ran' })
    const agent = runtime.forAgent(ids)
    const calls = [agent.invoke('gated')]
    await until(() => expect(shown).toHaveLength(1))
    calls.push(agent.invoke('build'))
    await new Promise(done => setTimeout(done, 50))
    expect(shown).toHaveLength(1)
    shown[0]?.answer('allow-once')
    await until(() => expect(shown).toHaveLength(2))
    shown[1]?.answer('allow-session')
    expect(await Promise.all(calls)).toEqual(['gated ran', 'build ran'])
    expect(shown.map(({ request }) => request.kind)).toEqual(['approval', 'project'])
  })
})

it.each(['allow-once', 'allow-session', 'allow-project'] as const)(
  'a call is not asked about that comes while its answer does: %s',
  async answer => {
    vi.stubEnv('XDG_STATE_HOME', temporary())
    const tree = { 'deploy/SKILL.md': skill('deploy', 'x', 'metadata: { gated: true }\n') }
    let asked = 0
    const runtime = createRuntime({
      ...{ paths: [makeTree(tree)], library: false, policy: { approval: { remember: 'project' } } },
      interact: () => {
        asked++
        return answer
      },
    })
    const agent = runtime.forAgent(ids)
    const calls = Array.from({ length: times(20, 200) }, async (_, delay) => {
      for (let tick = 0; tick < delay; tick++) await (delay % 2 === 0 ? null : new Promise(setImmediate))
      return agent.invoke('deploy', {}, { callId: 'one' })
    })
    await Promise.all(calls)
    expect(asked).toBe(1)
  },
)
