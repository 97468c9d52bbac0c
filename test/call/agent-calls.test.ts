import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Context, createRuntime, registerTool } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { runCode } from '../support/processes.js'
import { runtimeWith } from '../support/registered-runtime.js'
import { temporary } from '../support/temporary.js'

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: { code?: string }) => error.code ?? error)

describe('an agent', () => {
  const runtime = runtimeWith({
    open: {},
    my_tool: {},
    hidden: { visibility: 'hidden' },
    disabled: { metadata: { enabled: false } },
    quoted: { metadata: { enabled: 'false' } },
    silent: { description: '' },
    './file.skill.md': {},
    'mcp-tool': { src: 'mcp://server/tool' },
    'inline://code,1': {},
  })
  const agent = runtime.forAgent()

  it('sees no tool that is hidden or disabled', async () => {
    const names = (await agent.listTools()).map(({ name }) => name)
    expect(names).toEqual(['open', 'my_tool', 'silent', './file.skill.md', 'mcp-tool', 'inline://code,1'])
    for (const name of ['hidden', 'disabled', 'quoted', 'absent', './file.skill.md', 'inline://code,1'])
      expect(await agent.findTool(name)).toBeNull()
    for (const name of ['open', 'my_tool', 'silent', 'mcp-tool', 'mcp://server/tool'])
      expect(await agent.findTool(name)).not.toBeNull()
  })

  it('gives a path only to where its policy says', async () => {
    const files = runtimeWith({ 'read-file': { fn: (_, args) => (args as { path: string }).path } })
    const granted = files.forAgent({ allowedTools: ['read-file(path=docs/**)'] })
    const barred = files.forAgent({ allowedTools: '* read-file(path=secrets/**,$deny)' })
    const read = (one: typeof granted, path: string): Promise<unknown> =>
      code(one.invoke('read-file', { path }))
    for (const path of ['docs/../../../etc/passwd', 'docs/..', 'docs\\..\\..\\x', '/docs/a', 'docs/./a'])
      expect([path, await read(granted, path)]).toEqual([path, 'TOOL_DENIED'])
    for (const path of ['docs/../secrets/x', './secrets/x', 'docs\\..\\secrets\\x', '/srv/secrets/x'])
      expect([path, await read(barred, path)]).toEqual([path, 'TOOL_DENIED'])
    for (const one of [granted, barred]) expect(await read(one, 'docs/a/b.md')).toBe('docs/a/b.md')
  })

  it('calls what it may know of by name, and code calls all', async () => {
    for (const name of ['hidden', 'disabled', 'quoted', 'absent'])
      expect(await code(agent.invoke(name))).toBe('TOOL_NOT_FOUND')
    expect(await agent.invoke('absent').catch(({ hint, message }) => [message, hint])).toEqual([
      'There is no tool "absent".',
      'Call one of the tools that are listed.',
    ])
    for (const name of [
      './file.skill.md',
      'inline://code,1',
      'file:///etc/x.skill.md',
      'layer://project/open',
      '../x',
      '',
    ])
      expect(await code(agent.invoke(name))).toBe('TOOL_DENIED')
    expect(await agent.invoke('open')).toBe('open ran')
    expect(await agent.invoke('my_tool')).toBe('my_tool ran')
    expect(await agent.invoke('mcp://server/tool')).toBe('mcp-tool ran')
    for (const name of ['hidden', 'disabled', './file.skill.md'])
      expect(await runtime.invoke(name)).toMatch(/ran$/)
  })

  it('reads no file for what is not a name', async () => {
    const dir = temporary()
    writeFileSync(join(dir, 'secret.skill.md'), '---\nname: secret\ndescription: x\n---\nSecret.')
    const own = createRuntime({ paths: [], library: false })
    expect(await code(own.forAgent().invoke(join(dir, 'secret.skill.md')))).toBe('TOOL_DENIED')
    expect(await own.invoke(join(dir, 'secret.skill.md'))).toBe('Secret.')
  })

  it('cannot say that it is none', async () => {
    const options = { as: 'code', policy: undefined } as object
    expect(await code(runtime.forAgent({ allowedTools: 'open' }).invoke('my_tool', {}, options))).toBe(
      'TOOL_DENIED',
    )
    expect(await code(agent.invoke('hidden', {}, options))).toBe('TOOL_NOT_FOUND')
  })
})

describe('tools of an MCP server', () => {
  it.each([
    ['mcp__github', ['create', 'close']],
    ['mcp__github__*', ['create', 'close']],
    ['mcp__github__create', ['create']],
    ['mcp__{github,linear}', ['create', 'close', 'list']],
    ['mcp__my_server__list_all', ['odd']],
    ['create', ['create']],
    ['*hub', []],
    ['* mcp__github($deny)', ['list', 'odd', 'own']],
    ['!(mcp__github)', ['list', 'odd', 'own']],
    ['mcp__git', []],
  ])('are selected by %s', async (allowedTools, names) => {
    const runtime = runtimeWith({
      create: { src: 'mcp://github/create' },
      close: { src: 'mcp://github/close' },
      list: { src: 'mcp://linear/list' },
      odd: { src: 'mcp://my.server/list all' },
      own: {},
    })
    const agent = runtime.forAgent({ allowedTools })
    expect((await agent.listTools()).map(({ name }) => name)).toEqual(names)
    expect(await code(agent.invoke('create'))).toBe(names.includes('create') ? 'create ran' : 'TOOL_DENIED')
  })
})

describe('what allowed-tools lets through', () => {
  it('of a policy, by name, tag and arguments', async () => {
    const runtime = runtimeWith({ read: {}, write: {}, tagged: { tags: ['safe'] } })
    const agent = runtime.forAgent({ allowedTools: ['read(path=src/*)', '#safe'] })
    expect((await agent.listTools()).map(({ name }) => name)).toEqual(['read', 'tagged'])
    expect(await agent.invoke('tagged')).toBe('tagged ran')
    expect(await agent.invoke('read', { path: 'src/a' })).toBe('read ran')
    for (const [name, args] of [
      ['read', { path: 'etc/a' }],
      ['read', {}],
      ['write', {}],
    ] as const)
      expect(await code(agent.invoke(name, args))).toBe('TOOL_DENIED')
    const denying = runtime.forAgent({ allowedTools: '* write($deny) read(path=etc/*,$deny)' })
    expect((await denying.listTools()).map(({ name }) => name)).toEqual(['read', 'tagged'])
    expect(await code(denying.invoke('read', { path: 'etc/a' }))).toBe('TOOL_DENIED')
    expect(await denying.invoke('read', { path: 'src/a' })).toBe('read ran')
    expect(await runtime.forAgent({ allowedTools: '' }).listTools()).toEqual([])
  })

  it('is refused where a pattern of a host cannot be read: it could be the one that denies', async () => {
    const { globals, invoke } = runtimeWith({})
    registerTool(globals, { name: 'secret', description: 'Kept.', fn: () => 'told' })
    for (const odd of ['x(', '{', "don't("])
      await expect(
        invoke('secret', {}, { as: 'agent', policy: { allowedTools: ['*', odd] } }),
      ).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
    const denied = invoke(
      'secret',
      {},
      { as: 'agent', policy: { allowedTools: ['*', 'secret($deny)', "can't"] } },
    )
    expect(await code(denied)).toBe('TOOL_DENIED')
    expect(await code(invoke(5 as unknown as string, {}, { as: 'agent' }))).toBe('TOOL_DENIED')
  })

  it('of the calling skill, for its model and not for its code', async () => {
    const asks =
      (as: 'agent' | 'code', name: string): ((ctx: Context) => Promise<unknown>) =>
      ctx =>
        code(ctx.manager.invoke(name, {}, { as }))
    const runtime = runtimeWith({
      read: {},
      write: {},
      careful: { allowedTools: 'read', fn: asks('agent', 'write') },
      author: { allowedTools: 'read', fn: asks('code', 'write') },
    })
    expect(await runtime.invoke('careful')).toBe('TOOL_DENIED')
    expect(await runtime.invoke('author')).toBe('write ran')
    expect(await runtime.forAgent().invoke('author')).toBe('write ran')
  })

  it('of all agents that one was started for', async () => {
    const spawns =
      (name: string, as: 'agent' | 'code' = 'agent'): ((ctx: Context) => Promise<unknown>) =>
      ctx =>
        code(ctx.manager.invoke(name, {}, { as }))
    const runtime = runtimeWith({
      read: {},
      write: {},
      wide: { allowedTools: 'read write', fn: spawns('write') },
      through: { fn: spawns('wide', 'code') },
      narrow: { allowedTools: 'wide read through', fn: spawns('wide') },
      narrower: { allowedTools: 'wide read through', fn: spawns('through') },
    })
    expect(await runtime.invoke('wide')).toBe('write ran')
    expect(await runtime.invoke('narrow')).toBe('TOOL_DENIED')
    expect(await runtime.invoke('narrower')).toBe('TOOL_DENIED')
    expect(await runtime.forAgent({ allowedTools: 'wide' }).invoke('wide')).toBe('TOOL_DENIED')
    expect(await runtime.forAgent({ allowedTools: 'wide write' }).invoke('wide')).toBe('write ran')
  })

  it('is told by what denied it', async () => {
    const runtime = runtimeWith({
      write: {},
      skill: { allowedTools: 'read', fn: ctx => ctx.manager.invoke('write', {}, { as: 'agent' }) },
    })
    await expect(runtime.invoke('skill')).rejects.toThrow(
      'The tool "write" may not be called: the `allowed-tools` of "skill" does not have it.',
    )
    await expect(runtime.forAgent({ allowedTools: '* write($deny)' }).invoke('write')).rejects.toThrow(
      'the `allowed-tools` of the policy denies it with "write($deny)"',
    )
  })
})

it('all of it works with frozen prototypes', { tags: 'long' }, () => {
  const outcome = runCode(`
    import { createRuntime, defineTool, registerTool, serializeContext } from 'agent-apps'
    const runtime = createRuntime({ paths: [], library: false })
    const events = []
    // Loaded before the freeze, as a host would.
    await runtime.forAgent().listTools()
    for (const one of [Object, Array, Function, String, Map, Set, Promise, Error, Symbol]) Object.freeze(one.prototype)
    for (const type of ['tool:start', 'tool:end', 'tool:error', 'tool:denied', 'tool:update'])
      runtime.globals.events.on(type, event => events.push(event.type))
    const params = { type: 'object' }
    registerTool(runtime.globals, { name: 'echo', description: 'x', params, fn: (ctx, args) => {
      ctx.nonlocals.constructor = 1
      ctx.locals.toString = 2
      ctx.locals.config.valueOf = 3
      ctx.run.update({ title: 'x' })
      return [args, serializeContext(ctx).nonlocals, ctx.run.signal.aborted]
    } })
    registerTool(runtime.globals, { name: 'outer', description: 'x', params, fn: async (ctx, args) => {
      await ctx.manager.next()
      return ctx.manager.invoke('echo', args, { as: 'agent', nonlocals: JSON.parse('{"__proto__":{"a":1}}') })
    } })
    registerTool(runtime.globals, { name: 'defined', fn: defineTool({ name: 'defined', execute: (_, ctx) => ctx.invoke('absent') }).fn })
    const results = [
      await runtime.invoke('outer', JSON.parse('{"toString":1,"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}')),
      await runtime.forAgent({ allowedTools: 'other' }).invoke('echo').catch(error => error.code),
      await runtime.invoke('defined').catch(error => error.code),
      Object.getOwnPropertyNames(Object.prototype).length,
      events.length,
    ]
    console.log(JSON.stringify(results))`)
  const [echoed, denied, missing, , events] = JSON.parse(outcome) as unknown[]
  expect(JSON.stringify(echoed)).toContain('"toString":1')
  expect([denied, missing, events]).toEqual(['TOOL_DENIED', 'TOOL_NOT_FOUND', 9])
})
