import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentRuntime, ApprovalAnswer, Context, Runtime, RuntimeOptions } from 'agent-apps'
import { createRuntime, ctxTool, registerTool } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { compile } from 'agent-apps/compiler'
import { skillTools as langchainTools } from 'agent-apps/langchain'
import { skillSource } from 'agent-apps/mcp'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../support/ai-model.js'
import { agentApps } from '../support/commands.js'
import { ONE_WAY, outcome, project } from '../support/four-ways.js'
import { isLong, some } from '../support/long.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

const SECRET = 'THE SECRET'
const ANY = 'params: { type: object, additionalProperties: true }'

/** Directives that a model's values are filled in in. */
const FILLED = [
  ':include[${args.path}]',
  ':include[./${args.path}]{lines=1-}',
  '> ::include[${args.path}]',
  ':skill[${args.ref}]{show=content}',
  ':tool[${args.ref}]{show=${args.show}}',
  ':text[x]{file="${args.path}"}',
  ':::each{path=args.paths as=one}\n:include[${locals.one}]\n:::',
]

const TREE: Tree = {
  'skills/secret/SKILL.md': skill('secret', `${SECRET}\n`, 'metadata: { gated: true }\n'),
  'skills/secret/notes.md': `${SECRET}\n`,
  'skills/denied/SKILL.md': skill('denied', `${SECRET}\n`),
  'skills/denied/notes.md': `${SECRET}\n`,
  'skills/single.skill.md': skill('single', `${SECRET}\n`, 'metadata: { gated: true }\n'),
  'skills/text.skill.js': `
    export const frontmatter = { name: 'text', description: 'A file.',
      metadata: { visibility: 'hidden', tags: ['meta-directive-inline'] } }
    export default async (ctx, { attributes, source }) => (await source.readText(attributes.file)).text`,
  ...Object.fromEntries(
    FILLED.flatMap((directive, number) => [
      [`skills/f${number}/SKILL.md`, skill(`f${number}`, `${directive}\n`, `metadata: { ${ANY} }\n`)],
      [`skills/s${number}.skill.md`, skill(`s${number}`, `${directive}\n`, `metadata: { ${ANY} }\n`)],
    ]),
  ),
  'skills/f0/own.md': 'Its own.\n',
  'skills/f0/deep/own.md': 'Its own.\n',
  'skills/f0/nested/SKILL.md': skill('nested', `${SECRET}\n`, 'metadata: { gated: true }\n'),
  'skills/f0/nested/notes.md': `${SECRET}\n`,
  'skills/f0/inner.skill.md': skill('inner', `${SECRET}\n`, 'metadata: { gated: true }\n'),
  'skills/f0/.hidden/notes.md': `${SECRET}\n`,
}

/** Paths that a model may try. */
const PATHS = [
  '../secret/SKILL.md',
  '../secret/notes.md',
  '../denied/notes.md',
  '../single.skill.md',
  './secret/notes.md',
  'secret/SKILL.md',
  'single.skill.md',
  'SINGLE.SKILL.MD',
  '..\\secret\\notes.md',
  '%2e%2e/secret/notes.md',
  '../f0/../secret/notes.md',
  'nested/SKILL.md',
  'nested/notes.md',
  'NESTED/notes.md',
  'inner.skill.md',
  '.hidden/notes.md',
  'link.md',
  'linked/notes.md',
  'linked-nested.md',
  '../.agent-apps.json',
  '.agent-apps.json',
]

/** Names of skills, and paths to them, that a model may try. */
const REFS = [
  'secret',
  'denied',
  'single',
  '../secret/SKILL.md',
  '../secret',
  './single.skill.md',
  'layer://project/secret',
  'inline://markdown,---\nname: x\n---\nx',
]

function withLinks(cwd: string): void {
  symlinkSync('../secret/notes.md', join(cwd, 'skills/f0/link.md'))
  symlinkSync('../secret', join(cwd, 'skills/f0/linked'))
  symlinkSync('nested/notes.md', join(cwd, 'skills/f0/linked-nested.md'))
}

/** What an agent's policy is, and a person who gives one answer, and notes what is asked. */
function asking(answer: ApprovalAnswer): { options: RuntimeOptions; asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    options: {
      policy: { deny: 'denied' },
      interact: request => {
        asked.push(`${request.kind} ${'tool' in request ? request.tool : ''}`)
        return answer
      },
    },
  }
}

describe.each(some(['from disk', 'compiled, files looked at', 'compiled, trusted'] as const))(
  'what a model fills in, %s',
  way => {
    const opened = async (answer: ApprovalAnswer) => {
      const cwd = makeTree(TREE)
      withLinks(cwd)
      if (way !== 'from disk') await compile({ cwd, paths: ['skills'] })
      const { options, asked } = asking(answer)
      const freshness = way === 'compiled, trusted' ? 'trust' : 'check'
      const runtime = createRuntime({ cwd, paths: ['skills'], freshness, ...options })
      return { runtime, agent: runtime.forAgent(), asked }
    }

    it('leads to no file of another skill, and nobody is asked', async () => {
      const { agent, runtime, asked } = await opened('allow-session')
      const calls: ((name: string, args: object) => Promise<unknown>)[] = [
        (name, args) => agent.invoke(name, args),
        (name, args) => agent.open(name, args),
        (name, args) => runtime.invoke(name, args),
        (name, args) => runtime.render(name, { args }),
      ]
      const kinds = ['f', 's'].flatMap(kind => calls.map(call => [kind, call] as const))
      const tried = [
        ...PATHS.map(path => [path, 'secret']),
        ...REFS.map(ref => ['../denied/notes.md', ref]),
      ] as [string, string][]
      for (const number of FILLED.keys())
        for (const [at, [path, ref]] of tried.entries()) {
          const args = { path, ref, show: 'content', paths: [path] }
          // Every second path, in another way than the one before it; all of them in `npm run test:long`.
          const one = (number + at) % kinds.length
          if (!isLong && (number + Math.floor(at / 2)) % 2 === 0) continue
          for (const [kind, call] of isLong ? kinds : kinds.slice(one, one + 1)) {
            const name = `${kind}${number}`
            const given = await call(name, args).then(
              result => JSON.stringify(result),
              ({ code, message, hint }) => `${code} ${message} ${hint}`,
            )
            expect([name, path, ref, given]).toEqual([
              name,
              path,
              ref,
              expect.stringMatching(/^(?:DIRECTIVE_FAILED|CONTENT_CYCLE) /),
            ])
            expect(given).not.toContain(SECRET)
          }
        }
      expect(asked).toEqual([])
    })

    it('leads to files of the same skill', async () => {
      const { agent } = await opened('deny')
      for (const path of ['own.md', './deep/../own.md', 'deep\\own.md', 'deep/own.md'])
        expect([path, await agent.invoke('f0', { path })]).toMatchObject([
          path,
          { content: expect.stringContaining('Its own.') },
        ])
    })
  },
)

it('leads from a single file to what is beside it, also below a main skill', async () => {
  for (const main of [{}, { 'skills/SKILL.md': skill('top', '', 'metadata: { role: main }\n') }]) {
    const cwd = makeTree({
      ...main,
      'skills/how.skill.md': skill('how', ':include[${args.path}]\n', `metadata: { ${ANY} }\n`),
      'skills/beside.md': 'Beside.\n',
      'skills/texts/below.md': 'Below.\n',
      'skills/owned/SKILL.md': skill('owned'),
      'skills/owned/notes.md': 'Owned.\n',
      'skills/deep/other.skill.md': skill('other', ':include[${args.path}]\n', `metadata: { ${ANY} }\n`),
    })
    const { render } = createRuntime({ cwd, paths: ['skills'] })
    const how = (name: string, path: string) => outcome(render(name, { args: { path } }))
    expect(await how('how', 'beside.md')).toBe('Beside.\n')
    expect(await how('how', 'texts/below.md')).toBe('Below.\n')
    expect(await how('how', 'owned/notes.md')).toBe('DIRECTIVE_FAILED')
    expect(await how('how', 'deep/other.skill.md')).toBe('DIRECTIVE_FAILED')
    // Above it lie the files of others.
    expect(await how('other', '../beside.md')).toBe('DIRECTIVE_FAILED')
  }
})

it('leads to what was added since', async () => {
  const cwd = makeTree(TREE)
  await compile({ cwd, paths: ['skills'] })
  const { render } = createRuntime({ cwd, paths: ['skills'] })
  mkdirSync(join(cwd, 'skills/f0/new'))
  symlinkSync('../own.md', join(cwd, 'skills/f0/new/own.md'))
  expect(await render('f0', { args: { path: 'new/own.md' } })).toBe('Its own.\n')
})

/** Every way in which an agent, or a model through it, may come to a file of a skill. */
const FILE_WAYS: Record<string, (name: string, agent: AgentRuntime, runtime: Runtime) => Promise<unknown>> = {
  invoke: (name, agent) => agent.invoke(name),
  open: (name, agent) => agent.open(name),
  'readResource of its own file': (name, agent) => agent.readResource(name, 'SKILL.md').then(asText),
  'readResource of another': (name, agent) => agent.readResource(name, 'notes.md').then(asText),
  'readResource in the place of a skill': (name, agent) =>
    agent.within('f0').readResource(name, 'notes.md').then(asText),
  'readResource of a spawned agent': (name, agent) =>
    agent.spawn({}).readResource(name, 'notes.md').then(asText),
  'an agent that a tool starts': (name, agent) => agent.invoke('starts-agent', { name }),
  'what a tool opens': (name, agent) => agent.invoke('opens', { name }),
  'skill-describe': (name, agent) => agent.invoke('skill-describe', { name, content: true }),
  agent: (name, agent) => agent.invoke('agent', { prompt: 'Tell it.', skill: name }),
  'load-skill of the AI SDK': async (name, _, runtime) =>
    all((await skillTools(runtime)).tools['load-skill']?.execute?.({ name }, anyCall())),
  'read-skill-resource of the AI SDK': async (name, _, runtime) =>
    all(
      (await skillTools(runtime)).tools['read-skill-resource']?.execute?.(
        { name, path: 'notes.md' },
        anyCall(),
      ),
    ),
  'load-skill of LangChain': async (name, _, runtime) => langchain(runtime, 'load-skill', { name }),
  'read-skill-resource of LangChain': async (name, _, runtime) =>
    langchain(runtime, 'read-skill-resource', { name, path: 'notes.md' }),
}

/** What tells of a skill and asks nobody: it gives none of its text. */
const TELLING: typeof FILE_WAYS = {
  describe: (name, agent) => agent.describe(name),
  listTools: (_, agent) => agent.listTools(),
  catalog: (_, agent) => agent.catalog(),
  'skill-list': (_, agent) => agent.invoke('skill-list', {}),
  'skill-describe': (name, agent) => agent.invoke('skill-describe', { name }),
  'agent-discover': (_, agent) => agent.invoke('agent-discover', {}),
  authorize: (name, agent) => agent.authorize(name),
  'resources of MCP': async (name, _, runtime) => {
    const source = skillSource(runtime)
    return [
      await source.list({}, ANY_REQUEST),
      await source.get(`skill://${name}/SKILL.md`, ANY_REQUEST),
      await source.read(`skill://${name}/SKILL.md`, ANY_REQUEST),
      await source.read(`skill://${name}/notes.md`, ANY_REQUEST),
      await source.read(`skill://f0/..%2f${name}/notes.md`, ANY_REQUEST),
      await source.read(`skill://f0/%2e%2e/${name}/notes.md`, ANY_REQUEST),
    ]
  },
  ...Object.fromEntries(
    [
      '../secret/notes.md',
      '..\\secret\\notes.md',
      '%2e%2e/secret/notes.md',
      'Nested/notes.md',
      'nested/notes.md',
    ].map(path => [
      `readResource ${path}`,
      (_: string, agent: AgentRuntime) => agent.readResource('f0', path).then(asText),
    ]),
  ),
}

/** Nothing of a request is looked at. */
const ANY_REQUEST = undefined as never
const asText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const anyCall = () => ({ toolCallId: crypto.randomUUID(), messages: [] })
async function all(given: unknown): Promise<unknown[]> {
  const results: unknown[] = []
  for await (const one of given as AsyncIterable<unknown>) results.push(one)
  return results
}
async function langchain(runtime: Runtime, name: string, args: unknown): Promise<unknown> {
  const { tools } = await langchainTools(runtime)
  const call = { id: crypto.randomUUID(), name, args, type: 'tool_call' as const }
  return tools.find(tool => tool.name === name)?.invoke(call as never)
}

describe.each(ONE_WAY)('a skill that a person has to allow, %s', way => {
  const opened = async (answer: ApprovalAnswer) => {
    const { options, asked } = asking(answer)
    const { cwd, runtime: made } = await project(way, TREE)
    const models = { default: scriptedModel({ text: SECRET }) }
    const runtime =
      way === 'in a bundle'
        ? Object.assign(made, { globals: Object.assign(made.globals, { models }) })
        : createRuntime({ cwd, paths: ['skills'], models, ...options })
    Object.assign(runtime.globals.config, options)
    registerTool(runtime.globals, {
      name: 'starts-agent',
      description: 'Starts an agent.',
      params: { type: 'object' },
      fn: async (ctx, args) => {
        const { name } = args as { name: string }
        return asText(
          await ((ctx as Context).manager.spawn({}) as AgentRuntime).readResource(name, 'notes.md'),
        )
      },
    })
    registerTool(runtime.globals, {
      name: 'opens',
      description: 'Opens a skill.',
      params: { type: 'object' },
      fn: async (ctx, args) =>
        (await ctxTool(ctx as Context, (args as { name: string }).name, true)).content?.(),
    })
    return { runtime, agent: runtime.forAgent(), asked }
  }
  const given = async (call: () => Promise<unknown>): Promise<string> => {
    try {
      return JSON.stringify(await call())
    } catch (error) {
      const { code, message, hint } = error as { code?: string; message: string; hint?: string }
      return `${code} ${message} ${hint}`
    }
  }

  // A bundle has neither the bytes of a skill's own file, nor the tool `agent` where nothing needs it. What a tool of
  // the package calls is not the bundle's.
  const absent = way === 'in a bundle' ? ['readResource of its own file', 'agent', 'what a tool opens'] : []
  const there = Object.entries(FILE_WAYS).filter(([name]) => !absent.includes(name))
  const ways = way === 'from disk' ? there : some(there, 2)

  it.each(ways)('%s asks, and gives nothing that was refused', async (_, call) => {
    const { runtime, agent, asked } = await opened('deny')
    const refused = await given(() => call('secret', agent, runtime))
    expect(refused).not.toContain(SECRET)
    expect(refused).toContain('APPROVAL_DENIED')
    expect(asked).toEqual(['approval secret'])
    const denied = await given(() => call('denied', agent, runtime))
    expect(denied).not.toContain(SECRET)
    expect(asked).toHaveLength(1)
  })

  it.each(ways)('%s gives what was allowed', { tags: 'long' }, async (_, call) => {
    const { runtime, agent, asked } = await opened('allow-once')
    expect(await given(() => call('secret', agent, runtime))).toContain(SECRET)
    expect(asked).toEqual(['approval secret'])
  })

  it('is allowed to be read by the answer for the session that allowed to open it', async () => {
    const { agent, asked } = await opened('allow-session')
    await agent.open('secret')
    expect(asText(await agent.readResource('secret', 'notes.md'))).toContain(SECRET)
    expect(asked).toEqual(['approval secret'])
  })

  it('is told of without its text, and nobody is asked', async () => {
    const { runtime, agent, asked } = await opened('allow-session')
    for (const [, call] of Object.entries(TELLING))
      for (const name of ['secret', 'denied'])
        expect(await given(() => call(name, agent, runtime))).not.toContain(SECRET)
    expect(asked).toEqual([])
  })
})

it('is not to be had by the command either', async () => {
  const cwd = makeTree({ ...TREE, 'agent-apps.config.json': '{ "paths": ["skills"] }' })
  for (const args of [
    ['secret'],
    ['skill-describe', '--args', '{"name":"secret","content":true}'],
    ['f0', '--args', '{"path":"../secret/notes.md"}'],
  ]) {
    const { stdout, stderr, status } = await agentApps(cwd, ['run', ...args, '--as-agent'])
    expect([status, `${stdout}${stderr}`.includes(SECRET)]).toEqual([1, false])
  }
})
