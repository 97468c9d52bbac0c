import { InMemoryTransport } from '@modelcontextprotocol/client'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createRuntime, registerTool } from 'agent-apps'
import { serveSkills } from 'agent-apps/mcp'
import { describe, expect, it, onTestFinished } from 'vitest'

interface Answer {
  result?: { resultType?: string; requestState?: string; content?: { text: string }[] }
  error?: { code: number; message: string }
}
interface Asked {
  requestState?: string | undefined
  inputResponses?: Record<string, unknown>
}

const ALLOW = { approval: { action: 'accept', content: { answer: 'allow-once' } } }

/** A server, and a client of 2026 that writes its own messages. */
async function served(runtime = runtimeWithTools()) {
  const { create } = serveSkills(runtime)
  const [near, far] = InMemoryTransport.createLinkedPair()
  const handle = serveStdio(create, { transport: far })
  onTestFinished(() => handle.close())
  const waiting = new Map<number, (answer: Answer) => void>()
  near.onmessage = message => waiting.get((message as { id: number }).id)?.(message as Answer)
  await near.start()
  let id = 0
  return (name: string, args: Record<string, unknown>, more: Asked = {}): Promise<Answer> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'forger', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    }
    const params = { name, arguments: args, _meta, ...more }
    const message = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params }
    return new Promise(resolve => {
      waiting.set(id, resolve)
      void near.send(message as JSONRPCMessage)
    })
  }
}

function runtimeWithTools() {
  const runtime = createRuntime({ paths: [], policy: { permissions: ['write'] } })
  for (const name of ['save', 'erase'])
    registerTool(runtime.globals, {
      ...{ name, description: name },
      metadata: { permissions: { required: ['write'] }, 'approval-key': '${args.path}' },
      params: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
      fn: (_ctx: unknown, args: unknown) => `${name} ${JSON.stringify(args)}`,
    })
  return runtime
}

const asks = ({ result }: Answer): boolean => result?.resultType === 'input_required'
const text = ({ result }: Answer): string | undefined => result?.content?.[0]?.text

describe('an answer that comes back with a call', () => {
  it('counts for the call that was asked about, once', async () => {
    const call = await served()
    const first = await call('save', { path: 'a' })
    expect(asks(first)).toBe(true)
    const { requestState } = first.result ?? {}
    expect(text(await call('save', { path: 'a' }, { requestState, inputResponses: ALLOW }))).toBe(
      'save {"path":"a"}',
    )
    expect(asks(await call('save', { path: 'a' }, { requestState, inputResponses: ALLOW }))).toBe(true)
  })

  it('counts for no other arguments, and for no other tool', async () => {
    const call = await served()
    const { requestState } = (await call('save', { path: 'a' })).result ?? {}
    expect(asks(await call('save', { path: 'b' }, { requestState, inputResponses: ALLOW }))).toBe(true)
    expect(asks(await call('erase', { path: 'a' }, { requestState, inputResponses: ALLOW }))).toBe(true)
    expect(asks(await call('save', { path: 'c' }, { inputResponses: ALLOW }))).toBe(true)
    // Not even for those that the tool's key leaves out.
    const safe = (await call('save', { path: 'a', text: 'safe' })).result ?? {}
    const evil = { requestState: safe.requestState, inputResponses: ALLOW }
    expect(asks(await call('save', { path: 'a', text: 'EVIL' }, evil))).toBe(true)
  })

  it('counts for no other connection, and not if a byte of it was changed', async () => {
    const runtime = runtimeWithTools()
    const [call, another] = [await served(runtime), await served(runtime)]
    const { requestState = '' } = (await call('save', { path: 'a' })).result ?? {}
    const foreign = await another('save', { path: 'a' }, { requestState, inputResponses: ALLOW })
    expect(foreign.error).toMatchObject({ code: -32602 })
    const [version, body = '', mac] = requestState.split('.')
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString())
    payload.p.tool = 'erase'
    const forged = [version, Buffer.from(JSON.stringify(payload)).toString('base64url'), mac].join('.')
    const refused = await call('erase', { path: 'a' }, { requestState: forged, inputResponses: ALLOW })
    expect(refused.error).toMatchObject({ code: -32602 })
  })

  it('does not count for a tool that is another by now', async () => {
    const runtime = runtimeWithTools()
    const call = await served(runtime)
    const { requestState } = (await call('save', { path: 'a' })).result ?? {}
    registerTool(runtime.globals, {
      ...{ name: 'save', description: 'save', metadata: { permissions: { required: ['write'] } } },
      params: { type: 'object', properties: { path: { type: 'string' } } },
      fn: () => 'another',
    })
    expect(asks(await call('save', { path: 'a' }, { requestState, inputResponses: ALLOW }))).toBe(true)
  })
})
