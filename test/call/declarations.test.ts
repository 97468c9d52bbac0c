import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createRuntime,
  ctxTools,
  defineTool,
  outputForModel,
  type RuntimeOptions,
  registerTool,
  unregisterTool,
  type WorkspaceOptions,
} from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { afterEach, describe, expect, it } from 'vitest'
import { codeSkills, threeWays } from '../support/code-project.js'
import { defaultGlobals } from '../support/default-globals.js'
import { makeTree } from '../support/tree.js'

describe('a definition', () => {
  it.each<[string, unknown, string]>([
    ['config', 'yes', 'a JSON Schema'],
    ['env', 'KEY', 'an array of names'],
    ['env', ['KEY=1'], 'an array of names'],
    ['state', { initial: {} }, '`schema` and `initial`'],
    ['state', { schema: {}, initial: {}, scope: 1 }, '`schema` and `initial`'],
    ['requires', 1, 'a range of versions'],
    ['requiresTools', 1, 'a pattern'],
    ['contractVersion', 1, 'a string'],
    ['executor', 'remote', '`local`'],
    ['descriptionPath', '', 'a text file'],
  ])('with a wrong `%s` is refused: %j', (field, value, expected) => {
    expect(() => defineTool({ name: 'a', execute: () => 1, [field]: value } as never)).toThrow(
      expect.objectContaining({
        code: 'DEFINITION_INVALID',
        message: `The tool "a" has a wrong value for "${field}".`,
        hint: expect.stringContaining(expected),
      }),
    )
  })

  it('has what it declares in its metadata, whichever way it is found', { tags: 'long' }, async () => {
    const { dir } = codeSkills({
      'a.skill.ts': `import { defineTool } from 'agent-apps'
import { z } from 'zod'
export default defineTool({
  name: 'a',
  description: 'Works.',
  config: z.object({ region: z.string().default('eu') }),
  env: ['HOME'],
  state: { schema: z.object({ count: z.number() }), initial: { count: 0 } },
  requires: '>=0.1.0',
  requiresTools: 'a',
  contractVersion: '1.2.0',
  executor: 'local',
  execute: (_, ctx) => ({ config: ctx.config, state: ctx.state, env: Object.keys(ctx.env) }),
})
`,
    })
    for (const via of ['disk', 'index']) {
      if (via === 'index') await compile({ paths: [dir], cwd: dir })
      const runtime = createRuntime({ paths: [dir], library: false })
      expect(await runtime.invoke('a')).toEqual({ config: { region: 'eu' }, state: { count: 0 }, env: [] })
      const tool = await runtime.findTool('a')
      expect(tool?.origin.via).toBe(via)
      expect(tool?.frontmatter.metadata).toMatchObject({
        config: { type: 'object' },
        env: ['HOME'],
        'state-slot': { schema: { type: 'object' }, initial: { count: 0 } },
        requires: '>=0.1.0',
        'requires-tools': 'a',
        'contract-version': '1.2.0',
        executor: 'local',
      })
    }
  })

  it('keeps what is its own from those that inherit from it', async () => {
    const dir = makeTree({
      'a.skill.md':
        '---\nname: a\ndescription: A.\nmetadata:\n  env: [HOME]\n  config: { type: object }\n---\n',
      'b.skill.md': '---\nname: b\ndescription: B.\nmetadata:\n  $inherit: a\n---\n',
    })
    const { metadata } = await createRuntime({ paths: [dir] }).explain('b')
    expect(Object.keys(metadata)).not.toContain('env')
    expect(Object.keys(metadata)).not.toContain('config')
  })
})

describe('a Markdown skill', () => {
  it('declares with the same keys, and its delegate gets what is its own', async () => {
    const dir = makeTree({
      'a/SKILL.md': `---
name: a
description: Works.
metadata:
  config: { type: object, properties: { region: { type: string, default: eu } } }
  env: [DECLARED_KEY]
  state-slot: { schema: { type: object }, initial: { count: 0 } }
  delegate: ./a.ts
---
`,
      'a/a.ts': `import { ctxOwn } from 'agent-apps'
export default ctx => {
  const own = ctxOwn(ctx)
  own.state.count++
  return { ...own.config, ...own.env, count: own.state.count }
}
`,
    })
    process.env.DECLARED_KEY = 'of the environment'
    try {
      const options: RuntimeOptions = { paths: [dir], env: ['DECLARED_KEY'] }
      const runtime = createRuntime({ ...options, config: { tools: { a: { region: 'us' } } } })
      const expected = { region: 'us', DECLARED_KEY: 'of the environment' }
      expect(await runtime.invoke('a')).toEqual({ ...expected, count: 1 })
      expect(await runtime.invoke('a')).toEqual({ ...expected, count: 2 })
    } finally {
      delete process.env.DECLARED_KEY
    }
  })

  it.each<[string, string, string]>([
    ['config: yes', 'declaration-invalid', '"config" must be a JSON Schema'],
    ['env: [A-B]', 'declaration-invalid', '"env" must be'],
    ['requires: "=>99.x.0.1"', 'declaration-invalid', '"requires" is not a range'],
    ['requires: ">=99"', 'requires-unmet', 'This skill requires agent-apps >=99'],
    ['executor: remote', 'declaration-invalid', '"executor" must be `local`'],
    ['catalog: sometimes', 'declaration-invalid', '"catalog" must be `always` or `never`'],
    ['contract-version: [1]', 'declaration-invalid', '"contract-version" must be a string'],
  ])('with %s loads, and `check` says what is wrong', async (line, rule, reason) => {
    const dir = makeTree({ 'a.skill.md': `---\nname: a\ndescription: A.\nmetadata:\n  ${line}\n---\nA.\n` })
    const { diagnostics, counts } = await check({ cwd: dir, paths: [dir] })
    expect(counts.found).toBe(1)
    expect(diagnostics.map(one => [one.ruleId, one.line])).toEqual([[rule, 5]])
    expect(diagnostics[0]?.reason).toContain(reason)
    const call = createRuntime({ paths: [dir] }).invoke('a')
    if (rule === 'requires-unmet') await expect(call).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
    else expect(await call).toBe('A.\n')
  })
})

describe("another host's `requires`", () => {
  it.each(['{ bins: [git], env: [TOKEN] }', '[git]', '"node 20"', 'python', '3'])(
    'is left alone: %s',
    async requires => {
      const dir = makeTree({
        'a.skill.md': `---\nname: a\ndescription: A.\nmetadata:\n  requires: ${requires}\n---\nA.\n`,
      })
      expect((await check({ cwd: dir, paths: [dir] })).diagnostics).toEqual([])
      expect(await createRuntime({ paths: [dir] }).invoke('a')).toBe('A.\n')
    },
  )
})

describe('a schema of what is its own that cannot be used', () => {
  it.each(['config: { type: objct }', 'state-slot: { schema: { type: 1 }, initial: 0 }'])(
    '%s is an error, and the tool does not run',
    async line => {
      const dir = makeTree({ 'a.skill.md': `---\nname: a\ndescription: A.\nmetadata:\n  ${line}\n---\nA.\n` })
      const { diagnostics } = await check({ cwd: dir, paths: [dir] })
      expect(diagnostics.map(one => [one.ruleId, one.line])).toEqual([['schema-invalid', 5]])
      const calling = createRuntime({ paths: [dir] }).invoke('a')
      await expect(calling).rejects.toMatchObject({
        code: 'SCHEMA_INVALID',
        message: expect.stringMatching(/^The schema "(config|state)" of "a" cannot be used/),
      })
    },
  )
})

describe('`requiresTools`', () => {
  it('keeps a tool from agents that lack these, until they have them', async () => {
    const runtime = createRuntime({ paths: [], library: false })
    const listed = async (): Promise<string[]> =>
      (await runtime.forAgent().listTools()).map(({ name }) => name)
    runtime.register({ name: 'a', description: 'A.', requiresTools: ['b-*'], execute: () => 1 })
    expect(await listed()).toEqual([])
    const undo = runtime.register({ name: 'b-1', description: 'B.', execute: () => 1 })
    expect(await listed()).toEqual(['a', 'b-1'])
    undo()
    expect(await listed()).toEqual([])
    expect((await runtime.forAgent().catalog({ available: ['b-2'] })).described).toEqual(['a'])
  })

  it('keeps it from what a tool lists for an agent, too', async () => {
    const runtime = createRuntime({ paths: [], library: false })
    runtime.register(async ctx => (await ctxTools(ctx, 'agent')).map(({ name }) => name), {
      name: 'lists',
      description: 'Lists tools.',
    })
    runtime.register({ name: 'a', description: 'A.', requiresTools: 'b', execute: () => 1 })
    expect(await runtime.invoke('lists')).toEqual(['lists'])
    expect(await runtime.forAgent().invoke('lists')).toEqual(['lists'])
  })
})

describe('`descriptionPath`', () => {
  afterEach(() => unregisterTool(defaultGlobals(), 'told'))
  const told = { name: 'told', descriptionPath: 'told.txt', execute: () => 1 }
  const text = 'Works in ${workspace}, ${directory} and ${cwd}; not ${other}.\n'

  it('is read where the tool is registered, relative to `cwd`', async () => {
    const cwd = makeTree({ 'told.txt': text })
    const expected = `Works in ${cwd}, ${cwd} and ${cwd}; not \${other}.`
    for (const definition of [told, defineTool(told), defineTool('told', async () => told)]) {
      const runtime = createRuntime({ paths: [], cwd })
      runtime.register(definition as typeof told)
      expect((await runtime.findTool('told'))?.frontmatter.description).toBe(expected)
    }
    registerTool({ ...told, descriptionPath: join(cwd, 'told.txt') })
    const found = await createRuntime({ paths: [] }).findTool('told')
    expect(found?.frontmatter.description).toContain(`Works in ${process.cwd()}`)
  })

  it('names the workspace of the runtime, unless AGENT_WORKSPACE_ROOT names another one', async () => {
    const cwd = makeTree({ 'told.txt': '${workspace}' })
    const said = async (workspace: string | WorkspaceOptions): Promise<string | null | undefined> => {
      const runtime = createRuntime({ paths: [], cwd, workspace })
      runtime.register(told)
      return (await runtime.findTool('told'))?.frontmatter.description
    }
    process.env.AGENT_WORKSPACE_ROOT = ''
    try {
      expect(await said('repo')).toBe(join(cwd, 'repo'))
      expect(await said({ root: 'repo' })).toBe(join(cwd, 'repo'))
      expect(await said({ root: 'repo', cwd: 'around' })).toBe(join(cwd, 'around/repo'))
      expect(await said({ root: '/elsewhere' })).toBe('/elsewhere')
      process.env.AGENT_WORKSPACE_ROOT = '/named'
      expect(await said('repo')).toBe('/named')
    } finally {
      delete process.env.AGENT_WORKSPACE_ROOT
    }
  })

  it('that leads nowhere is RESOURCE_NOT_FOUND', () => {
    const cwd = makeTree({})
    expect(() => createRuntime({ paths: [], cwd }).register(told)).toThrow(
      expect.objectContaining({ code: 'RESOURCE_NOT_FOUND', file: join(cwd, 'told.txt') }),
    )
  })

  it('is refused in a file, which imports the text', { tags: 'long' }, async () => {
    const definition = (fields: string) =>
      `export default defineTool({ name: 'a', ${fields}, execute: () => 1 })\n`
    const head = "import { defineTool } from 'agent-apps'\n"
    const { dir } = codeSkills({ 'a.skill.js': head + definition("descriptionPath: './a.txt'") })
    const [found] = (await check({ cwd: dir, paths: [dir] })).diagnostics
    expect(found?.ruleId).toBe('definition-field')
    expect(found?.note).toContain("import description from './a.txt'")
    writeFileSync(join(dir, 'a.txt'), 'From a file.')
    writeFileSync(
      join(dir, 'a.skill.js'),
      `${head}import description from './a.txt'\n${definition('description')}`,
    )
    const { disk, index, modules } = await threeWays(dir, [['a']])
    for (const { tools } of [disk, index, modules])
      expect(tools.a?.frontmatter.description).toBe('From a file.')
  })
})

it('outputForModel gives the output, and JSON of what is not a string', () => {
  expect(outputForModel('text')).toBe('text')
  expect(outputForModel({ data: [1], count: 1 })).toBe('{"data":[1],"count":1}')
  expect(outputForModel({ title: 't', metadata: {}, output: 'text' })).toBe('text')
  expect(outputForModel({ title: 't', metadata: {}, output: { a: 1 } })).toBe('{"a":1}')
  expect(outputForModel({ error: 'no key' })).toBe('{"error":"no key"}')
  expect([undefined, null, 0].map(outputForModel)).toEqual(['', 'null', '0'])
})
