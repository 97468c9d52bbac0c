import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createRuntime, defineTool, type Runtime, type RuntimeOptions } from 'agent-apps'
import { type ServeOptions, serveSkills } from 'agent-apps/mcp'
import { describe, expect, it, vi } from 'vitest'
import { connectedTo, ERAS, type Era } from '../support/mcp-project.js'
import { asking, compiled, ran } from '../support/trust-project.js'

const text = ({ content }: CallToolResult): string => (content[0] as { text: string }).text

/** A runtime with an agent `helper`, and a tool that needs approval and says whose call it is. */
function helperRuntime(options: RuntimeOptions = {}): Runtime {
  const agents = [{ id: 'helper', tools: { deny: 'erase' } }]
  const runtime = createRuntime({ paths: [], agents, ...options })
  runtime.register(
    defineTool({
      ...{ name: 'save', description: 'Saves.', gated: true },
      execute: (_, { agentId, sessionId }) => ({ agentId, sessionId }),
    }),
  )
  runtime.register(defineTool({ name: 'erase', description: 'Erases.', execute: () => 'erased' }))
  runtime.register(
    defineTool({
      ...{ name: 'curious', description: 'Asks.' },
      execute: (_, { ask }) => ask({ kind: 'text', message: 'Who are you?' }),
    }),
  )
  return runtime
}

/** A client whose person allows everything for the session, with the number of questions so far. */
async function clientOf(runtime: Runtime, serve: ServeOptions, era: Era) {
  const options = { capabilities: { elicitation: { form: {} } } }
  const client = await connectedTo(runtime, serveSkills(runtime, serve), era, options)
  let questions = 0
  client.setRequestHandler('elicitation/create', () => {
    questions++
    return { action: 'accept', content: { answer: 'allow-session' } }
  })
  return { client, questions: () => questions }
}

const saved = async (client: Client): Promise<{ agentId?: string; sessionId: string }> =>
  JSON.parse(text(await client.callTool({ name: 'save' })))

describe.each(ERAS)('a named agent, for a client of %s', era => {
  it('has its limits, and a session for each connection, which ends with it', async () => {
    const runtime = helperRuntime()
    const one = await clientOf(runtime, { policy: 'helper' }, era)
    const other = await clientOf(runtime, { policy: 'helper' }, era)
    const { tools } = await one.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['curious', 'save'])
    await expect(one.client.callTool({ name: 'erase' })).rejects.toMatchObject({ code: -32602 })

    const first = await saved(one.client)
    expect(first.agentId).toBe('helper')
    expect(await saved(one.client)).toEqual(first)
    expect(one.questions()).toBe(1)
    // What was allowed in one session is not in another.
    expect((await saved(other.client)).sessionId).not.toBe(first.sessionId)
    expect(other.questions()).toBe(1)

    const approvals = () => runtime.forAgent(first).approvals.list()
    expect(await approvals()).toHaveLength(1)
    await one.client.close()
    await vi.waitFor(async () => expect(await approvals()).toEqual([]), { timeout: 60_000 })
  })
})

describe('a session', () => {
  it('that the policy names is shared by all connections', async () => {
    const runtime = helperRuntime()
    const [one, other] = await Promise.all(
      ERAS.map(era => clientOf(runtime, { policy: { sessionId: 'desk', userId: 'ada' } }, era)),
    )
    expect((await saved(one?.client as Client)).sessionId).toBe('desk')
    expect((await saved(other?.client as Client)).sessionId).toBe('desk')
    expect([one?.questions(), other?.questions()]).toEqual([1, 0])
  })

  it('is one request over HTTP, for a named agent too', async () => {
    const interact = vi.fn(() => 'allow-session' as const)
    const runtime = helperRuntime({ interact })
    const { fetch } = createMcpHandler(serveSkills(runtime, { policy: 'helper' }).create)
    const session = async (): Promise<string> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'save' } })
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const answer = await fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
      const [, message = ''] = /data: (.*)/.exec(await answer.text()) ?? []
      return JSON.parse(text(JSON.parse(message).result)).sessionId
    }
    expect(await session()).not.toBe(await session())
    expect(interact).toHaveBeenCalledTimes(2)
    await runtime.close()
  })
})

describe('a person at the client', () => {
  it('is not asked what a tool asks: the runtime’s own person is', async () => {
    const { client, questions } = await clientOf(helperRuntime(), {}, '2026')
    const unanswered = await client.callTool({ name: 'curious' })
    expect(unanswered.isError).toBe(true)
    expect(text(unanswered)).toContain('INTERACTION_UNAVAILABLE')
    const { client: another } = await clientOf(helperRuntime({ interact: async () => 'Ada' }), {}, '2026')
    expect(text(await another.callTool({ name: 'curious' }))).toBe('Ada')
    expect(questions()).toBe(0)
  })

  it('is not asked whether the project is trusted: the runtime’s own person is, else its code is not served', async () => {
    const { runtime, requests } = asking(await compiled(), ['allow-session'])
    const { client, questions } = await clientOf(runtime, {}, '2026')
    const names = async (one: Client) => (await one.listTools()).tools.map(({ name }) => name)
    expect(await names(client)).toEqual(['build', 'text'])
    expect([requests.length, ran()]).toEqual([0, []])
    expect(text(await client.callTool({ name: 'build' }))).toBe('build ran')
    expect([requests.length, ran()]).toEqual([1, ['build']])
    expect(questions()).toBe(0)

    const alone = createRuntime({ project: await compiled() })
    const { client: nobody } = await clientOf(alone, {}, '2026')
    expect(await names(nobody)).toEqual(['text'])
    await expect(nobody.callTool({ name: 'build' })).rejects.toMatchObject({ code: -32602 })
    expect(ran()).toEqual([])
  })
})
