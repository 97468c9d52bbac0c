import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  createRuntime,
  defineTool,
  emptyGlobals,
  findTool,
  invoke,
  registerTool,
  unregisterTool,
} from 'agent-apps'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defaultGlobals } from '../support/default-globals.js'
import { ROOT, runCode } from '../support/processes.js'
import { makeTree, skill } from '../support/tree.js'

afterEach(() => {
  for (const name of [...defaultGlobals().tools.programmaticTools.keys()])
    unregisterTool(defaultGlobals(), name)
})

const definition = {
  name: 'double',
  description: 'Doubles a number.',
  params: z.object({ number: z.number().default(2) }),
  execute: ({ number }: { number: number }) => 2 * number,
}

describe('runtime.register', () => {
  it.each(['trust', 'check'] as const)('adds a definition until it is undone, under %s', async freshness => {
    const dir = makeTree({ 'double/SKILL.md': skill('double', 'From disk.\n') })
    const runtime = createRuntime({ paths: [dir], freshness })
    expect(await runtime.invoke('double')).toBe('From disk.\n')
    const undo = runtime.register(definition)
    expect(await runtime.invoke('double', { number: 4 })).toBe(8)
    expect(await runtime.invoke('double')).toBe(4)
    await expect(runtime.invoke('double', { number: 'x' })).rejects.toMatchObject({ code: 'ARGS_INVALID' })
    expect((await runtime.listTools()).find(({ name }) => name === 'double')?.frontmatter.description).toBe(
      'Doubles a number.',
    )
    undo()
    undo()
    expect(await runtime.invoke('double')).toBe('From disk.\n')
  })

  it('adds what `defineTool` gives, at once or when its definition is made', async () => {
    const runtime = createRuntime({ paths: [] })
    runtime.register(defineTool(definition), { src: 'mcp://numbers/double' })
    expect(await runtime.invoke('mcp://numbers/double', { number: 3 })).toBe(6)
    const undo = runtime.register(defineTool('late', async () => ({ execute: () => 'made' })))
    expect(await runtime.invoke('late')).toBe('made')
    undo()
    expect(await runtime.findTool('late')).toBeNull()
    runtime.register(defineTool('never', async () => ({ execute: () => 'made' })))()
    expect(await runtime.findTool('never')).toBeNull()
  })

  it('leaves out a tool whose definition cannot be made, and says so', async () => {
    const runtime = createRuntime({ paths: [] })
    runtime.register(
      defineTool('broken', async () => {
        throw new Error('no connection')
      }),
    )
    runtime.register(definition)
    expect(await runtime.findTool('broken')).toBeNull()
    expect(await runtime.invoke('double')).toBe(4)
    expect(runtime.diagnostics()).toMatchObject([
      { rule: 'definition-fails', reason: 'The definition of "broken" cannot be made: no connection' },
    ])
  })

  it('adds a function under its name or another', async () => {
    const runtime = createRuntime({ paths: [] })
    const undo = runtime.register(function greet() {
      return 'hello'
    })
    runtime.register((_ctx, args) => args, { name: 'echo', params: { type: 'object' } })
    expect(await runtime.invoke('greet')).toBe('hello')
    expect(await runtime.invoke('echo', { a: 1 })).toEqual({ a: 1 })
    undo()
    expect(await runtime.findTool('greet')).toBeNull()
    expect(() => runtime.register(() => 1)).toThrow(expect.objectContaining({ code: 'NAME_INVALID' }))
    expect(() => runtime.register(() => 1, { name: 'a', parms: {} } as never)).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID', hint: 'Did you mean `params`?' }),
    )
  })

  it('guards the calls of a function and of a definition', async () => {
    const runtime = createRuntime({ paths: [], library: false, policy: { permissions: ['read'] } })
    const guards = {
      'asks-first': { gated: true },
      'needs-write': { permissions: { required: ['write' as const] } },
      'unreadable-rules': { trust: { rules: 'deny(' } },
    }
    for (const [name, guard] of Object.entries(guards)) {
      runtime.register(() => 'ran', { name, description: 'A tool.', ...guard })
      runtime.register({ name: `${name}-too`, description: 'A tool.', execute: () => 'ran', ...guard })
    }
    const agent = runtime.forAgent()
    const codeOf = (ref: string): Promise<unknown> => agent.invoke(ref).catch(({ code }) => code)
    for (const suffix of ['', '-too']) {
      expect(await codeOf(`asks-first${suffix}`)).toBe('APPROVAL_UNAVAILABLE')
      expect(await codeOf(`needs-write${suffix}`)).toBe('PERMISSION_MISSING')
      expect(await codeOf(`unreadable-rules${suffix}`)).toBe('CASCADE_INVALID')
    }
    const gated = { name: 'gated', gated: 'yes' } as unknown as { name: string; gated: boolean }
    expect(() => runtime.register(() => 'ran', gated)).toThrow('`gated` of `register` must be a boolean')
  })

  it('undoes its own registration only', async () => {
    const runtime = createRuntime({ paths: [] })
    const undo = runtime.register({ name: 'a', execute: () => 'first' })
    runtime.register({ name: 'a', execute: () => 'second' })
    undo()
    expect(await runtime.invoke('a')).toBe('second')
  })

  it('refuses what is not a tool, and a closed runtime', async () => {
    const runtime = createRuntime({ paths: [] })
    expect(() => runtime.register({ name: 'a' } as never)).toThrow(
      expect.objectContaining({ code: 'DEFINITION_INVALID' }),
    )
    expect(() => runtime.register({ name: 'a', retries: 3, execute: () => 1 } as never)).toThrow(
      expect.objectContaining({ code: 'DEFINITION_INVALID' }),
    )
    for (const field of ['timeout', 'descriptionPath'])
      expect(() => runtime.register({ name: 'a', [field]: 1, execute: () => 1 } as never)).toThrow(
        expect.objectContaining({ code: 'DEFINITION_INVALID', message: expect.stringContaining(field) }),
      )
    await runtime.close()
    expect(() => runtime.register(definition)).toThrow(expect.objectContaining({ code: 'RUNTIME_CLOSED' }))
  })
})

describe('tools of the default globals', () => {
  it.each(['trust', 'check'] as const)(
    'are found by every runtime after its own, under %s',
    async freshness => {
      const dir = makeTree({ 'a/SKILL.md': skill('a', 'From disk.\n'), 'b/SKILL.md': skill('b') })
      const runtime = createRuntime({ paths: [dir], freshness, library: false })
      expect(await runtime.invoke('a')).toBe('From disk.\n')
      expect((await runtime.listTools()).map(({ name }) => name)).toEqual(['a', 'b'])
      expect(await runtime.findTool('c')).toBeNull()
      registerTool({ name: 'a', execute: () => 'shared' })
      registerTool({ name: 'c', execute: () => 'shared c' })
      expect(await runtime.invoke('a')).toBe('shared')
      expect(await runtime.invoke('c')).toBe('shared c')
      const undo = runtime.register({ name: 'a', execute: () => 'own' })
      expect(await runtime.invoke('a')).toBe('own')
      const listed = await runtime.listTools()
      expect(listed.map(({ name }) => name)).toEqual(['a', 'c', 'b'])
      undo()
      expect(await runtime.invoke('a')).toBe('shared')
      unregisterTool(defaultGlobals(), 'a')
      expect(await runtime.invoke('a')).toBe('From disk.\n')
      expect(await findTool('c', emptyGlobals())).toBeNull()
      await runtime.close()
      await expect(runtime.invoke('c')).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' })
      expect(await invoke('c')).toBe('shared c')
    },
  )

  it('run as middleware of a runtime that was already used', async () => {
    const dir = makeTree({ 'a/SKILL.md': skill('a', 'Text.\n', 'metadata:\n  loud: {}\n') })
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect(await runtime.invoke('a')).toBe('Text.\n')
    registerTool(defaultGlobals(), {
      name: 'loud',
      role: 'middleware',
      fn: async ctx => String(await ctx.manager.next()).toUpperCase(),
    })
    expect(await runtime.invoke('a')).toBe('TEXT.\n')
  })

  it('are there once a module that registers them is imported', () => {
    const dir = makeTree({
      'package.json': '{"type":"module"}\n',
      'tools/my-tool.js': `
        import { registerTool } from 'agent-apps'
        import { z } from 'zod'
        const Params = z.object({
          query: z.string().describe('The search query'),
          maxResults: z.number().default(10).describe('Number of results to return'),
        })
        const doSearch = async (query, max) => [query, max]
        registerTool({
          name: 'my_tool',
          description: 'Searches for something and returns results',
          parameters: Params,
          execute: async (params, ctx) => {
            const results = await doSearch(params.query, params.maxResults)
            return { results, agent: ctx.agentId }
          },
        })`,
      'tools/index.js': `import './my-tool.js'\n`,
    })
    mkdirSync(join(dir, 'node_modules'))
    symlinkSync(ROOT, join(dir, 'node_modules/agent-apps'))
    symlinkSync(join(ROOT, 'node_modules/zod'), join(dir, 'node_modules/zod'))
    const answer = runCode(
      `
      import { createRuntime } from 'agent-apps'
      import { createRuntime as createSlimRuntime } from 'agent-apps/runtime'
      import ${JSON.stringify(pathToFileURL(join(dir, 'tools/index.js')).href)}
      const found = []
      for (const create of [createRuntime, createSlimRuntime]) {
        const agent = create({ paths: [] }).forAgent()
        found.push(await agent.invoke('my_tool', { query: 'q' }, { agentId: 'me' }))
      }
      console.log(JSON.stringify(found))`,
    )
    const result = { results: ['q', 10], agent: 'me' }
    expect(JSON.parse(answer)).toEqual([result, result])
  })
})

describe('the context of `execute`', () => {
  it('has the names of other libraries beside ours', async () => {
    const runtime = createRuntime({ paths: [] })
    const updates: unknown[] = []
    runtime.globals.events.on('tool:update', ({ title }) => updates.push(title))
    const { signal } = new AbortController()
    runtime.register({
      name: 'ids',
      execute: (_, { sessionID, messageID, callID, agent, abort, metadata, signal: ours }) => {
        metadata({ title: 'Half done' })
        return [sessionID, messageID, callID, agent, abort === signal && abort === ours]
      },
    })
    const ids = { sessionId: 's', messageId: 'm', callId: 'c', agentId: 'a' }
    expect(await runtime.invoke('ids', undefined, { ...ids, signal })).toEqual(['s', 'm', 'c', 'a', true])
    await expect.poll(() => updates).toEqual(['Half done'])
  })

  it('can be spread, taken apart and added to, and keeps what is assigned to `state`', async () => {
    const runtime = createRuntime({ paths: [] })
    const state = { schema: { type: 'object' } as const, initial: {} }
    runtime.register({ name: 'inner', execute: () => 'inner' })
    runtime.register({
      name: 'spread',
      state,
      execute: async (_, ctx) => {
        const { sessionId, ...rest } = ctx
        const more = { ...ctx, own: 1 }
        ctx.state = { count: 1 }
        const fields = [Object.keys(ctx), Object.keys(more), Object.keys(rest)].map(({ length }) => length)
        return [sessionId, rest.agentId, 'sessionId' in rest, await more.invoke('inner'), ctx.state, fields]
      },
    })
    const options = { sessionId: 's', agentId: 'a' }
    const [session, agent, isLeft, inner, kept, fields] = (await runtime.invoke(
      'spread',
      {},
      options,
    )) as unknown[]
    expect([session, agent, isLeft, inner, kept]).toEqual(['s', 'a', false, 'inner', { count: 1 }])
    const [all = 0, more, rest] = fields as number[]
    expect(all).toBeGreaterThan(20)
    expect([more, rest]).toEqual([all + 1, all - 1])
  })
})
