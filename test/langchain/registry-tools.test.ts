import { createRuntime, defineTool, ToolRegistry as OwnRegistry, Tool } from 'agent-apps'
import { skillTools, ToolRegistry } from 'agent-apps/langchain'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, scriptedModel, seenResults } from '../support/langchain-model.js'
import { makeTree } from '../support/tree.js'

interface ReadMetadata extends Tool.Metadata {
  bytes: number
}
const parameters = z.object({ path: z.string().describe('File path to read') })

const answer = () => ({ title: '', metadata: {}, output: 'done' })

function named(
  id: string,
  definition: Parameters<typeof Tool.define<typeof parameters>>[1] = {
    description: 'Does it.',
    parameters,
    execute: answer,
  },
) {
  return Tool.define(id, definition)
}

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

  it('gives the tools of a runtime and of its workspace too, each once', async () => {
    ToolRegistry.register(named('grep'))
    ToolRegistry.register(named('mine', () => ({ description: 'Late.', parameters, execute: answer })))
    const skills = makeTree({ 'text.skill.md': '---\nname: text\ndescription: A text.\n---\nBe kind.\n' })
    const runtime = createRuntime({ paths: [skills], workspace: makeTree({ 'a.txt': 'one\n' }) })
    runtime.register(defineTool({ name: 'add', execute: () => ({ sum: 3 }) }))
    const results: Tool.Result[] = []
    const tools = await ToolRegistry.tools({
      runtime,
      permissions: ['read'],
      onToolResult: result => results.push(result),
    })
    const names = tools.map(({ name }) => name)
    const ofWorkspace = ['glob', 'list', 'read', 'todoread', 'todowrite']
    expect(names.slice(0, 2)).toEqual(['grep', 'mine'])
    expect(names.slice(2).sort()).toEqual(['add', ...ofWorkspace].sort())
    const model = scriptedModel(
      calling('read', { path: 'a.txt' }),
      calling('grep', { path: 'a.txt' }),
      calling('add'),
      calling('list', { path: 'none' }),
      { text: 'Done.' },
    )
    await createAgent({ model, tools }).invoke({ messages: 'Read.' })
    expect(seenResults(model)).toMatchObject({
      'call-read': { status: 'success', content: expect.stringContaining('one') },
      'call-grep': { status: 'success', content: 'done' },
      'call-add': { status: 'success', content: '{"sum":3}' },
      'call-list': { status: 'error' },
    })
    expect(results.slice(0, 3)).toMatchObject([
      { title: 'Read a.txt' },
      { title: '', output: 'done' },
      { title: 'add', metadata: { result: { sum: 3 } }, output: '{"sum":3}' },
    ])
    const { tools: ofAgent } = await skillTools(runtime, { policy: { permissions: ['read'] } })
    const toSkills = ['load-skill', 'read-skill-resource']
    expect(ofAgent.map(({ name }) => name).sort()).toEqual([...names, ...toSkills].sort())
    await runtime.close()
  })

  it('gives only tools that need no other permissions', async () => {
    ToolRegistry.register(named('reader'), { permissions: { required: ['read'] } })
    ToolRegistry.register(named('writer'), { permissions: { required: ['read', 'write'] } })
    const namesOf = async (options: object) => (await ToolRegistry.tools(options)).map(({ name }) => name)
    expect(await namesOf({})).toEqual(['reader', 'writer'])
    expect(await namesOf({ permissions: ['read'] })).toEqual(['reader'])
    const workspace = makeTree({ 'a.txt': 'one\n' })
    const runtime = createRuntime({ paths: [], workspace })
    expect(await namesOf({ runtime })).toEqual(['reader', 'writer'])
    expect(await namesOf({ runtime, permissions: [] })).toEqual([])
    expect(await namesOf({ runtime, permissions: ['read', 'write'] })).toContain('edit')
    expect(await namesOf({ runtime, permissions: ['read'] })).not.toContain('edit')
    const granting = createRuntime({ paths: [], workspace, policy: { permissions: ['read'] } })
    expect(await namesOf({ runtime: granting })).toContain('read')
    await expect(ToolRegistry.tools({ runtime, permissions: ['reed' as never] })).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
    await Promise.all([runtime.close(), granting.close()])
  })

  it('gives the same objects for the same options, and others for others', async () => {
    ToolRegistry.register(named('mine'))
    const runtime = createRuntime({ paths: [], workspace: makeTree({}) })
    const options = { runtime, permissions: ['read' as const], createContext: () => ({ sessionID: 'one' }) }
    const [first, second] = await Promise.all([ToolRegistry.tools(options), ToolRegistry.tools(options)])
    const isSame = (tools: readonly object[]) => tools.map((tool, at) => tool === first?.[at])
    expect(first?.length).toBeGreaterThan(5)
    const other = await ToolRegistry.tools({ ...options, createContext: () => ({ sessionID: 'two' }) })
    const third = await ToolRegistry.tools({ ...options, permissions: ['read'] })
    for (const again of [second, third]) expect(new Set(isSame(again ?? []))).toEqual(new Set([true]))
    expect(new Set(isSame(other))).toEqual(new Set([false]))
    ToolRegistry.register(named('mine'))
    const [replaced, ...rest] = isSame(await ToolRegistry.tools(options))
    expect(replaced).toBe(false)
    expect(new Set(rest)).toEqual(new Set([true]))
    await runtime.close()
  })

  it('gives calls of a runtime the context of the program, and else the session of the thread', async () => {
    const seen: unknown[] = []
    const runtime = createRuntime({ paths: [] })
    runtime.register(
      defineTool({
        name: 'who',
        params: parameters,
        execute: (_, { sessionId, agentId, callId }) => void seen.push({ sessionId, agentId, callId }),
      }),
    )
    ToolRegistry.register(
      named('mine', {
        description: '',
        parameters,
        execute: (_, { sessionID }) => {
          seen.push(sessionID)
          return answer()
        },
      }),
    )
    const thread = { configurable: { thread_id: 'thread-1' } }
    const call = (name: string) => ({ type: 'tool_call' as const, name, args: { path: '' }, id: 'call-1' })
    for (const tool of await ToolRegistry.tools({ runtime })) await tool.invoke(call(tool.name), thread)
    const createContext = (id: string) => ({ sessionID: `chat ${id}`, agent: 'reader' })
    for (const tool of await ToolRegistry.tools({ runtime, createContext }))
      await tool.invoke(call(tool.name), thread)
    expect(seen).toEqual([
      'thread-1',
      { sessionId: 'thread-1', agentId: undefined, callId: 'call-1' },
      'chat mine',
      { sessionId: 'chat who', agentId: 'reader', callId: 'call-1' },
    ])
    await runtime.close()
  })

  it('has execute call the last onToolResult, and a model only its own', async () => {
    ToolRegistry.register(named('mine'))
    const seen: unknown[] = []
    const [tool] = await ToolRegistry.tools({ onToolResult: ({ output }) => seen.push(`first ${output}`) })
    await ToolRegistry.tools({ onToolResult: (_, use) => seen.push(use) })
    await ToolRegistry.tools()
    const args = { path: 'a' }
    await ToolRegistry.execute('mine', args, { callID: 'call-1' })
    expect(seen).toEqual([{ tool: 'mine', args, callId: 'call-1' }])
    await tool?.invoke(args)
    expect(seen.slice(1)).toEqual(['first done'])
    await OwnRegistry.execute('mine', args)
    expect(seen.length).toBe(2)
  })

  it('gives what init throws, and refuses options that it does not know', async () => {
    ToolRegistry.register(Tool.define('broken', () => Promise.reject(new Error('no connection'))))
    await expect(ToolRegistry.tools()).rejects.toThrow('no connection')
    await expect(ToolRegistry.tools({ context: {} } as object)).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
  })
})
