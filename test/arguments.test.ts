import { emptyGlobals, invoke, registerTool } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { code, threeWays } from './support/cascade-project.js'

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
  change('set', () => { given.n = 'text' })
  change('add', () => { given.more = 1 })
  change('delete', () => { delete given.n })
  change('below', () => { given.deep.list[0].n = 'text' })
  change('push', () => { given.deep.list.push('text') })
`
const REFUSED = ['replace', 'set', 'add', 'delete', 'below', 'push'].map(what => `${what} TypeError`)

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

  it('are what the tool is given at each try, whatever the last one did', async () => {
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
