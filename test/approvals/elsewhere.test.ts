import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AgentOptions, type AgentRuntime, createRuntime, type Runtime, type Store } from 'agent-apps'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '../../runtime/state/runtime-store.js'
import { answering, asking, code } from '../support/asking.js'
import { runCode } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { setTimes, writeTree } from '../support/tree.js'

const SKILL = `---
name: deploy
description: Deploys.
metadata: { gated: true, params: { type: object } }
---
Deploy it.
`
const ids = { sessionId: 's', userId: 'u', agentId: 'a' }
const call = { callId: 'call-1' }

let cwd = ''

beforeEach(() => {
  cwd = temporary()
  writeTree(cwd, { 'skills/deploy.skill.md': SKILL })
  setTimes(cwd)
})

/** Two runtimes with one store are as two processes. */
function runtimeOver(store: Store, interactTimeoutMs = 60_000): Runtime {
  return createRuntime({ cwd, paths: ['skills'], store, interactTimeoutMs })
}

function agents(store: Store = memoryStore(), more: AgentOptions = {}): [AgentRuntime, AgentRuntime] {
  return [runtimeOver(store).forAgent({ ...ids, ...more }), runtimeOver(store).forAgent({ ...ids, ...more })]
}

const ran = 'Deploy it.\n'
const refused = (why: string): object => ({ code: 'APPROVAL_INVALID', message: expect.stringContaining(why) })

describe('a request that is answered elsewhere', () => {
  it('is what authorize returns, and lets the call run once it is answered', async () => {
    const [asker, other] = agents()
    const { decision, request } = await asker.authorize('deploy', { a: 1 }, call)
    expect(decision).toBe('ask')
    expect(request).toMatchObject({
      ...{ kind: 'approval', id: 'call-1', tool: 'deploy', args: { a: 1 }, key: '{"a":1}', ignored: [] },
      ...{ reason: 'it is gated', rule: null, ...ids },
    })
    expect(request?.expires).toBeGreaterThan(Date.now() + 50_000)
    expect(await code(other.invoke('deploy', { a: 1 }, call))).toBe('APPROVAL_UNAVAILABLE')
    await other.answer('call-1', 'allow-once')
    expect(await asker.authorize('deploy', { a: 1 }, call)).toMatchObject({
      decision: 'allow',
      by: 'a person',
    })
    expect(await asker.invoke('deploy', { a: 1 }, call)).toEqual(ran)
    // The process that ran it may try again; no other can.
    expect(await asker.invoke('deploy', { a: 1 }, call)).toEqual(ran)
    expect(await code(other.invoke('deploy', { a: 1 }, call))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('is used by one of several calls at the same time', async () => {
    const store = memoryStore()
    const all = Array.from({ length: 5 }, () => runtimeOver(store).forAgent(ids))
    await all[0]?.authorize('deploy', {}, call)
    await all[0]?.answer('call-1', 'allow-once')
    const results = await Promise.all(all.map(one => code(one.invoke('deploy', {}, call))))
    expect(results.filter(result => result !== 'APPROVAL_UNAVAILABLE')).toEqual([ran])
  })

  it('is made anew under its id once its answer was used', async () => {
    const [asker, other] = agents()
    for (const agent of [asker, other]) {
      expect(await agent.authorize('deploy', {}, call)).toMatchObject({ decision: 'ask' })
      await agent.answer('call-1', 'allow-once')
      expect(await agent.invoke('deploy', {}, call)).toEqual(ran)
    }
  })

  it('may be denied, with a reason for the model', async () => {
    const [asker, other] = agents()
    await asker.authorize('deploy', {}, call)
    await other.answer('call-1', { answer: 'deny', reason: 'not today' })
    for (let times = 0; times < 2; times++)
      await expect(asker.invoke('deploy', {}, call)).rejects.toThrow('was not approved: not today.')
  })

  it('may be allowed for the session, in every process, until one of them ends it', async () => {
    const store = memoryStore()
    const [asker, other] = agents(store)
    await asker.authorize('deploy', {}, call)
    await other.answer('call-1', 'allow-session')
    expect(await asker.invoke('deploy', {}, call)).toEqual(ran)
    expect(await asker.invoke('deploy')).toEqual(ran)
    expect(await other.invoke('deploy')).toEqual(ran)
    expect(await code(other.invoke('deploy', { a: 1 }))).toBe('APPROVAL_UNAVAILABLE')
    expect(await other.approvals.list()).toEqual(await asker.approvals.list())
    await runtimeOver(store).endSession(ids.sessionId)
    for (const agent of [asker, other])
      expect(await code(agent.invoke('deploy'))).toBe('APPROVAL_UNAVAILABLE')
    expect(await asker.approvals.list()).toEqual([])
  })

  it('is not allowed for a session that another process ended before the answer came', async () => {
    const store = memoryStore()
    let answer: (given: 'allow-session') => void = () => {}
    let isAsked = false
    const interact = (): Promise<'allow-session'> =>
      new Promise(resolve => {
        isAsked = true
        answer = resolve
      })
    const agent = createRuntime({ cwd, paths: ['skills'], store, interact }).forAgent(ids)
    const called = agent.invoke('deploy')
    await vi.waitFor(() => expect(isAsked).toBe(true))
    await runtimeOver(store).endSession(ids.sessionId)
    answer('allow-session')
    expect(await called).toEqual(ran)
    const [, other] = agents(store)
    expect(await code(other.invoke('deploy'))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('is not allowed for the session by a value in the store that was damaged', async () => {
    const store = memoryStore()
    const set = vi.spyOn(store, 'set')
    const [asker, other] = agents(store)
    await asker.authorize('deploy', {}, call)
    await other.answer('call-1', 'allow-session')
    await asker.invoke('deploy', {}, call)
    const [key = '', value] = set.mock.calls.find(([one]) => one.startsWith('["approvals"')) ?? []
    const { version } = (await store.get(key)) ?? { version: '' }
    await store.set(key, { ...(value as object), sum: '0' }, version)
    expect(await code(other.invoke('deploy'))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('is revoked in every process', async () => {
    const [asker, other] = agents()
    await asker.authorize('deploy', {}, call)
    await other.answer('call-1', 'allow-session')
    expect(await asker.invoke('deploy', {}, call)).toEqual(ran)
    const [approval] = await other.approvals.list()
    expect(await other.approvals.revoke(approval?.id ?? '')).toBe(true)
    expect(await code(asker.invoke('deploy'))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('may be for the session, user and agent of the call, which the agent itself need not have', async () => {
    const asker = runtimeOver(memoryStore()).forAgent()
    await asker.authorize('deploy', {}, { ...ids, ...call })
    await expect(asker.answer('call-1', 'allow-once')).rejects.toMatchObject(refused('asked nothing'))
    await asker.answer('call-1', 'allow-once', ids)
    expect(await code(asker.invoke('deploy', {}, call))).toBe('APPROVAL_UNAVAILABLE')
    expect(await asker.invoke('deploy', {}, { ...ids, ...call })).toEqual(ran)
  })

  it('is not for other arguments, another call, or another agent, user or session', async () => {
    const store = memoryStore()
    const [asker] = agents(store)
    await asker.authorize('deploy', { a: 1 }, call)
    await asker.answer('call-1', 'allow-once')
    expect(await code(asker.invoke('deploy', { a: 2 }, call))).toBe('APPROVAL_UNAVAILABLE')
    expect(await code(asker.invoke('deploy', { a: 1 }, { callId: 'call-2' }))).toBe('APPROVAL_UNAVAILABLE')
    for (const more of [{ sessionId: 't' }, { userId: 'v' }, { agentId: 'b' }]) {
      const [foreign] = agents(store, more)
      expect(await code(foreign.invoke('deploy', { a: 1 }, call))).toBe('APPROVAL_UNAVAILABLE')
    }
    expect(await asker.invoke('deploy', { a: 1 }, call)).toEqual(ran)
  })

  it('is not for a skill that was edited since', async () => {
    const [asker, other] = agents()
    await asker.authorize('deploy', {}, call)
    await asker.answer('call-1', 'allow-once')
    writeFileSync(join(cwd, 'skills/deploy.skill.md'), `${SKILL}Edited.\n`)
    expect(await code(other.invoke('deploy', {}, call))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('takes no answer that is forged, foreign, late or the second', async () => {
    const store = memoryStore()
    const [asker] = agents(store)
    await asker.authorize('deploy', {}, call)
    await expect(asker.answer('call-2', 'allow-once')).rejects.toMatchObject(
      refused('asked nothing under this id'),
    )
    for (const more of [{ sessionId: 't' }, { userId: 'v' }, { agentId: 'b' }]) {
      const [foreign] = agents(store, more)
      await expect(foreign.answer('call-1', 'allow-once')).rejects.toMatchObject(
        refused('asked nothing under this id'),
      )
    }
    for (const answer of ['allow', true, null, { answer: 'yes' }])
      await expect(asker.answer('call-1', answer as 'deny')).rejects.toMatchObject(
        refused('the answer was none of'),
      )
    await asker.answer('call-1', 'deny')
    await expect(asker.answer('call-1', 'allow-once')).rejects.toMatchObject(
      refused('it was answered before'),
    )
    const late = runtimeOver(memoryStore(), 1).forAgent(ids)
    await late.authorize('deploy', {}, call)
    await vi.waitFor(() =>
      expect(late.answer('call-1', 'allow-once')).rejects.toMatchObject(refused('it has expired')),
    )
  })

  it('expires with its answer', async () => {
    const [agent] = agents()
    await agent.authorize('deploy', {}, call)
    await agent.answer('call-1', 'allow-once')
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_001)
    try {
      expect(await code(agent.invoke('deploy', {}, call))).toBe('APPROVAL_UNAVAILABLE')
    } finally {
      now.mockRestore()
    }
  })

  it('is answered once by several at the same time', async () => {
    const store = memoryStore()
    const all = Array.from({ length: 5 }, () => runtimeOver(store).forAgent(ids))
    await Promise.all(all.map(one => one.authorize('deploy', {}, call)))
    const answers = await Promise.all(all.map(one => code(one.answer('call-1', 'allow-once'))))
    expect(answers.filter(answer => answer === undefined)).toHaveLength(1)
    expect(answers.filter(answer => answer === 'APPROVAL_INVALID')).toHaveLength(4)
  })

  it('is nothing that a store can make up', async () => {
    for (const value of [true, 'allow-once', { state: 'answered', answer: 'allow-once' }, []]) {
      const store = memoryStore()
      await store.set('approval:call-1', value as never, null)
      const [agent] = agents(store)
      expect(await code(agent.invoke('deploy', {}, call))).toBe('APPROVAL_UNAVAILABLE')
      await expect(agent.answer('call-1', 'allow-once')).rejects.toMatchObject(
        refused('asked nothing under this id'),
      )
    }
  })

  it('is kept for each session, user and agent that gives a call the same id', async () => {
    const store = memoryStore()
    const others = [{}, { sessionId: 't' }, { userId: 'v' }, { agentId: 'b' }]
    const all = others.map(more => runtimeOver(store).forAgent({ ...ids, ...more }))
    for (const one of all) expect((await one.authorize('deploy', {}, call)).request?.id).toBe('call-1')
    for (const one of all) await one.answer('call-1', 'allow-once')
    for (const one of all) expect(await one.invoke('deploy', {}, call)).toEqual(ran)
  })

  it('is told from others with the same id by the call', async () => {
    const store = memoryStore()
    const [asker] = agents(store)
    const about = (a: number) => ({ call: { ref: 'deploy', args: { a } } })
    for (const a of [1, 2, 3]) await asker.authorize('deploy', { a }, call)
    await expect(asker.answer('call-1', 'allow-once')).rejects.toMatchObject(
      refused('several calls were asked about under this id'),
    )
    await expect(asker.answer('call-1', 'allow-once', about(4))).rejects.toMatchObject(
      refused('another call'),
    )
    await asker.answer('call-1', 'allow-once', about(2))
    await asker.answer('call-1', { answer: 'deny', reason: 'no' }, about(3))
    await expect(asker.answer('call-1', 'allow-once', about(2))).rejects.toMatchObject(
      refused('it was answered before'),
    )
    // An answer that comes twice is none to a call that was asked about since.
    await asker.authorize('deploy', { a: 5 }, call)
    await expect(asker.answer('call-1', 'allow-once')).rejects.toMatchObject(refused('several calls'))
    const given = [1, 2, 3, 4, 5].map(a =>
      code(runtimeOver(store).forAgent(ids).invoke('deploy', { a }, call)),
    )
    expect(await Promise.all(given)).toEqual([
      ...['APPROVAL_UNAVAILABLE', ran, 'APPROVAL_DENIED', 'APPROVAL_UNAVAILABLE', 'APPROVAL_UNAVAILABLE'],
    ])
  })

  it('takes no late answer to a call that expired before another came under its id', async () => {
    const store = memoryStore()
    const [first, second] = [runtimeOver(store, 1), runtimeOver(store)].map(one => one.forAgent(ids))
    await first?.authorize('deploy', { a: 1 }, call)
    await new Promise(done => setTimeout(done, 5))
    await second?.authorize('deploy', { a: 2 }, call)
    await expect(second?.answer('call-1', 'allow-once')).rejects.toMatchObject(refused('several calls'))
    const expired = { call: { ref: 'deploy', args: { a: 1 } } }
    await expect(second?.answer('call-1', 'allow-once', expired)).rejects.toMatchObject(refused('expired'))
    expect(await code(second?.invoke('deploy', { a: 2 }, call) as Promise<unknown>)).toBe(
      'APPROVAL_UNAVAILABLE',
    )
    await second?.answer('call-1', 'allow-once', { call: { ref: 'deploy', args: { a: 2 } } })
    expect(await second?.invoke('deploy', { a: 2 }, call)).toEqual(ran)
  })

  it('is forgotten an hour after it expired', async () => {
    const store = memoryStore()
    const [agent] = agents(store)
    await agent.authorize('deploy', { a: 1 }, call)
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000 + 61_000)
    try {
      await agent.authorize('deploy', { a: 2 }, call)
      await agent.answer('call-1', 'allow-once')
    } finally {
      now.mockRestore()
    }
  })

  it.each(['allow-once', 'allow-session'] as const)(
    'grants nothing for a later session where its own ends as %s is used',
    async answer => {
      const store = memoryStore()
      const runtime = runtimeOver(store)
      const agent = runtime.forAgent(ids)
      await agent.authorize('deploy', {}, call)
      await agent.answer('call-1', answer)
      const { set } = store
      let ends = 0
      store.set = async (key, value, ...rest) => {
        const version = await set(key, value, ...rest)
        if (JSON.stringify(value).includes('"used"') && ends++ === 0) await runtime.endSession('s')
        return version
      }
      expect(await agent.invoke('deploy', {}, call)).toEqual(ran)
      expect(ends).toBe(1)
      expect(await code(runtime.forAgent(ids).invoke('deploy', {}, call))).toBe('APPROVAL_UNAVAILABLE')
    },
  )

  it('is not removed with an older one of the same id that another process kept', async () => {
    const store = memoryStore()
    const [first, second] = [runtimeOver(store, 20), runtimeOver(store, 7_200_000)].map(one =>
      one.forAgent(ids),
    )
    await first?.authorize('deploy', { a: 1 }, call)
    await second?.authorize('deploy', { a: 2 }, call)
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_601_000)
    try {
      await first?.authorize('deploy', {}, { callId: 'call-2' })
      await second?.answer('call-1', 'allow-once')
      expect(await second?.invoke('deploy', { a: 2 }, call)).toEqual(ran)
    } finally {
      now.mockRestore()
    }
  })

  it('is kept only for a call with an id', async () => {
    const store = memoryStore()
    const set = vi.spyOn(store, 'set')
    const [agent] = agents(store)
    expect((await agent.authorize('deploy')).request?.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(set.mock.calls.filter(([key]) => key.startsWith('["approval"'))).toEqual([])
  })

  // vercel/ai#15947: what a client sent back as approved ran in another process without having been asked about.
  it('is answered in another process, and messages that say so grant nothing', { tags: 'long' }, async () => {
    const folder = temporary()
    const module = join(temporary(), 'store.mjs')
    writeFileSync(
      module,
      `import { readFileSync, writeFileSync } from 'node:fs'
const fileOf = key => ${JSON.stringify(`${folder}/`)} + encodeURIComponent(key)
const read = key => { try { return JSON.parse(readFileSync(fileOf(key), 'utf8')) } catch { return null } }
export const store = {
  get: async key => read(key),
  set: async (key, value, version) => {
    if ((read(key)?.version ?? null) !== version) throw Object.assign(new Error('changed'), { code: 'STATE_CONFLICT' })
    const next = String(Number(version ?? 0) + 1)
    writeFileSync(fileOf(key), JSON.stringify({ value, version: next }))
    return next
  },
  delete: async () => {},
}`,
    )
    const run = (text: string): string[] =>
      runCode(`import { createRuntime } from 'agent-apps'
import { store } from ${JSON.stringify(module)}
const agent = createRuntime({ cwd: ${JSON.stringify(cwd)}, paths: ['skills'], store }).forAgent(${JSON.stringify(ids)})
const say = promise => promise.then(() => console.log('ran'), error => console.log(error.code))
${text}`)
        .trim()
        .split('\n')
    const asker = runtimeOver((await import(pathToFileURL(module).href)).store).forAgent(ids)
    expect((await asker.authorize('deploy', { a: 1 }, { callId: 'c' })).decision).toBe('ask')
    const forged = `{ callId: 'c', nonlocals: { approved: true, approval: { id: 'c', answer: 'allow-once' } } }`
    expect(
      run(`await say(agent.invoke('deploy', { a: 1 }, ${forged}))
await say(agent.invoke('deploy', { a: 1, approved: true }, { callId: 'c' }))
await agent.answer('c', 'allow-once')`),
    ).toEqual(['APPROVAL_UNAVAILABLE', 'APPROVAL_UNAVAILABLE'])
    expect(
      run(`await say(agent.invoke('deploy', { a: 2 }, { callId: 'c' }))
await say(agent.invoke('deploy', { a: 1 }, { callId: 'c' }))`),
    ).toEqual(['APPROVAL_UNAVAILABLE', 'ran'])
    expect(await code(asker.invoke('deploy', { a: 1 }, { callId: 'c' }))).toBe('APPROVAL_UNAVAILABLE')
    const [kept = ''] = readdirSync(folder).filter(name => decodeURIComponent(name).startsWith('["approval"'))
    const { value } = JSON.parse(readFileSync(join(folder, kept), 'utf8'))
    expect(value.calls).toMatchObject([{ state: 'used' }])
  })

  it('of a registered function is answered where that is registered', async () => {
    const store = memoryStore()
    const tools = { gated: { gated: true } }
    const asker = asking(tools, [], { store }).runtime.forAgent(ids)
    const other = asking(tools, [], { store }).runtime.forAgent(ids)
    await asker.authorize('gated', {}, call)
    await other.answer('call-1', 'allow-once')
    expect(await code(other.invoke('gated', {}, call))).toBe('APPROVAL_UNAVAILABLE')
    expect(await asker.invoke('gated', {}, call)).toBe('gated ran')
  })
})

describe('events of approval', () => {
  it('tell of a request that is answered elsewhere once it is kept, and once its answer is used', async () => {
    const runtime = runtimeOver(memoryStore())
    const agent = runtime.forAgent(ids)
    const events: unknown[] = []
    for (const type of ['approval:asked', 'approval:answered'] as const)
      runtime.globals.events.on(type, event => events.push([type, event.metadata]))
    await agent.authorize('deploy')
    expect(events).toEqual([])
    await agent.authorize('deploy', {}, call)
    await agent.authorize('deploy', {}, call)
    await agent.answer('call-1', 'allow-once')
    await agent.invoke('deploy', {}, call)
    expect(events).toMatchObject([
      ['approval:asked', { id: 'call-1', key: '{}' }],
      ['approval:answered', { id: 'call-1', answer: 'allow-once' }],
    ])
  })

  it('tell that a person was asked, and what was answered', async () => {
    const { interact, requests } = answering([{ answer: 'deny', reason: 'no' }])
    const runtime = createRuntime({ cwd, paths: ['skills'], interact })
    const events: object[] = []
    for (const type of ['approval:asked', 'approval:answered', 'tool:denied'] as const)
      runtime.globals.events.on(type, event => events.push(event))
    await code(runtime.forAgent(ids).invoke('deploy', { password: 'x' }, call))
    const [request] = requests
    const about = { tool: 'deploy', layer: 'project', origin: request?.origin, ...ids }
    const metadata = {
      id: request?.id,
      key: '{"password":"[secret]"}',
      digest: request?.digest,
      callId: 'call-1',
    }
    expect(events).toMatchObject([
      { type: 'approval:asked', ...about, metadata: { ...metadata, reason: 'it is gated' } },
      { type: 'approval:answered', ...about, metadata: { ...metadata, answer: 'deny', reason: 'no' } },
      { type: 'tool:denied', ...about, decision: { decision: 'ask', step: 6, reason: 'it is gated' } },
    ])
  })
})
