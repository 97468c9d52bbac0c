import { setTimeout } from 'node:timers/promises'
import { ToolMessage } from '@langchain/core/messages'
import { createRuntime, defineTool, type Runtime } from 'agent-apps'
import { type SkillToolsOptions, skillTools, type ToolUse } from 'agent-apps/langchain'
import { createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, scriptedModel } from '../support/langchain-model.js'
import { type Execute, runtimeWith } from '../support/working-runtime.js'

/** The message with a result. */
async function given(execute: Execute, options: SkillToolsOptions = {}): Promise<ToolMessage> {
  return resultOf(runtimeWith(execute), {}, options)
}

async function resultOf(runtime: Runtime, args = {}, options: SkillToolsOptions = {}): Promise<ToolMessage> {
  const model = scriptedModel(calling('work', args), { text: 'Done.' })
  const agent = createAgent({ model, ...(await skillTools(runtime, options)) })
  const { messages } = await agent.invoke({ messages: 'Work.' })
  const found = messages.find(message => ToolMessage.isInstance(message))
  if (!found) throw new Error('There is no result.')
  return found
}

describe('what a model is shown', () => {
  it('the output of a structured result, of which the application has all', async () => {
    const result = { title: 'Two files', metadata: { count: 2 }, output: 'a\nb' }
    expect(await given(() => result)).toMatchObject({
      ...{ status: 'success', content: 'a\nb', artifact: result, name: 'work', tool_call_id: 'call-work' },
    })
    expect(await given(() => ({ a: [1] }))).toMatchObject({ content: '{"a":[1]}', artifact: { a: [1] } })
    expect(await given(() => undefined)).toMatchObject({ content: '' })
  })

  it('a failure that the tool returns', async () => {
    const failure = { error: 'NOT_THERE', message: 'No such page.' }
    expect(await given(() => failure)).toMatchObject({
      ...{ status: 'error', content: JSON.stringify(failure), artifact: failure },
    })
  })

  it('what a tool throws, without a stack', async () => {
    const failing: Execute = () => {
      throw Object.assign(new Error('No space.'), { code: 'ENOSPC', hint: 'Delete a file.' })
    }
    const content = '{"error":"ENOSPC","message":"No space.","hint":"Delete a file."}'
    expect(await given(failing)).toMatchObject({ status: 'error', content })
  })

  it('the fault of its arguments, in our words', async () => {
    const runtime = createRuntime({ paths: [] })
    runtime.register(
      defineTool({
        ...{ name: 'work', description: 'Works.' },
        params: z.object({ hours: z.number() }),
        execute: () => 1,
      }),
    )
    expect(await resultOf(runtime, { hours: 'two' })).toMatchObject({
      ...{ status: 'error', content: expect.stringMatching(/ARGS_INVALID.*hours/) },
    })
  })

  it('attachments as blocks of the content', async () => {
    const attachments = [
      { mime: 'image/png', url: 'data:image/png;base64,AAEC' },
      { mediaType: 'application/pdf', data: 'JVBERg==', filename: 'a.pdf' },
      { url: 'https://example.org/b.png', mediaType: 'image/png' },
    ]
    const { content } = await given(() => ({ title: '', metadata: {}, output: 'See below.', attachments }))
    expect(content).toEqual([
      { type: 'text', text: 'See below.' },
      { type: 'image', mimeType: 'image/png', data: 'AAEC' },
      { type: 'file', mimeType: 'application/pdf', data: 'JVBERg==', metadata: { filename: 'a.pdf' } },
      { type: 'text', text: 'https://example.org/b.png' },
    ])
  })
})

describe('what the application is told', () => {
  it('each result with its call', async () => {
    const results: [unknown, ToolUse][] = []
    const onToolResult = (result: unknown, use: ToolUse): void => void results.push([result, use])
    await given(() => ({ a: 1 }), { onToolResult })
    expect(results).toEqual([[{ a: 1 }, { tool: 'work', args: {}, callId: 'call-work' }]])
  })

  it('the progress of a call, as events of its run', async () => {
    const runtime = runtimeWith(async (_, { update }) => {
      update({ title: 'Half', progress: 1, total: 2 })
      await setTimeout(5)
      return 'whole'
    })
    const seen: unknown[] = []
    const { tools } = await skillTools(runtime)
    const call = { type: 'tool_call' as const, id: 'a', name: 'work', args: {} }
    const callbacks = [{ handleToolEvent: (chunk: unknown) => void seen.push(chunk) }]
    expect(await tools[0]?.invoke(call, { callbacks })).toMatchObject({ content: 'whole' })
    expect(seen).toEqual([{ title: 'Half', progress: 1, total: 2 }])
    expect(runtime.globals.events.listeners.size).toBe(0)
  })

  it('what went wrong, where it calls a tool itself', async () => {
    const [work] = (await skillTools(runtimeWith(() => ({ a: 1 })))).tools
    expect(await work?.invoke({})).toBe('{"a":1}')
    const failing = runtimeWith(() => {
      throw new TypeError('Broken.')
    })
    await expect((await skillTools(failing)).tools[0]?.invoke({})).rejects.toThrow(TypeError)
  })
})

describe('what a tool gets', () => {
  it('the id of the call', async () => {
    expect(await given((_, { callId }) => callId)).toMatchObject({ content: 'call-work' })
  })

  it('the thread as its session, unless the policy names one', async () => {
    const runtime = runtimeWith((_, { sessionId }) => sessionId)
    for (const [policy, session] of [
      [{}, 'chat-1'],
      [{ sessionId: 'mine' }, 'mine'],
    ] as const) {
      const { tools } = await skillTools(runtime, { policy })
      expect(await tools[0]?.invoke({}, { configurable: { thread_id: 'chat-1' } })).toBe(session)
    }
  })

  it('the signal, which ends it', async () => {
    const stop = new AbortController()
    let ended: unknown
    const runtime = runtimeWith(async (_, { signal }) => {
      stop.abort()
      ended = await setTimeout(60_000, 'late', { signal }).catch(error => error.name)
    })
    const model = scriptedModel(calling('work'), { text: 'Done.' })
    const agent = createAgent({ model, ...(await skillTools(runtime)) })
    await expect(agent.invoke({ messages: 'Work.' }, { signal: stop.signal })).rejects.toThrow(/abort/i)
    await expect.poll(() => ended).toBe('AbortError')
    expect(model.callCount).toBe(1)
    // It is not a failure for a model to read, whoever runs the tool.
    const call = { type: 'tool_call' as const, id: 'a', name: 'work', args: {} }
    const [work] = (await skillTools(runtime)).tools
    await expect(work?.invoke(call, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i)
  })
})
