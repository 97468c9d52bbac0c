import { Tool } from 'agent-apps'
import { ToolRegistry } from 'agent-apps/langchain'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, scriptedModel, seenResults } from '../support/langchain-model.js'

interface ReadMetadata extends Tool.Metadata {
  bytes: number
}
const parameters = z.object({ path: z.string().describe('File path to read') })

afterEach(() => {
  for (const { id } of ToolRegistry.list()) ToolRegistry.unregister(id)
})

describe('ToolRegistry.tools', () => {
  it('gives tools to an agent, with contexts and results of the program', async () => {
    const contexts: Tool.Context[] = []
    const results: Tool.Result[] = []
    let initCtx: unknown
    const readTool = Tool.define<typeof parameters, ReadMetadata>('read', given => {
      initCtx = given
      return {
        description: 'Read file contents',
        parameters,
        execute: async ({ path }, ctx) => {
          contexts.push(ctx)
          return { title: `Read ${path}`, metadata: { bytes: 3 }, output: `all of ${path}` }
        },
      }
    })
    ToolRegistry.register(readTool, { permissions: { required: ['read'] } })
    const tools = await ToolRegistry.tools({
      initCtx: { workingDir: '/project' },
      createContext: (toolId, callId) => ({ sessionID: `${toolId} ${callId}` }),
      onToolResult: result => results.push(result),
    })
    expect(initCtx).toEqual({ workingDir: '/project' })
    const model = scriptedModel(calling('read', { path: 'a.md' }), calling('read', { path: 7 }, 'wrong'), {
      text: 'Done.',
    })
    await createAgent({ model, tools }).invoke({ messages: 'Read.' })
    expect(model.offered).toMatchObject([
      { name: 'read', description: 'Read file contents', schema: { required: ['path'] } },
    ])
    expect(seenResults(model)).toEqual({
      'call-read': { status: 'success', content: 'all of a.md' },
      wrong: { status: 'error', content: expect.stringMatching(/ARGS_INVALID.*path/) },
    })
    const result = { title: 'Read a.md', metadata: { bytes: 3 }, output: 'all of a.md' }
    expect(results).toEqual([result])
    expect(ToolRegistry.lastResults.get('read')).toEqual(result)
    const [context] = contexts
    expect(context).toMatchObject({ sessionID: 'read call-read', callID: 'call-read', agent: '' })
    expect(context?.abort).toBeInstanceOf(AbortSignal)
  })

  it('initialises a tool once', async () => {
    let count = 0
    const execute = () => ({ title: '', metadata: {}, output: '' })
    ToolRegistry.register(
      Tool.define('count', () => ({ description: `${++count}`, parameters: z.object({}), execute })),
    )
    await ToolRegistry.tools({ initCtx: { workingDir: '/a' } })
    const [tool] = await ToolRegistry.tools()
    expect(tool?.description).toBe('1')
    expect((await ToolRegistry.init('count')).description).toBe('1')
    await expect(ToolRegistry.init('none')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('gives what init throws, and refuses options that it does not know', async () => {
    ToolRegistry.register(Tool.define('broken', () => Promise.reject(new Error('no connection'))))
    await expect(ToolRegistry.tools()).rejects.toThrow('no connection')
    await expect(ToolRegistry.tools({ context: {} } as object)).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
  })
})
