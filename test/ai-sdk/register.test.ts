import { createRuntime } from 'agent-apps'
import { registerAiTools, skillTools } from 'agent-apps/ai-sdk'
import { dynamicTool, generateText, jsonSchema, stepCountIs, type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, dataPart, scriptedModel, seenResults } from '../support/ai-model.js'

const search = tool({
  description: 'Searches the web.',
  inputSchema: z.object({ query: z.string().trim(), limit: z.number().default(3) }),
  execute: ({ query, limit }, { toolCallId }) => `${limit} hits for ${query} (${toolCallId})`,
})
const city = { type: 'string' as const, 'x-format': 'city' }
const schema = { type: 'object' as const, properties: { city }, required: ['city'] }
const forecast = dynamicTool({
  description: 'Tells the weather.',
  inputSchema: jsonSchema(schema),
  execute: input => ({ sunny: (input as { city: string }).city }),
})
const inputSchema = z.object({})

describe('registerAiTools', () => {
  it('lets a runtime find, check and call the tools, until it is undone', async () => {
    const runtime = createRuntime({ paths: [] })
    const undo = registerAiTools(runtime, { web_search: search, forecast }, { prefix: 'ai-' })
    const said = await runtime.invoke('ai-web_search', { query: ' cats ' }, { callId: 'c' })
    expect(said).toBe('3 hits for cats (c)')
    await expect(runtime.invoke('ai-web_search', { query: 7 })).rejects.toMatchObject({
      ...{ code: 'ARGS_INVALID', message: expect.stringContaining('query') },
    })
    expect(await runtime.forAgent().findTool('ai-forecast')).toMatchObject({
      frontmatter: { description: 'Tells the weather.', params: schema },
      origin: { layer: 'programmatic' },
    })
    expect(await runtime.invoke('ai-forecast', { city: 'Bern' })).toEqual({ sunny: 'Bern' })
    await expect(runtime.forAgent({ deny: 'ai-*' }).invoke('ai-forecast', { city: 'Bern' })).rejects.toThrow()
    undo()
    expect(await runtime.findTool('ai-forecast')).toBeNull()
    undo()
  })

  it('takes a schema that comes later, and what only the schema’s own library checks', async () => {
    const runtime = createRuntime({ paths: [] })
    registerAiTools(runtime, {
      later: dynamicTool({
        description: 'Works.',
        inputSchema: jsonSchema(async () => schema),
        execute: input => input,
      }),
      even: tool({
        description: 'Works.',
        inputSchema: z.object({ n: z.number().refine(n => n % 2 === 0, 'must be even') }),
        execute: ({ n }) => n,
      }),
    })
    expect(await runtime.invoke('later', { city: 'Bern' })).toEqual({ city: 'Bern' })
    await expect(runtime.invoke('later', {})).rejects.toMatchObject({ code: 'ARGS_INVALID' })
    expect(await runtime.invoke('even', { n: 2 })).toBe(2)
    await expect(runtime.invoke('even', { n: 3 })).rejects.toMatchObject({
      ...{ code: 'ARGS_INVALID', message: expect.stringContaining('must be even') },
    })
  })

  it('gives what the tool shows a model, as the result of a tool', async () => {
    const runtime = createRuntime({ paths: [] })
    const shows = (value: unknown) =>
      tool({ description: 'Works.', inputSchema, execute: () => 7, toModelOutput: () => value as never })
    registerAiTools(runtime, {
      text: shows({ type: 'text', value: 'seven' }),
      json: shows({ type: 'json', value: { seven: 7 } }),
      picture: shows({
        type: 'content',
        value: [{ type: 'text', text: 'a cat' }, dataPart('AAEC', 'image/png')],
      }),
      link: shows({ type: 'content', value: [{ type: 'image-url', url: 'https://example.org/a.png' }] }),
      failed: shows({ type: 'error-json', value: { why: 'late' } }),
      denied: shows({ type: 'execution-denied', reason: 'not on Fridays' }),
    })
    const metadata = { output: 7 }
    expect(await runtime.invoke('text')).toEqual({ title: 'text', metadata, output: 'seven' })
    expect(await runtime.invoke('json')).toEqual({ title: 'json', metadata, output: { seven: 7 } })
    expect(await runtime.invoke('picture')).toEqual({
      ...{ title: 'picture', metadata, output: 'a cat' },
      attachments: [{ data: 'AAEC', mediaType: 'image/png' }],
    })
    expect(await runtime.invoke('link')).toMatchObject({
      attachments: [{ url: 'https://example.org/a.png' }],
    })
    expect(await runtime.invoke('failed')).toEqual({ error: 'TOOL_FAILED', message: '{"why":"late"}' })
    expect(await runtime.invoke('denied')).toEqual({ error: 'TOOL_FAILED', message: 'not on Fridays' })
    // There and back again.
    const model = scriptedModel(calling('picture'), { text: '' })
    const skills = await skillTools(runtime)
    await generateText({ ...skills, model, prompt: 'Look.', stopWhen: stepCountIs(2) })
    expect(seenResults(model)['call-picture']).toMatchObject({
      value: [{ type: 'text', text: 'a cat' }, dataPart('AAEC', 'image/png')],
    })
  })

  it('reports preliminary results as progress, and the last as the result', async () => {
    const runtime = createRuntime({ paths: [] })
    const steps = tool({
      ...{ description: 'Works.', inputSchema },
      async *execute() {
        yield 'half'
        yield 'whole'
      },
    })
    registerAiTools(runtime, { steps })
    const seen: unknown[] = []
    runtime.globals.events.on('tool:update', ({ metadata }) => void seen.push(metadata))
    expect(await runtime.invoke('steps')).toBe('whole')
    expect(seen).toEqual([{ output: 'half' }])
  })

  it('asks about what needs approval, and passes errors and the signal on', async () => {
    const runtime = createRuntime({ paths: [] })
    const stop = new AbortController()
    let isAborted: unknown
    registerAiTools(runtime, {
      gated: tool({ description: 'Works.', inputSchema, needsApproval: () => false, execute: () => 1 }),
      fail: tool({
        ...{ description: 'Works.', inputSchema },
        execute: async (): Promise<string> => {
          throw new TypeError('Broken.')
        },
      }),
      wait: tool({
        ...{ description: 'Works.', inputSchema },
        execute: (_, { abortSignal }) =>
          new Promise<string>(resolve => {
            abortSignal?.addEventListener('abort', () => {
              isAborted = true
              resolve('late')
            })
            stop.abort()
          }),
      }),
    })
    const { decision } = await runtime.forAgent().authorize('gated')
    expect(decision).toBe('ask')
    await expect(runtime.invoke('fail')).rejects.toThrow('Broken.')
    expect(await runtime.invoke('wait', {}, { signal: stop.signal })).toBe('late')
    expect(isAborted).toBe(true)
  })

  it('registers all or none', async () => {
    const runtime = createRuntime({ paths: [] })
    const elsewhere = tool({ description: 'Runs at the client.', inputSchema, outputSchema: z.string() })
    expect(() => registerAiTools(runtime, { search, elsewhere } as ToolSet)).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID', message: expect.stringContaining('"elsewhere"') }),
    )
    expect(await runtime.findTool('search')).toBeNull()
    const wrong = { prefixx: 'a' } as object
    expect(() => registerAiTools(runtime, {}, wrong)).toThrow('"prefixx"')
  })
})
