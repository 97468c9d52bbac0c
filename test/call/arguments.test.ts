import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AgentAppsError, createRuntime, emptyGlobals, invoke, registerTool } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { code, threeWays } from '../support/cascade-project.js'
import { some } from '../support/long.js'
import { runCode } from '../support/processes.js'
import { makeTree } from '../support/tree.js'

const PARAMS = {
  type: 'object',
  properties: {
    n: { type: 'number' },
    deep: { type: 'object', default: { list: [{ n: 1 }] } },
  },
}

/** Tries to change what a call is given, and says what it is told. */
const tries = (target: string): string => `
  const { args: given } = ${target}
  const change = (what, work) => {
    try { work(); say(what) } catch (error) { say(what, error.name) }
  }
  change('replace', () => { ${target}.args = { n: 'text' } })
  change('own', () => { ${target}.ownArgs = { n: 'text' } })
  change('define', () => { Object.defineProperty(${target}, 'args', { value: { n: 'text' } }) })
  change('set', () => { given.n = 'text' })
  change('add', () => { given.more = 1 })
  change('delete', () => { delete given.n })
  change('below', () => { given.deep.list[0].n = 'text' })
  change('push', () => { given.deep.list.push('text') })
`
const ATTEMPTS = ['replace', 'own', 'define', 'set', 'add', 'delete', 'below', 'push']
const REFUSED = ATTEMPTS.map(what => `${what} TypeError`)

describe('validated arguments', () => {
  it('are what the tool is given, whatever a middleware or a hook does', async () => {
    const middleware = code('changes', { role: 'middleware' }, tries('ctx.envelope.target'))
    const hook = code('hooks', { role: 'middleware', $hook: ['$invoke'] }, tries('ctx.envelope.target'))
    const gives = 'return { args, same: ctx.args === args }'
    const ways = await threeWays({
      tree: {
        'skills/changes.skill.js': middleware,
        'skills/hooks.skill.js': hook,
        'skills/wrapped.skill.js': code('wrapped', { params: PARAMS, changes: {} }, gives),
        'skills/hooked.skill.js': code('hooked', { params: PARAMS, hooks: {} }, gives),
        'skills/filled.skill.js': code('filled', { params: PARAMS, changes: {}, seen: '${args.n}' }, gives),
        'skills/seen.skill.js': code('seen', { role: 'middleware' }, 'say(typeof args, args)'),
        'skills/handed.skill.md': `---\nname: handed\ndescription: x\nmetadata:\n  changes: {}\n  delegate: wrapped\n---\n`,
      },
      calls: [
        ['wrapped', { n: 1 }],
        ['hooked', { n: 1 }],
        ['filled', { n: 1 }],
        ['handed', { n: 1, deep: { list: [{}] } }],
      ],
    })
    for (const { results } of ways) {
      const validated = { args: { n: 1, deep: { list: [{ n: 1 }] } }, same: true }
      expect(results).toEqual([
        { name: 'wrapped', calls: REFUSED, result: validated },
        { name: 'hooked', calls: REFUSED, result: validated },
        { name: 'filled', calls: [...REFUSED, 'number 1'], result: validated },
        {
          name: 'handed',
          calls: [...REFUSED, ...REFUSED],
          result: { args: { n: 1, deep: { list: [{}] } }, same: true },
        },
      ])
    }
  })

  it('may hold themselves, and nest as deep as is copied', async () => {
    const globals = emptyGlobals()
    registerTool(globals, { name: 'takes', role: 'middleware', fn: (_, args) => args })
    const round: Record<string, unknown> = { list: [] }
    ;(round.list as unknown[]).push(round)
    const result = (await invoke('takes', round, globals)) as { list: unknown[] }
    expect([result.list[0] === result, Object.isFrozen(result.list), Object.isFrozen(round)]).toEqual([
      true,
      true,
      false,
    ])
    const nested = (levels: number): object =>
      Array.from({ length: levels }).reduce<object>(inner => ({ inner }), {})
    expect(JSON.stringify(await invoke('takes', nested(1_000), globals))).toHaveLength(2 + 1_000 * 10)
    await expect(invoke('takes', nested(1_001), globals)).rejects.toMatchObject({
      code: 'ARGS_INVALID',
      message: 'The arguments of "takes" nest deeper than 1000 levels.',
    })
  })

  it('are what the tool is given at each try, whatever the last one did', { tags: 'long' }, async () => {
    const again = `${tries('ctx')}\nthrow Object.assign(new Error(JSON.stringify(args)), { retryable: true })`
    const ways = await threeWays({
      tree: {
        'skills/t.skill.js': code('t', { params: PARAMS, retry: { attempts: 2, delay: 1 } }, again),
      },
      calls: [['t', { n: 1 }]],
    })
    for (const { results } of ways) {
      expect(results).toEqual([
        { name: 't', calls: [...REFUSED, ...REFUSED], message: '{"n":1,"deep":{"list":[{"n":1}]}}' },
      ])
    }
  })
})

describe('what a caller changes once it has called', () => {
  const TREE = {
    'package.json': '{"type":"module"}\n',
    'skills/echo.skill.js': code('echo', { params: PARAMS }, 'return args'),
    'skills/other.skill.js': code('other', {}, `return 'ran'`),
    'skills/shown.skill.md': `---
name: shown
description: x
metadata: { interpolate: true, params: { type: object } }
---
\${args.n}`,
    'skills/calls.skill.js': code(
      'calls',
      {},
      `const given = { n: 1, deep: { list: [{}] } }
      const called = ctx.manager.invoke('echo', given)
      given.n = 2
      given.deep.list.push({})
      return called`,
    ),
  }

  /** Calls that are not awaited, in a process that has called nothing, and again in one that has. */
  const USES = `
    const outcome = promise => promise.then(value => value, ({ code }) => code)
    async function use() {
      const args = { n: 1, deep: { list: [{}] } }
      const rendered = { args: { n: 1 } }
      const policy = { allowedTools: ['echo'] }
      const options = { as: 'agent', sessionId: 'first', policy: { allowedTools: ['echo'] } }
      const agent = runtime.forAgent(policy)
      const calls = [
        runtime.invoke('echo', args),
        runtime.render('shown', rendered),
        runtime.invoke('calls'),
        agent.invoke('other'),
        agent.findTool('other'),
        agent.listTools().then(tools => tools.map(({ name }) => name)),
        runtime.invoke('other', undefined, options),
      ]
      args.n = 'text'
      args.deep.list.push({})
      rendered.args.n = 2
      policy.allowedTools.push('*')
      options.policy.allowedTools.push('*')
      options.policy = undefined
      options.as = 'code'
      policy.allowedTools = '*'
      const inherited = { as: 'agent', policy: { allowedTools: ['echo'] } }
      calls.push(runtime.invoke('other', undefined, Object.create(inherited)))
      inherited.policy.allowedTools.push('*')
      inherited.as = 'code'
      return [...await Promise.all(calls.map(outcome)), await outcome(agent.invoke('other'))]
    }
    console.log(JSON.stringify([await use(), await use()]))`

  it.each(some(['in a bundle', 'from disk', 'compiled']))(
    'reaches neither its arguments nor its policy, whatever was loaded before, %s',
    { tags: 'long' },
    async way => {
      const cwd = makeTree(TREE)
      const made = (freshness: string): string =>
        `import { createRuntime } from 'agent-apps'
      const runtime = createRuntime({ cwd: ${JSON.stringify(cwd)}, paths: ['skills'], freshness: '${freshness}' })`
      const bundle = join(cwd, 'agent.mjs')
      const once = [
        { n: 1, deep: { list: [{}] } },
        '1',
        { n: 1, deep: { list: [{}] } },
        'TOOL_DENIED',
        null,
        ['echo'],
        'TOOL_DENIED',
        'TOOL_DENIED',
        'TOOL_DENIED',
      ]
      if (way !== 'from disk') await compile({ cwd, paths: ['skills'], bundle })
      const opened =
        way === 'in a bundle'
          ? `const { runtime } = await import(${JSON.stringify(pathToFileURL(bundle).href)})`
          : made(way === 'compiled' ? 'trust' : 'check')
      expect(JSON.parse(runCode(opened + USES))).toEqual([once, once])
    },
  )

  it('of options that inherit is still what they inherit', async () => {
    const globals = emptyGlobals()
    for (const name of ['one', 'two']) registerTool(globals, { name, fn: () => name, description: 'x' })
    const allowing = {
      get allowedTools() {
        return ['one']
      },
    }
    const inherited = Object.create({ as: 'agent', policy: Object.create(allowing) })
    for (const options of [inherited, { as: 'agent', policy: Object.create(allowing) }]) {
      expect(await invoke('one', undefined, globals, options)).toBe('one')
      await expect(invoke('two', undefined, globals, options)).rejects.toMatchObject({ code: 'TOOL_DENIED' })
    }
    const signal = AbortSignal.abort()
    const agent = createRuntime({ paths: [], library: false }).forAgent()
    await expect(agent.invoke('one', undefined, Object.create({ signal: 3 }))).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
    await expect(invoke('one', undefined, globals, Object.create({ signal }))).rejects.toMatchObject({
      code: 'RUN_ABORTED',
    })
    for (const options of [Object.create({ as: 'nobody' }), Object.assign(Object.create({}), { polcy: {} })])
      await expect(invoke('one', undefined, globals, options)).rejects.toMatchObject({
        code: 'OPTIONS_INVALID',
      })
  })

  it('of a policy that is none is refused, since it would allow everything', async () => {
    const runtime = createRuntime({ paths: [], library: false })
    registerTool(runtime.globals, { name: 'one', fn: () => 1, description: 'x' })
    const wrong = [
      ['one'],
      'one',
      { allowedtools: ['two'] },
      { allowedTools: null },
      { allowedTools: 5 },
      { allowedTools: ['two', 5] },
      { allowedTools: [['one']] },
      Object.create({ allowedTools: [null] }),
    ]
    const refused = { code: 'OPTIONS_INVALID' }
    for (const policy of wrong) {
      await expect(runtime.invoke('one', {}, { as: 'agent', policy }), String(policy)).rejects.toMatchObject(
        refused,
      )
      // A string is the id of an agent, of which there is none.
      const error = typeof policy === 'string' ? { code: 'AGENT_UNKNOWN' } : refused
      await expect((async () => runtime.forAgent(policy).listTools())()).rejects.toMatchObject(error)
    }
    await expect((async () => runtime.forAgent({ allowedtools: [] } as never).listTools())()).rejects.toThrow(
      /`allowedtools` of `forAgent` is not known/,
    )
  })

  it('cannot be copied, and is refused with the name of the tool', async () => {
    const globals = emptyGlobals()
    registerTool(globals, { name: 'takes', src: 'mcp://server/takes', role: 'middleware', fn: () => 1 })
    const failed: unknown[] = []
    globals.events.on('tool:error', ({ tool, error }) => failed.push([tool, (error as AgentAppsError).code]))
    const throwing = {
      get a() {
        throw new Error('no')
      },
    }
    const wrong: [unknown, string][] = [
      [throwing, 'cannot be read'],
      [Array(1_000_001), 'hold more than 1000000 values'],
    ]
    for (const [args, why] of wrong) {
      await expect(invoke('mcp://server/takes', args, globals)).rejects.toMatchObject({
        code: 'ARGS_INVALID',
        tool: 'takes',
        message: `The arguments of "takes" ${why}.`,
      })
      await expect(invoke('absent', args, globals)).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
    }
    expect(failed).toEqual([
      ['takes', 'ARGS_INVALID'],
      ['takes', 'ARGS_INVALID'],
    ])
  })
})
