import { ToolMessage } from '@langchain/core/messages'
import { Command, interrupt, MemorySaver } from '@langchain/langgraph'
import { createRuntime } from 'agent-apps'
import { registerLangChainTools, skillsMiddleware, skillTools } from 'agent-apps/langchain'
import { createAgent, DynamicTool, tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, scriptedModel, seenResults } from '../support/langchain-model.js'

const search = tool(({ query, limit }) => `${limit} hits for ${query}`, {
  name: 'web_search',
  description: 'Searches the web.',
  schema: z.object({ query: z.string(), limit: z.number().default(3) }),
})
const schema = {
  type: 'object',
  properties: { city: { type: 'string', 'x-format': 'city' } },
  required: ['city'],
} as const
const forecast = tool((input: unknown) => `sunny in ${(input as { city: string }).city}`, {
  ...{ name: 'forecast', description: 'Tells the weather.', schema },
})

describe('registerLangChainTools', () => {
  it('lets a runtime find, check and call the tools, until it is undone', async () => {
    const runtime = createRuntime({ paths: [] })
    const undo = registerLangChainTools(runtime, [search, forecast], { prefix: 'lc-' })
    expect(await runtime.invoke('lc-web_search', { query: 'cats' })).toBe('3 hits for cats')
    await expect(runtime.invoke('lc-web_search', { query: 7 })).rejects.toMatchObject({
      ...{ code: 'ARGS_INVALID', message: expect.stringContaining('query') },
    })
    const found = await runtime.forAgent().findTool('lc-forecast')
    expect(found).toMatchObject({
      frontmatter: { description: 'Tells the weather.', params: schema },
      origin: { layer: 'programmatic' },
    })
    await expect(runtime.forAgent({ deny: 'lc-*' }).invoke('lc-forecast', { city: 'Bern' })).rejects.toThrow()
    undo()
    expect(await runtime.findTool('lc-forecast')).toBeNull()
    undo()
  })

  it('gives what is beside the content, as the result of a tool', async () => {
    const runtime = createRuntime({ paths: [] })
    const image = { type: 'image', mimeType: 'image/png', data: 'AAEC' }
    const fields = { description: 'Works.', schema: z.object({}) }
    registerLangChainTools(runtime, [
      tool(() => ['two', { rows: [1, 2] }], {
        ...{ ...fields, name: 'rows', responseFormat: 'content_and_artifact' },
      }),
      tool(() => [{ type: 'text', text: 'a cat' }, image], { ...fields, name: 'picture' }),
      tool(() => new Command({ update: {} }), { ...fields, name: 'command' }),
      tool(() => new ToolMessage({ content: 'No rows.', status: 'error', tool_call_id: 'x' }), {
        ...{ ...fields, name: 'failed' },
      }),
      new DynamicTool({ name: 'echo', description: 'Echoes.', func: async text => `${text}!` }),
    ])
    expect(await runtime.invoke('rows')).toEqual({
      ...{ title: 'rows', metadata: { artifact: { rows: [1, 2] } }, output: 'two' },
    })
    expect(await runtime.invoke('picture')).toMatchObject({ output: 'a cat', attachments: [image] })
    expect(await runtime.invoke('command')).toMatchObject({ error: 'TOOL_FAILED' })
    expect(await runtime.invoke('failed')).toEqual({ error: 'TOOL_FAILED', message: 'No rows.' })
    expect(await runtime.invoke('echo', { input: 'hi' })).toBe('hi!')
    const model = scriptedModel(calling('picture'), { text: '' })
    await createAgent({ model, ...(await skillTools(runtime)) }).invoke({ messages: 'Look.' })
    expect(seenResults(model)['call-picture']?.content).toEqual([{ type: 'text', text: 'a cat' }, image])
  })

  it('passes errors on, and the signal', async () => {
    const runtime = createRuntime({ paths: [] })
    const stop = new AbortController()
    let isAborted: unknown
    const fields = { description: 'Works.', schema: z.object({}) }
    registerLangChainTools(runtime, [
      tool(() => Promise.reject(new TypeError('Broken.')), { ...fields, name: 'fail' }),
      tool(
        (_, { signal }) =>
          new Promise<string>(resolve => {
            signal?.addEventListener('abort', () => {
              isAborted = true
              resolve('late')
            })
            stop.abort()
          }),
        { ...fields, name: 'wait' },
      ),
    ])
    await expect(runtime.invoke('fail')).rejects.toThrow('Broken.')
    await expect(runtime.invoke('wait', {}, { signal: stop.signal })).rejects.toThrow(/abort/i)
    expect(isAborted).toBe(true)
  })

  it('lets a tool interrupt the graph that runs the agent', async () => {
    const runtime = createRuntime({ paths: [] })
    const fields = { description: 'Asks.', schema: z.object({}) }
    registerLangChainTools(runtime, [tool(() => `said ${interrupt('Why?')}`, { ...fields, name: 'ask' })])
    const model = scriptedModel(calling('ask'), { text: 'Done.' })
    const middleware = [await skillsMiddleware(runtime)]
    const agent = createAgent({ model, middleware, checkpointer: new MemorySaver() })
    const thread = { configurable: { thread_id: 'chat-1' } }
    expect(await agent.invoke({ messages: 'Ask.' }, thread)).toMatchObject({
      __interrupt__: [{ value: 'Why?' }],
    })
    await agent.invoke(new Command({ resume: 'so' }), thread)
    expect(seenResults(model)['call-ask']).toEqual({ status: 'success', content: 'said so' })
  })

  it('registers all or none', async () => {
    const runtime = createRuntime({ paths: [] })
    const nameless = tool(() => '', { name: 'x'.repeat(65), description: '', schema: z.object({}) })
    expect(() => registerLangChainTools(runtime, [search, nameless])).toThrow(/xx/)
    expect(await runtime.findTool('web_search')).toBeNull()
    const wrong = { prefixx: 'a' } as object
    expect(() => registerLangChainTools(runtime, [], wrong)).toThrow('"prefixx"')
  })
})
