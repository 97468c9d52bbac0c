import { setTimeout } from 'node:timers/promises'
import { createRuntime, defineTool } from 'agent-apps'
import { skillTools, toAiTool } from 'agent-apps/ai-sdk'
import { generateText, stepCountIs, streamText, ToolLoopAgent } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, dataPart, scriptedModel, seenResults, seenSystem } from '../support/ai-model.js'
import { type Execute, runtimeWith } from '../support/working-runtime.js'

/** What a model is shown of a result. */
async function shown(execute: Execute, input: unknown = {}): Promise<unknown> {
  const model = scriptedModel(calling('work', input), { text: 'Done.' })
  const skills = await skillTools(runtimeWith(execute))
  await generateText({ ...skills, model, prompt: 'Work.', stopWhen: stepCountIs(2) })
  return seenResults(model)['call-work']
}

describe('what a model is shown', () => {
  it('the output of a structured result, and JSON of what is not text', async () => {
    expect(await shown(() => ({ title: 'Two files', metadata: { count: 2 }, output: 'a\nb' }))).toEqual({
      ...{ type: 'text', value: 'a\nb' },
    })
    expect(await shown(() => ({ a: [1] }))).toEqual({ type: 'text', value: '{"a":[1]}' })
    expect(await shown(() => undefined)).toEqual({ type: 'text', value: '' })
  })

  it('a failure that the tool returns', async () => {
    expect(await shown(() => ({ error: 'NOT_THERE', message: 'No such page.' }))).toEqual({
      ...{ type: 'error-text', value: '{"error":"NOT_THERE","message":"No such page."}' },
    })
  })

  it('what a tool throws, without a stack', async () => {
    const failing: Execute = () => {
      throw Object.assign(new Error('No space.'), { code: 'ENOSPC', hint: 'Delete a file.' })
    }
    expect(await shown(failing)).toEqual({
      ...{ type: 'error-text' },
      value: '{"error":"ENOSPC","message":"No space.","hint":"Delete a file."}',
    })
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
    const model = scriptedModel(calling('work', { hours: 'two' }), { text: 'Done.' })
    await generateText({
      ...(await skillTools(runtime)),
      ...{ model, prompt: 'Work.', stopWhen: stepCountIs(2) },
    })
    expect(seenResults(model)['call-work']).toMatchObject({
      type: 'error-text',
      value: expect.stringMatching(/ARGS_INVALID.*hours/),
    })
  })

  it('attachments as parts of the content', async () => {
    const attachments = [
      { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AAEC' },
      { mediaType: 'application/pdf', data: 'JVBERg==', filename: 'a.pdf' },
      { mimeType: 'application/pdf', data: new Uint8Array([1, 2]) },
      { type: 'file', mime: 'application/pdf', name: 'docs/c.pdf', data: 'JVBERg==' },
      { url: 'https://example.org/b.png', mediaType: 'image/png' },
      { url: 'data:,a%20b' },
      { url: 'data:,%' },
      { text: 'in words' },
      'words',
      { anything: 7 },
    ]
    expect(await shown(() => ({ title: '', metadata: {}, output: 'See below.', attachments }))).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'See below.' },
        dataPart('AAEC', 'image/png'),
        dataPart('JVBERg==', 'application/pdf', 'a.pdf'),
        dataPart('AQI=', 'application/pdf'),
        dataPart('JVBERg==', 'application/pdf', 'docs/c.pdf'),
        { type: 'text', text: 'https://example.org/b.png' },
        dataPart('YSBi', 'text/plain'),
        { type: 'text', text: 'data:,%' },
        { type: 'text', text: 'in words' },
        { type: 'text', text: 'words' },
        { type: 'text', text: '{"anything":7}' },
      ],
    })
  })
})

describe('what a tool gets', () => {
  it('the id of the call', async () => {
    expect(await shown((_, { callId }) => callId)).toEqual({ type: 'text', value: 'call-work' })
  })

  it('the signal, which ends it', async () => {
    const stop = new AbortController()
    let ended: unknown
    const runtime = runtimeWith(async (_, { signal }) => {
      stop.abort()
      ended = await setTimeout(60_000, 'late', { signal }).catch(error => error.name)
    })
    const model = scriptedModel(calling('work'), { text: 'Done.' })
    const skills = await skillTools(runtime)
    const generated = generateText({
      ...skills,
      ...{ model, prompt: 'Work.', stopWhen: stepCountIs(2), abortSignal: stop.signal },
    })
    await expect(generated).rejects.toThrow(/abort/i)
    await expect.poll(() => ended).toBe('AbortError')
  })
})

describe('progress', () => {
  const reporting: Execute = async (_, { update }) => {
    update({ title: 'Half', progress: 1, total: 2 })
    await setTimeout(5)
    return 'whole'
  }

  it('becomes preliminary results, of the call alone that reports it', async () => {
    const runtime = runtimeWith(reporting)
    runtime.register(
      defineTool({
        ...{ name: 'outer', description: 'Calls.' },
        execute: async (_, { invoke, update }) => {
          update({ title: 'Calls' })
          return invoke('work')
        },
      }),
    )
    const calls = [
      { id: 'a', name: 'work', input: {} },
      { id: 'b', name: 'outer', input: {} },
    ]
    const { tools } = await skillTools(runtime)
    const { fullStream } = streamText({
      ...{ model: scriptedModel({ calls }, { text: 'Done.' }), tools, prompt: 'Work.' },
    })
    const seen: Record<string, unknown[]> = { a: [], b: [] }
    for await (const part of fullStream)
      if (part.type === 'tool-result') seen[part.toolCallId]?.push([part.preliminary ?? false, part.output])
    const half = { title: 'Half', progress: 1, total: 2 }
    expect(seen.a).toEqual([
      [true, half],
      [true, 'whole'],
      [false, 'whole'],
    ])
    expect(seen.b).toEqual([
      [true, { title: 'Calls' }],
      [true, 'whole'],
      [false, 'whole'],
    ])
  })

  it('is reported of no two calls that run by one id, which may be of two conversations', async () => {
    const runtime = runtimeWith((_, { update }) => update({ title: 'Half' }))
    let both: () => void = () => undefined
    const bothRun = new Promise<void>(resolve => {
      both = resolve
    })
    let waiting = 0
    const shared: Execute = async (_, { update }) => {
      if (++waiting === 2) both()
      await bothRun
      update({ title: 'Secret' })
      return 'whole'
    }
    runtime.register(defineTool({ name: 'shared', description: 'Works.', execute: shared }))
    const outputs = async (name: string): Promise<unknown[]> => {
      const { tools } = await skillTools(runtime)
      const model = scriptedModel(calling(name, {}, 'call_0'))
      const seen: unknown[] = []
      for await (const part of streamText({ model, tools, prompt: 'Work.' }).fullStream)
        if (part.type === 'tool-result' && part.preliminary) seen.push(part.output)
      return seen
    }
    expect(await Promise.all([outputs('shared'), outputs('shared')])).toEqual([['whole'], ['whole']])
    // Once they have ended, the id is free again.
    expect(await outputs('work')).toEqual([{ title: 'Half' }, undefined])
  })

  it('is listened to only while a call runs', async () => {
    const runtime = runtimeWith(reporting)
    const { tools } = await skillTools(runtime)
    const model = scriptedModel(calling('work'))
    await generateText({ model, tools, prompt: 'Work.' })
    expect(runtime.globals.events.listeners.size).toBe(0)
  })
})

describe('the SDK', () => {
  it('an agent of its own takes the tools and the instructions', { tags: 'long' }, async () => {
    const runtime = createRuntime({ paths: ['examples/skills'] })
    const { tools, instructions } = await skillTools(runtime)
    const model = scriptedModel(calling('load-skill', { name: 'review' }), { text: 'Done.' })
    const agent = new ToolLoopAgent({ model, tools, instructions })
    const { text } = await agent.generate({ prompt: 'Review.' })
    expect(text).toBe('Done.')
    expect(seenSystem(model)).toContain('<name>review</name>')
    expect(seenResults(model)['call-load-skill']).toMatchObject({ type: 'text' })
  })

  it('takes one tool of an agent', async () => {
    const agent = runtimeWith(() => 'worked').forAgent()
    const tool = await agent.findTool('work')
    const model = scriptedModel(calling('mine'), { text: '' })
    const tools = tool ? { mine: toAiTool(agent, tool) } : {}
    await generateText({ model, tools, prompt: 'Work.', stopWhen: stepCountIs(2) })
    expect(seenResults(model)['call-mine']).toEqual({ type: 'text', value: 'worked' })
  })
})
