import { createRuntime, defineTool, emptyGlobals, invoke, registerTool } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { bothWays, fromBundles, text, worker } from '../support/cascade-project.js'
import { codeSkills, shown, threeWays } from '../support/code-project.js'
import type { Tree } from '../support/tree.js'

const PACKAGE: Tree = { 'package.json': '{"type":"module"}\n' }
/** Guards that cannot be read, each with the line that says so, and where it points in the frontmatter. */
const FAULTY: [string, unknown, string, string][] = [
  ['trust', '*($deny)', '"trust" must be an object with "rules", a string or an array of strings', ''],
  ['gated', 'yes', '"gated" must be true or false', ''],
  ['permissions', { required: ['wirte'] }, '"wirte" is not a permission', ''],
]
const GUARDS: [string, unknown][] = [
  ['trust', { rules: '#meta-internal($policy=allow) *' }],
  ['gated', true],
  ['permissions', { required: ['write'] }],
]

/** A definition with one more field. */
const defined = (field: string): string =>
  `import { defineTool } from 'agent-apps'
export default defineTool({
  name: 'a',
  description: 'Is a.',
  ${field},
  execute: () => 'ran',
})\n`

describe('a guard that cannot be read', () => {
  it.each(FAULTY)('%s is an error, and what has it does not run', async (key, value, line) => {
    const { dir } = codeSkills({ 'b.skill.js': defined(`${key}: ${JSON.stringify(value)}`) })
    const project = {
      tree: {
        ...PACKAGE,
        'skills/a.skill.md': text('a', { [key]: value }),
        'skills/c.skill.js': worker('c', { [key]: value }),
        'skills/heir.skill.md': text('heir', { $inherit: 'a' }),
        'skills/free.skill.md': text('free'),
      },
      calls: [['a'], ['c'], ['heir'], ['free']] as [string][],
    }
    const [ways] = await bothWays([project])
    const [bundle] = await fromBundles([project])
    const expected = [
      expect.stringMatching(/^skills\/a\.skill\.md:4:\d+ guard-invalid error$/),
      expect.stringMatching(/^skills\/c\.skill\.js:1:\d+ guard-invalid error$/),
    ]
    for (const work of [check, compile]) {
      const { diagnostics, counts } = await work({ cwd: ways?.cwd ?? '', paths: ['skills'] })
      expect(diagnostics.map(shown)).toEqual(expected)
      expect(diagnostics[0]?.reason.toLowerCase()).toBe(line.toLowerCase())
      expect(counts.found).toBe(4)
      const code = await work({ cwd: dir, paths: [dir] })
      expect(code.diagnostics.map(shown)).toEqual([
        expect.stringMatching(/^b\.skill\.js:5:\d+ guard-invalid error$/),
      ])
    }
    for (const outcome of [ways?.disk, ways?.index, bundle])
      expect(outcome?.results.map(({ result, code }) => code ?? result)).toEqual([
        'CASCADE_INVALID',
        'CASCADE_INVALID',
        'CASCADE_INVALID',
        'Do free.\n',
      ])
    const { disk, index, modules } = await threeWays(dir, [['a']])
    for (const { results, names } of [disk, index, modules]) {
      expect(names).toEqual(['a'])
      expect(results[0]).toEqual({
        code: 'CASCADE_INVALID',
        message: `The metadata of "a" cannot be resolved: ${line}.`,
      })
    }
  })

  it('keeps tools under a main skill that has it from running', async () => {
    const tree = {
      ...PACKAGE,
      'skills/main/SKILL.md': '',
      'skills/SKILL.md': text('main', { role: 'main', trust: { rules: '*($dney)' } }),
      'skills/a.skill.js': worker('a'),
    }
    const { 'skills/main/SKILL.md': _, ...rest } = tree
    const project = { tree: rest, calls: [['a']] as [string][] }
    const [ways] = await bothWays([project])
    const [bundle] = await fromBundles([project])
    for (const outcome of [ways?.disk, ways?.index, bundle])
      expect(outcome?.results.map(({ code }) => code)).toEqual(['CASCADE_INVALID'])
    expect(ways?.diagnostics.map(shown)).toEqual([
      expect.stringMatching(/^skills\/SKILL\.md:4:\d+ guard-invalid error$/),
    ])
  })

  it.each(FAULTY)('%s keeps a registered tool from running', async (key, value) => {
    for (const tool of [
      { name: 'a', fn: () => 'ran', metadata: { [key]: value } },
      { name: 'a', fn: () => 'ran', [key]: value },
    ]) {
      const globals = emptyGlobals()
      registerTool(globals, tool as never)
      await expect(invoke('a', undefined, globals)).rejects.toMatchObject({ code: 'CASCADE_INVALID' })
    }
    const globals = emptyGlobals()
    await registerTool(globals, defineTool({ name: 'a', execute: () => 'ran', [key]: value } as never))
    await expect(invoke('a', undefined, globals)).rejects.toMatchObject({ code: 'CASCADE_INVALID' })
  })

  it.each(GUARDS)('%s guards in an index, from disk and in a bundle alike', async (key, value) => {
    const tree = {
      ...PACKAGE,
      'skills/a.skill.md': text('a', { [key]: value }),
      'skills/b.skill.js': worker('b', { [key]: value }),
    }
    const project = { tree, calls: [['a'], ['b']] as [string][] }
    const [ways] = await bothWays([project])
    const [bundle] = await fromBundles([project])
    expect(ways?.diagnostics).toEqual([])
    for (const outcome of [ways?.disk, ways?.index, bundle])
      expect(outcome?.results.map(({ result }) => result)).toEqual(['Do a.\n', 'b'])
    const expected = { trust: undefined, gated: 'APPROVAL_UNAVAILABLE', permissions: 'PERMISSION_MISSING' }[
      key
    ]
    for (const freshness of ['check', 'trust'] as const) {
      const paths = [`${ways?.cwd}/skills`]
      const agent = createRuntime({ paths, library: false, freshness }).forAgent()
      for (const name of ['a', 'b'])
        expect(
          await agent.invoke(name).then(
            () => undefined,
            ({ code }) => code,
          ),
        ).toBe(expected)
    }
    const { dir } = codeSkills({ 'b.skill.js': defined(`${key}: ${JSON.stringify(value)}`) })
    const agent = createRuntime({ paths: [dir], library: false }).forAgent()
    expect(
      await agent.invoke('a').then(
        () => undefined,
        ({ code }) => code,
      ),
    ).toBe(expected)
  })

  it('is none where it says that there is none', async () => {
    const tree = { ...PACKAGE, 'skills/a.skill.js': worker('a', { gated: false, trust: null }) }
    const [ways] = await bothWays([{ tree, calls: [['a']] }])
    expect(ways?.diagnostics).toEqual([])
    for (const outcome of [ways?.disk, ways?.index]) expect(outcome?.results[0]?.result).toBe('a')
  })
})

describe('a field of a definition that nobody knows', () => {
  it.each([
    ['parms: {}', 'parms', 'Did you mean "params"?'],
    ["delegate: './x.js'", 'delegate', 'Move it under `metadata`: only there does "delegate" mean anything.'],
    ['timeout: 5000', 'timeout', 'Did you mean "timeoutMs"?'],
    ['retries: 3', 'retries', 'Data of your own belongs under `metadata`.'],
  ])('%s is an error where it stands, and the tool does not load', async (field, name, note) => {
    const { dir } = codeSkills({ 'a.skill.js': defined(field) })
    for (const work of [check, compile]) {
      const { diagnostics } = await work({ cwd: dir, paths: [dir] })
      expect(diagnostics.map(one => `${shown(one)} ${one.fatal} ${one.reason} / ${one.note}`)).toEqual([
        `a.skill.js:5:3 definition-field error true "${name}" is not a field of \`defineTool\`, which refuses it / ${note}`,
      ])
      for (const freshness of ['check', 'trust'] as const) {
        const runtime = createRuntime({ paths: [dir], library: false, freshness })
        await expect(runtime.invoke('a')).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
      }
    }
  })

  it('is refused at once, or with the function that makes the definition', async () => {
    const definition = { name: 'a', description: 'x', parms: {}, execute: () => 1 }
    const error = {
      code: 'DEFINITION_INVALID',
      tool: 'a',
      message: 'The tool "a" has the field "parms", which `defineTool` does not know.',
      hint: 'Did you mean "params"? It knows name, description, params, inputSchema, parameters, returns, outputSchema, execute, tags, role, visibility, allowedTools, timeoutMs, gated, permissions, trust, deriveApprovalKey, preview, config, env, state, descriptionPath, requires, requiresTools, contractVersion, executor, metadata, init, activate, deactivate, dispose. Data of your own belongs under `metadata`.',
    }
    expect(() => defineTool(definition as never)).toThrow(expect.objectContaining(error))
    const { name: _, ...rest } = definition
    const late = defineTool('a', (async () => rest) as never)
    await expect(late.frontmatter()).rejects.toMatchObject(error)
    await expect(late.fn(undefined)).rejects.toMatchObject(error)
    await expect(registerTool(emptyGlobals(), late)).rejects.toMatchObject(error)
  })
})

describe('`timeoutMs` of a definition', () => {
  it('is the `timeout` of its metadata, in code and registered', async () => {
    const slow = defined('timeoutMs: 20').replace("() => 'ran'", '() => new Promise(() => {})')
    const { dir } = codeSkills({ 'a.skill.js': slow })
    const { diagnostics } = await check({ cwd: dir, paths: [dir] })
    expect(diagnostics.map(shown)).toEqual([])
    const { disk, index, modules } = await threeWays(dir, [['a']])
    for (const { results, tools } of [disk, index, modules]) {
      expect(results).toMatchObject([{ code: 'TOOL_TIMEOUT' }])
      expect(tools.a?.frontmatter.metadata).toEqual({ timeout: 20 })
    }
    const runtime = createRuntime({ paths: [] })
    runtime.register({ name: 'a', timeoutMs: 20, execute: () => new Promise(() => {}) })
    await expect(runtime.invoke('a')).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' })
    runtime.register({ name: 'a', timeoutMs: 'soon' as never, execute: () => 1 })
    await expect(runtime.invoke('a')).rejects.toMatchObject({ code: 'MIDDLEWARE_CONFIG' })
  })
})
