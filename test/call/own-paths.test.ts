import { type Context, createRuntime, ctxTarget, ctxTool, registerTool } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { some } from '../support/long.js'
import { makeTree, skill } from '../support/tree.js'

const TREE = {
  'skills/greet.skill.md': skill('greet', 'The runtime’s.\n'),
  'skills/only-here.skill.md': skill('only-here', 'Here.\n'),
  'skills/greeting.skill.js': `
    export const frontmatter = { name: 'greeting', metadata: { tags: ['meta-directive-inline'] } }
    export default ctx => ctx.manager.invoke('greet')`,
  'package.json': '{ "type": "module" }',
  'skills/repeats.skill.md': skill(
    'repeats',
    ':::each{path=args.items as=config}\n:greeting[x]\n:::\n',
    'metadata: { params: { type: object, additionalProperties: true } }\n',
  ),
  'tenant/skills/greet.skill.md': skill('greet', 'The tenant’s.\n'),
  'tenant/skills/calls.skill.js': `
    export const frontmatter = { name: 'calls', description: 'Calls.' }
    export default ctx => ctx.manager.invoke('greet')`,
  'other/greet.skill.md': skill('greet', 'Another one’s.\n', 'metadata: { gated: true }\n'),
}

describe.each(some(['disk', 'compiled']))('paths and cwd that a middleware sets, from %s', way => {
  let cwd: string
  beforeAll(async () => {
    cwd = makeTree(TREE)
    if (way === 'compiled')
      for (const path of ['skills', 'tenant/skills']) await compile({ cwd, paths: [path] })
  })

  /** A runtime whose tool `tool` runs `body` within a middleware that sets `config`. */
  async function runtimeWith(config: object, body: (ctx: Context) => unknown) {
    const runtime = createRuntime({ cwd, paths: ['skills'] })
    await registerTool(runtime.globals, {
      name: 'choose',
      role: 'middleware',
      fn: (ctx: Context) => {
        Object.assign(ctxTarget(ctx).locals.config, config)
        return ctx.manager.next()
      },
    })
    await registerTool(runtime.globals, {
      name: 'tool',
      metadata: { choose: {} },
      fn: body,
    })
    return runtime
  }

  const invokes = (ref: string) => (ctx: Context) => ctx.manager.invoke(ref)

  it('reach what the tool calls, and what that calls', async () => {
    const paths = ['tenant/skills']
    const first = await runtimeWith({ paths }, invokes('greet'))
    expect(await first.invoke('tool')).toBe('The tenant’s.\n')
    const nested = await runtimeWith({ paths }, invokes('calls'))
    expect(await nested.invoke('tool')).toBe('The tenant’s.\n')
    const without = await runtimeWith({ paths }, invokes('only-here'))
    await expect(without.invoke('tool')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('reach relative entries by the directory alone', async () => {
    const cwd = makeTree(TREE)
    const runtime = await runtimeWith({ cwd: `${cwd}/tenant` }, invokes('greet'))
    expect(await runtime.invoke('tool')).toBe('The tenant’s.\n')
  })

  it('reach no other call of the runtime', async () => {
    const runtime = await runtimeWith({ paths: ['other'] }, invokes('greet'))
    const all = await Promise.all(['tool', 'greet', 'tool', 'greet'].map(name => runtime.invoke(name)))
    expect(all).toEqual(['Another one’s.\n', 'The runtime’s.\n', 'Another one’s.\n', 'The runtime’s.\n'])
    expect(runtime.globals.config.paths).toEqual(['skills'])
  })

  it('reach agents that the tool starts, and what helpers find', async () => {
    const list = await runtimeWith({ paths: ['tenant/skills'] }, async ctx => {
      const tools = await ctx.manager.spawn({ allow: ['greet', 'calls', 'only-here'] }).listTools()
      return tools.map(({ name }) => name).sort()
    })
    expect(await list.invoke('tool')).toEqual(['calls', 'greet'])
    const called = await runtimeWith({ paths: ['tenant/skills'] }, ctx =>
      ctx.manager.spawn({ allow: ['greet'] }).invoke('greet'),
    )
    expect(await called.invoke('tool')).toBe('The tenant’s.\n')
    const found = await runtimeWith(
      { paths: ['tenant/skills'] },
      async ctx => (await ctxTool(ctx, 'calls')).name,
    )
    expect(await found.invoke('tool')).toBe('calls')
  })

  it('share sessions and registered tools with the runtime', async () => {
    const runtime = await runtimeWith({ paths: ['other'] }, async ctx => [
      await ctx.manager.invoke('registered'),
      await ctx.manager.invoke('greet', {}, { as: 'agent', sessionId: 's' }),
    ])
    const asked: string[] = []
    await registerTool(runtime.globals, { name: 'registered', fn: () => 'found' })
    runtime.globals.config.interact = request => {
      if (request.kind === 'approval') asked.push(request.tool)
      return 'allow-session'
    }
    const [first, second] = [await runtime.invoke('tool'), await runtime.invoke('tool')]
    expect(first).toEqual(['found', 'Another one’s.\n'])
    expect(second).toEqual(first)
    expect(asked).toEqual(['greet'])
  })

  it('are checked as those of createRuntime', async () => {
    for (const [config, problem] of [
      [{ paths: 'skills' }, 'paths'],
      [{ paths: [5] }, 'paths'],
      [{ cwd: 5 }, 'cwd'],
    ] as const) {
      const runtime = await runtimeWith(config, invokes('greet'))
      await expect(runtime.invoke('tool')).rejects.toMatchObject({
        code: 'OPTIONS_INVALID',
        message: expect.stringContaining(`\`${problem}\``),
      })
    }
  })

  it('are not set by an argument that a directive puts into `locals`', async () => {
    const runtime = await runtimeWith({}, ctx =>
      ctx.manager.invoke('repeats', { items: [{ paths: ['other'] }] }),
    )
    expect(await runtime.invoke('tool')).toBe('The runtime’s.\n\n')
  })
})
