import { promises as fs, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, Tool, ToolRegistry } from 'agent-apps'
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { temporary } from '../support/temporary.js'
import { makeTree } from '../support/tree.js'

const { registerBuiltinTools } = ToolRegistry

const ReadSchema = z.object({ path: z.string().describe('File path to read') })
type ReadSchema = typeof ReadSchema
const MySchema = z.object({ param: z.string().describe('Parameter description') })
type MySchema = typeof MySchema

interface ReadMetadata extends Tool.Metadata {
  path: string
  bytes: number
}

const readTool = Tool.define<ReadSchema, ReadMetadata>('read', {
  description: 'Read file contents',
  parameters: z.object({
    path: z.string().describe('File path to read'),
  }),
  execute: async (args, ctx) => {
    // Stream progress updates
    ctx.metadata({ title: `Reading ${args.path}...` })

    const content = await fs.readFile(args.path, 'utf-8')

    return {
      title: `Read ${args.path}`,
      metadata: { path: args.path, bytes: content.length },
      output: content,
    }
  },
})

interface MyMetadata extends Tool.Metadata {
  // tool-specific fields
}

const myTool = Tool.define<MySchema, MyMetadata>('mytool', {
  description: 'Brief description (under 40 tokens)',
  parameters: z.object({
    param: z.string().describe('Parameter description'),
  }),
  execute: async (args, ctx) => {
    return {
      title: 'Result title',
      metadata: {
        /* ... */
      },
      output: `Result text ${args.param} ${ctx.agent} ${ctx.sessionID}`,
    }
  },
})

afterEach(() => {
  for (const { id } of ToolRegistry.list()) ToolRegistry.unregister(id)
})

function fileWith(text: string): string {
  const path = join(temporary(), 'a.txt')
  writeFileSync(path, text)
  return path
}

describe('Tool.define', () => {
  it('types the arguments and the context', () => {
    expectTypeOf<Parameters<Awaited<ReturnType<typeof readTool.init>>['execute']>[0]>().toEqualTypeOf<{
      path: string
    }>()
    expectTypeOf<Tool.Context['abort']>().toEqualTypeOf<AbortSignal>()
    expectTypeOf<Tool.Result<ReadMetadata>['metadata']['bytes']>().toBeNumber()
  })

  it('gives its id, and its definition when it is initialised', async () => {
    expect(readTool.id).toBe('read')
    expect((await readTool.init()).description).toBe('Read file contents')
    const dynamic = Tool.define('dynamic', async initCtx => ({
      description: `Works in ${initCtx.workingDir}`,
      parameters: z.object({}),
      execute: async () => ({ title: '', metadata: {}, output: '' }),
    }))
    expect((await dynamic.init({ workingDir: '/project' })).description).toBe('Works in /project')
  })

  it.each<[string, string, object, string]>([
    ['no id', '', { description: '', parameters: ReadSchema, execute: () => 1 }, 'is defined without an id'],
    ['no execute', 'a', { description: '', parameters: ReadSchema }, 'has no function `execute`'],
    ['JSON Schema', 'a', { parameters: { type: 'object' }, execute: () => 1 }, 'has no schema `parameters`'],
    [
      'an unknown field',
      'a',
      { parameters: ReadSchema, execute: () => 1, gated: true },
      'has the field "gated"',
    ],
  ])('refuses a definition with %s', async (_, id, definition, message) => {
    const error = { code: 'DEFINITION_INVALID', message: expect.stringContaining(message) }
    expect(() => Tool.define(id, definition as never)).toThrow(expect.objectContaining(error))
    if (id !== '')
      await expect(Tool.define(id, (async () => definition) as never).init()).rejects.toMatchObject(error)
  })
})

describe('ToolRegistry', () => {
  const init = async () => readTool.init()
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'is registered without an id'],
    ['a definition of defineTool', { name: 'x', execute: () => 1 }, 'is registered without an id'],
    ['an empty id', { id: '', init }, 'is registered without an id'],
    ['no init', { id: 'read' }, 'The tool "read" is registered without a function `init`'],
    [
      'no execute',
      { id: 'read', init, definition: { description: '', parameters: ReadSchema } },
      'The tool "read" has no function `execute`',
    ],
  ])('refuses %s, and keeps what it has', (_, info, message) => {
    ToolRegistry.register(readTool)
    const error = expect.objectContaining({
      code: 'DEFINITION_INVALID',
      message: expect.stringContaining(message),
    })
    expect(() => ToolRegistry.register(info as never)).toThrow(error)
    expect(() => registerBuiltinTools(temporary(), [{ tool: info as never }])).toThrow(error)
    expect(ToolRegistry.list()).toEqual([readTool])
  })

  it('refuses what `init` of a tool makes without a function', async () => {
    ToolRegistry.register({
      id: 'made',
      init: async () => ({ description: '', parameters: ReadSchema }) as never,
    })
    await expect(ToolRegistry.init('made')).rejects.toMatchObject({
      code: 'DEFINITION_INVALID',
      message: 'The tool "made" has no function `execute`.',
    })
  })

  it('runs a tool with the context that it is given, and keeps its last result', async () => {
    const path = fileWith('Hello')
    ToolRegistry.register(readTool, { permissions: { required: ['read'] } })
    const progress: unknown[] = []
    const result = await ToolRegistry.execute('read', { path }, { metadata: one => progress.push(one) })
    expect(result).toEqual({ title: `Read ${path}`, metadata: { path, bytes: 5 }, output: 'Hello' })
    expect(progress).toEqual([{ title: `Reading ${path}...` }])
    expect(ToolRegistry.lastResults.get('read')).toBe(result)
    await expect(ToolRegistry.execute('read', { path: 1 })).rejects.toMatchObject({ code: 'ARGS_INVALID' })
    await expect(ToolRegistry.execute('reed', {})).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(ToolRegistry.unregister('read')).toBe(true)
    expect(ToolRegistry.lastResults.size).toBe(0)
    expect(ToolRegistry.unregister('read')).toBe(false)
  })

  it('lists all tools, and those that permissions enable', () => {
    ToolRegistry.register(readTool, { permissions: { required: ['read'], optional: ['network'] } })
    ToolRegistry.register(myTool)
    expect(ToolRegistry.get('read')).toBe(readTool)
    expect(ToolRegistry.get('absent')).toBeUndefined()
    expect(ToolRegistry.list()).toEqual([readTool, myTool])
    expect(ToolRegistry.enabled([])).toEqual([myTool])
    expect(ToolRegistry.enabled(['write', 'read'])).toEqual([readTool, myTool])
  })

  it('offers its tools to every runtime, from the first to the last moment', async () => {
    const runtime = createRuntime({ paths: [], freshness: 'trust' })
    expect(await runtime.findTool('mytool')).toBeNull()
    ToolRegistry.register(myTool)
    expect((await runtime.findTool('mytool'))?.frontmatter.description).toBe(
      'Brief description (under 40 tokens)',
    )
    const ids = { agentId: 'me', sessionId: 's' }
    expect(await runtime.forAgent().invoke('mytool', { param: 'x' }, ids)).toMatchObject({
      title: 'Result title',
      output: 'Result text x me s',
    })
    ToolRegistry.unregister('mytool')
    expect(await runtime.findTool('mytool')).toBeNull()
  })

  it('hands on each step that a tool tells while it runs', async () => {
    const files = ['a.txt', 'b.txt']
    const processFile = async (_file: string) => {}
    const process = Tool.define('process', {
      description: 'Processes files',
      parameters: z.object({}),
      execute: async (_args, ctx) => {
        ctx.metadata({ title: 'Starting...' })

        for (const file of files) {
          ctx.metadata({ title: `Processing ${file}...` })
          await processFile(file)
        }

        return {
          title: 'Completed processing',
          metadata: { processedCount: files.length },
          output: 'All files processed successfully',
        }
      },
    })
    ToolRegistry.register(process)
    const steps = ['Starting...', 'Processing a.txt...', 'Processing b.txt...']
    const runtime = createRuntime({ paths: [], library: false })
    const told: unknown[] = []
    runtime.globals.events.on('tool:update', ({ title }) => told.push(title))
    const result = await runtime.forAgent().invoke('process')
    expect(result).toMatchObject({ title: 'Completed processing', metadata: { processedCount: 2 } })
    await expect.poll(() => told).toEqual(steps)
    const direct: unknown[] = []
    await ToolRegistry.execute('process', {}, { metadata: ({ title }) => direct.push(title) })
    expect(direct).toEqual(steps)
  })

  it('initialises a tool once, and again after a failure', async () => {
    const runtime = createRuntime({ paths: [] })
    let times = 0
    ToolRegistry.register(
      Tool.define('slow', async () => {
        times++
        if (times === 1) throw new Error('not yet')
        return {
          description: 'Is slow.',
          parameters: z.object({}),
          execute: async () => ({ title: '', metadata: {}, output: 'ran' }),
        }
      }),
    )
    expect(await runtime.findTool('slow')).toBeNull()
    await expect(ToolRegistry.execute('slow', {})).rejects.toThrow('not yet')
    const both = [ToolRegistry.execute('slow', {}), ToolRegistry.execute('slow', {})]
    expect((await Promise.all(both)).map(({ output }) => output)).toEqual(['ran', 'ran'])
    expect(times).toBe(2)
    expect(await runtime.invoke('slow')).toMatchObject({ output: 'ran' })
  })

  it('reads descriptions from files, beside the tools where there are some', async () => {
    const dir = makeTree({ 'read.txt': 'Reads below ${workspace}; ${cwd} and ${directory}; ${other}.\n' })
    const runtime = createRuntime({ paths: [] })
    registerBuiltinTools(dir, [
      { tool: readTool, permissions: { required: [] } },
      { tool: myTool, permissions: { required: [] } },
    ])
    const cwd = process.cwd()
    const shown = async (name: string): Promise<string | undefined> =>
      (await runtime.findTool(name))?.frontmatter.description
    expect(await shown('read')).toBe(`Reads below ${cwd}; ${cwd} and ${cwd}; \${other}.`)
    expect(await shown('mytool')).toBe('Brief description (under 40 tokens)')
    process.env.AGENT_WORKSPACE_ROOT = '/workspace'
    try {
      ToolRegistry.register(readTool, { descriptionPath: join(dir, 'read.txt') })
      expect(await shown('read')).toContain('Reads below /workspace;')
    } finally {
      delete process.env.AGENT_WORKSPACE_ROOT
    }
    expect(() => ToolRegistry.register(readTool, { descriptionPath: join(dir, 'absent.txt') })).toThrow(
      expect.objectContaining({ code: 'RESOURCE_NOT_FOUND', file: join(dir, 'absent.txt') }),
    )
  })

  it('refuses permissions and options that do not exist', () => {
    expect(() => ToolRegistry.register(readTool, { permissions: { required: ['raed'] } } as never)).toThrow(
      expect.objectContaining({ code: 'DEFINITION_INVALID' }),
    )
    expect(() => ToolRegistry.register(readTool, { permission: {} } as never)).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID', hint: 'Did you mean `permissions`?' }),
    )
    expect(ToolRegistry.list()).toEqual([])
  })
})
