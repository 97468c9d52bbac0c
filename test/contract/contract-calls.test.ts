import { isMetaKey } from 'agent-apps'
import { check } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { code, text } from '../support/cascade-project.js'
import { EACH_WAY, outcome, type Project, project } from '../support/four-ways.js'
import type { Tree } from '../support/tree.js'

declare global {
  var calls: string[]
}

/** A middleware for the tools that name it, and for nothing else. */
function middleware(name: string, body: string): string {
  return code(name, { role: 'middleware', $inherit: false }, body)
}

/** A tool around which `outer`, the middlewares given and `inner` run, in this order. */
function tool(name: string, values: object, body = `say('${name}')\nreturn '${name} ran'`): string {
  return code(name, { outer: true, ...values, inner: 1 }, body)
}

const GIVEN = { text: 'text', number: 5, list: [1, 'two'], mapping: { a: { b: 1 } } }
/** All that is not undefined. */
const RESULTS = ['stopped', false, 0, '', null]
const ANY = { type: 'object' }
const NUMBER = { params: { type: 'object', properties: { n: { type: 'number' }, deep: ANY } } }

const TREE: Tree = {
  'skills/outer.skill.js': middleware(
    'outer',
    `say('> outer')
    try {
      await ctx.manager.next()
      say('outer sees', ctx.envelope.target.locals.result)
    } catch (error) {
      say('outer catches', error.message)
      throw error
    }`,
  ),
  'skills/inner.skill.js': middleware('inner', `say('inner')`),
  'skills/passes.skill.js': middleware('passes', `say('passes')`),
  'skills/stops.skill.js': middleware('stops', `say('stops')\nreturn args.result`),
  'skills/throws.skill.js': middleware('throws', `say('throws')\nthrow new Error('thrown on the way')`),
  'skills/tells.skill.js': middleware(
    'tells',
    'return { args, own: ctx.args, served: ctx.envelope.target.args }',
  ),
  'skills/replaces.skill.js': middleware(
    'replaces',
    `const { target } = ctx.envelope
    Reflect.set(target, 'args', { n: '1', deep: { changed: true } })
    Reflect.set(target.args, 'n', '1')
    Reflect.set(target.args.deep, 'a', 'changed')`,
  ),
  'skills/reads-schemas.skill.js': middleware(
    'reads-schemas',
    'const { params, returns } = ctx.envelope.target.run.tool\nctx.envelope.target.locals.seen = { params, returns }',
  ),
  'skills/plain.skill.js': tool('plain', { passes: 1 }),
  'skills/fails.skill.js': tool('fails', {}, `throw new Error('thrown by the tool')`),
  'skills/thrown.skill.js': tool('thrown', { throws: 1 }),
  ...Object.fromEntries(
    RESULTS.map((result, index) => [
      `skills/stopped-${index}.skill.js`,
      tool(`stopped-${index}`, { stops: { result } }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({ ...GIVEN, true: true }).map(([name, given]) => [
      `skills/given-${name}.skill.js`,
      code(`given-${name}`, { tells: given, params: ANY }, ''),
    ]),
  ),
  'skills/validated.skill.js': code('validated', { replaces: 1, ...NUMBER }, 'return [args, ctx.args]'),
  'skills/same.skill.js': code('same', { params: ANY }, 'return [args === ctx.args, args]'),
  'skills/schemas.skill.js': code(
    'schemas',
    {
      'reads-schemas': 1,
      params: { $resolve: 'nonlocals.gateway.params', type: 'object' },
      returns: { $resolve: 'nonlocals.gateway.returns', type: 'object' },
    },
    'const { params, returns } = ctx.run.tool\nreturn { ...ctx.locals.seen, own: { params, returns } }',
  ),
  'skills/structured.skill.md': text('structured', { returns: { type: 'object' } }),
  'skills/hidden.skill.md': text('hidden', { visibility: 'hidden' }),
  'skills/shown.skill.md': text('shown'),
  'skills/top.skill.md': `---
name: top
description: Has fields where they mean nothing.
role: middleware
visibility: hidden
tags: [a]
params: { type: object }
returns: { type: number }
---
Text.
`,
  'skills/tagged.skill.md': text('tagged', { tags: ['My API', 'slow__call', '--x--', 'my-api', 'X'] }),
  'skills/tagged-code.skill.js': code(
    'tagged-code',
    { tags: ['My API', 'slow__call', '--x--', 'my-api', 'X'] },
    '',
  ),
}

describe.each(EACH_WAY)('%s', way => {
  let made: Project
  const run = async (name: string, args?: unknown, nonlocals?: Record<string, unknown>) => {
    globalThis.calls = []
    return { result: await outcome(made.runtime.invoke(name, args, { nonlocals })), calls: globalThis.calls }
  }
  beforeAll(async () => {
    made = await project(way, TREE)
  })

  describe('an entry of the chain', () => {
    it('that returns undefined continues it', async () => {
      expect(await run('plain')).toEqual({
        calls: ['> outer', 'passes', 'inner', 'plain', 'outer sees plain ran'],
        result: 'plain ran',
      })
    })

    it.each([...RESULTS.entries()])(
      'that returns anything else stops what is further in: %s, %j',
      async (index, result) => {
        expect(await run(`stopped-${index}`)).toEqual({
          calls: ['> outer', 'stops', `outer sees ${result ?? ''}`],
          result,
        })
      },
    )

    it('that throws ends the call, through all that is further out', async () => {
      expect(await run('thrown')).toEqual({
        calls: ['> outer', 'throws', 'outer catches thrown on the way'],
        result: 'thrown on the way',
      })
      expect(await run('fails')).toEqual({
        calls: ['> outer', 'inner', 'outer catches thrown by the tool'],
        result: 'thrown by the tool',
      })
    })
  })

  describe('arguments', () => {
    it('are the second of the function, and stand in its context', async () => {
      expect((await run('same', { a: [1] })).result).toEqual([true, { a: [1] }])
      expect((await run('same')).result).toEqual([true, {}])
    })

    it.each(Object.entries(GIVEN))(
      'of a middleware are its configuration as written: a %s',
      async (name, given) => {
        expect((await run(`given-${name}`, { x: 1 })).result).toEqual({ args: given, served: { x: 1 } })
      },
    )

    it('of a middleware are its configuration as written: true', async () => {
      expect((await run('given-true', { x: 1 })).result).toEqual({ args: true, served: { x: 1 } })
    })

    it('are set once', async () => {
      const args = { n: 1, deep: { a: 'b' } }
      expect((await run('validated', args)).result).toEqual([args, args])
    })
  })

  describe('the schemas that hold', () => {
    const written = {
      params: { $resolve: 'nonlocals.gateway.params', type: 'object' },
      returns: { $resolve: 'nonlocals.gateway.returns', type: 'object' },
    }

    it('are known to the whole chain', async () => {
      expect((await run('schemas', {})).result).toEqual({ ...written, own: written })
      const gateway = { params: { title: 'P' }, returns: { title: 'R' } }
      expect((await run('schemas', {}, { gateway })).result).toEqual({ ...gateway, own: gateway })
    })

    it('are those that the context leads to', async () => {
      const fails = async (gateway: object) => (await run('schemas', {}, { gateway })).result
      expect(await fails({ params: { required: ['a'] } })).toBe('ARGS_INVALID')
      expect(await fails({ returns: { type: 'string' } })).toBe('RESULT_INVALID')
    })

    it('are those that the tool is described with', async () => {
      const gateway = { params: { title: 'P' }, returns: { title: 'R' } }
      const described = async (nonlocals?: Record<string, unknown>) =>
        ((await run('skill-describe', { name: 'schemas' }, nonlocals)).result as { output: object }).output
      expect(await described({ gateway })).toMatchObject(gateway)
      expect(await described()).toMatchObject({ params: { type: 'object' }, returns: { type: 'object' } })
    })

    it('are not compared with the text of a Markdown skill', async () => {
      expect((await run('structured')).result).toBe('Do structured.\n')
    })
  })

  describe('fields', () => {
    it('other than name, description, allowed-tools and metadata mean nothing at the top level', async () => {
      const top = await made.runtime.findTool('top')
      expect(top?.frontmatter).toMatchObject({ name: 'top', tags: [], metadata: {} })
      for (const field of ['role', 'visibility', 'params', 'returns'])
        expect(top?.frontmatter).not.toHaveProperty(field)
      expect((await run('top')).result).toBe('Text.\n')
    })

    it.each(['tagged', 'tagged-code'])('tags are normalized in %s', async name => {
      expect((await made.runtime.findTool(name))?.frontmatter.tags).toEqual(['my-api', 'slow-call', 'x'])
    })
  })

  describe('visibility', () => {
    const listed = async (args: object): Promise<string[]> => {
      const { result } = await run('skill-list', args)
      return (result as { output: { tools: { name: string }[] } }).output.tools.map(({ name }) => name)
    }

    it('absent: in skill-list, for agents, for code', async () => {
      expect(await listed({})).toContain('shown')
      const agent = made.runtime.forAgent()
      expect((await agent.listTools()).map(({ name }) => name)).toContain('shown')
      expect(await agent.invoke('shown')).toBe('Do shown.\n')
      expect((await run('shown')).result).toBe('Do shown.\n')
      expect((await run('shown', { a: 1 })).result).toBe('ARGS_INVALID')
    })

    it('hidden: for code alone, and in skill-list on demand', async () => {
      expect(await listed({})).not.toContain('hidden')
      expect(await listed({ includeHidden: true })).toEqual(expect.arrayContaining(['hidden', 'shown']))
      const agent = made.runtime.forAgent()
      expect((await agent.listTools()).map(({ name }) => name)).not.toContain('hidden')
      expect(await outcome(agent.invoke('hidden'))).toBe('TOOL_NOT_FOUND')
      expect((await run('hidden')).result).toBe('Do hidden.\n')
    })
  })
})

/** Every annotation, with a value that it may have. */
const ANNOTATIONS = {
  $inherit: 'shown',
  $private: ['note'],
  $public: ['note'],
  $local: ['note'],
  $global: ['note'],
  $dynamic: ['passes'],
  $static: ['passes'],
  $merge: { note: 'replace' },
  $order: ['passes', 'inner'],
  $remove: ['outer'],
  $self: { a: 1 },
  $hook: '$next',
}

it.each(Object.entries(ANNOTATIONS))('%s is an annotation', async (key, value) => {
  const { cwd } = await project('from disk', {
    'skills/shown.skill.md': text('shown'),
    'skills/passes.skill.js': middleware('passes', ''),
    'skills/annotated.skill.md': text('annotated', { note: 1, passes: 1, [key]: value }),
  })
  const { diagnostics } = await check({ cwd, paths: ['skills'] })
  expect(isMetaKey(key)).toBe(true)
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
})
