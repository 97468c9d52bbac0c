import { type AgentRuntime, type CallIds, type Context, registerTool } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { asking, code } from '../support/asking.js'
import { runtimeWith, type Tools } from '../support/registered-runtime.js'

const ids = { sessionId: 's', userId: 'u', agentId: 'a' }
const call = { callId: 'call-1' }
const FILES = ['safe', 'EVIL', 'other']

/** A tool whose key leaves out what it writes. */
const write: Tools[string] = {
  gated: true,
  params: { type: 'object' },
  metadata: { 'approval-key': '${args.path}' },
  fn: (_, args) => `wrote ${(args as { text: string }).text}`,
}
const writing = (text: string) => ({ path: 'a.sh', text })

/** What code that an agent called calls as that agent. */
const relay: Tools[string] = {
  fn: async ({ manager, args }: Context) =>
    Promise.all(
      (args as { texts: string[] }).texts.map(text =>
        code(manager.invoke('write', writing(text), { as: 'agent', ...ids, ...call })),
      ),
    ),
}
const spawning: Tools[string] = {
  fn: async ({ manager, args }: Context) =>
    Promise.all(
      (args as { texts: string[] }).texts.map(text =>
        code((manager.spawn({}) as AgentRuntime).invoke('write', writing(text), call)),
      ),
    ),
}

type Calling = (agent: AgentRuntime, texts: string[]) => Promise<unknown[]>

/** The ways in which several calls may have one id. */
const WAYS: Record<string, Calling> = {
  'one after another': async (agent, texts) => {
    const results: unknown[] = []
    for (const text of texts) results.push(await code(agent.invoke('write', writing(text), call)))
    return results
  },
  'at the same time': (agent, texts) =>
    Promise.all(texts.map(text => code(agent.invoke('write', writing(text), call)))),
  'by agents of the same ids': (agent, texts) =>
    Promise.all(texts.map(text => code(agent.spawn({}).invoke('write', writing(text), call)))),
  'from code that the agent called': async (agent, texts) =>
    (await agent.invoke('relay', { texts }, call)) as unknown[],
  'from an agent that code started': async (agent, texts) =>
    (await agent.invoke('spawning', { texts }, call)) as unknown[],
}

describe('an answer for one call', () => {
  it.each(Object.entries(WAYS))('is for its arguments alone, where calls have one id: %s', async (_, way) => {
    const tools = { write, relay, spawning }
    const { runtime, requests } = asking(tools, ['allow-once', 'allow-once', 'allow-once', 'deny'])
    expect(await way(runtime.forAgent(ids), FILES)).toEqual(FILES.map(text => `wrote ${text}`))
    expect(requests.map(({ args }) => (args as { text: string }).text).sort()).toEqual([...FILES].sort())
    const refusing = asking(tools, ['allow-once', 'deny', 'deny'])
    const results = await way(refusing.runtime.forAgent(ids), FILES)
    expect(results.filter(result => result !== 'APPROVAL_DENIED')).toHaveLength(1)
  })

  it('is for that call tried again, with the arguments in any order, and for no other id, session or user', async () => {
    const { runtime, requests } = asking({ write }, ['allow-once'])
    const agent = runtime.forAgent()
    const invoke = (args: object, more: CallIds = {}): Promise<unknown> =>
      code(agent.invoke('write', args, { ...ids, ...call, ...more }))
    await invoke(writing('safe'))
    expect(await invoke({ text: 'safe', path: 'a.sh' })).toBe('wrote safe')
    for (const more of [{ sessionId: 't' }, { userId: 'v' }, { agentId: 'b' }, { callId: 'call-2' }])
      expect(await invoke(writing('safe'), more)).toBe('APPROVAL_UNAVAILABLE')
    expect(await invoke({ ...writing('safe'), more: null })).toBe('APPROVAL_UNAVAILABLE')
    expect(requests.length).toBe(6)
  })

  it('is not what authorize finds for other arguments', async () => {
    const { runtime } = asking({ write }, ['allow-once'])
    const agent = runtime.forAgent(ids)
    await agent.invoke('write', writing('safe'), call)
    expect(await agent.authorize('write', writing('safe'), call)).toMatchObject({ decision: 'allow' })
    expect(await agent.authorize('write', writing('EVIL'), call)).toMatchObject({ decision: 'ask' })
  })

  it('is not for a tool of the same name that was registered since', async () => {
    const { runtime } = asking({ write }, ['allow-once', 'deny'])
    const agent = runtime.forAgent(ids)
    await agent.invoke('write', writing('safe'), call)
    registerTool(runtime.globals, { name: 'write', ...write, fn: () => 'another' })
    expect(await code(agent.invoke('write', writing('safe'), call))).toBe('APPROVAL_DENIED')
  })

  it('which was given elsewhere is used up by that call', async () => {
    const agent = runtimeWith({ write }).forAgent(ids)
    await agent.authorize('write', writing('safe'), call)
    await agent.answer('call-1', 'allow-once')
    const results = await Promise.all(FILES.map(text => code(agent.invoke('write', writing(text), call))))
    expect(results).toEqual(['wrote safe', 'APPROVAL_UNAVAILABLE', 'APPROVAL_UNAVAILABLE'])
  })
})
