import { createRuntime, defineTool, emptyGlobals, invoke, registerTool } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { bothWays, fromBundles, text, worker } from '../support/cascade-project.js'
import { codeSkills, shown, threeWays } from '../support/code-project.js'
import { isLong } from '../support/long.js'
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
const defined = (field: string, name = 'a'): string =>
  `import { defineTool } from 'agent-apps'
export default defineTool({
  name: '${name}',
  description: 'Is a.',
  ${field},
  execute: () => 'ran',
})\n`

describe('a guard that cannot be read', () => {
  it('is an error, and what has it does not run', { tags: 'long' }, async () => {
    const { dir } = codeSkills(
      Object.fromEntries(
        FAULTY.map(([key, value]) => [
          `b-${key}.skill.js`,
          defined(`${key}: ${JSON.stringify(value)}`, `b-${key}`),
        ]),
      ),
    )
    const guarded = FAULTY.map(([key, value]) => ({
      [`skills/a-${key}.skill.md`]: text(`a-${key}`, { [key]: value }),
      [`skills/c-${key}.skill.js`]: worker(`c-${key}`, { [key]: value }),
      [`skills/heir-${key}.skill.md`]: text(`heir-${key}`, { $inherit: `a-${key}` }),
    }))
    const names = FAULTY.flatMap(([key]) => [`a-${key}`, `c-${key}`, `heir-${key}`])
    const project = {
      tree: { ...PACKAGE, 'skills/free.skill.md': text('free'), ...Object.assign({}, ...guarded) },
      calls: [...names, 'free'].map(name => [name] as [string]),
    }
    const [ways] = await bothWays([project])
    const [bundle] = await fromBundles([project])
    for (const work of [check, compile]) {
      const { diagnostics, counts } = await work({ cwd: ways?.cwd ?? '', paths: ['skills'] })
      const code = await work({ cwd: dir, paths: [dir] })
      for (const [key, , line] of FAULTY) {
        const found = diagnostics.filter(({ file }) => file?.includes(`-${key}.`))
        expect(found.map(shown)).toEqual([
          expect.stringMatching(new RegExp(`^skills/a-${key}\\.skill\\.md:4:\\d+ guard-invalid error$`)),
          expect.stringMatching(new RegExp(`^skills/c-${key}\\.skill\\.js:1:\\d+ guard-invalid error$`)),
        ])
        expect(found[0]?.reason.toLowerCase()).toBe(line.toLowerCase())
        const [inCode] = code.diagnostics.filter(({ file }) => file?.includes(`-${key}.`))
        expect(inCode && shown(inCode)).toMatch(
          new RegExp(`^b-${key}\\.skill\\.js:5:\\d+ guard-invalid error$`),
        )
      }
      expect([diagnostics.length, code.diagnostics.length, counts.found]).toEqual([6, 3, 10])
    }
    for (const outcome of [ways?.disk, ways?.index, bundle])
      expect(outcome?.results.map(({ result, code }) => code ?? result)).toEqual([
        ...names.map(() => 'CASCADE_INVALID'),
        'Do free.\n',
      ])
    const inCode = FAULTY.map(([key]) => `b-${key}`)
    const { disk, index, modules } = await threeWays(
      dir,
      inCode.map(name => [name]),
    )
    for (const { results, names } of [disk, index, modules]) {
      expect([...names].sort()).toEqual([...inCode].sort())
      expect(results).toEqual(
        FAULTY.map(([key, , line]) => ({
          code: 'CASCADE_INVALID',
          message: `The metadata of "b-${key}" cannot be resolved: ${line}.`,
        })),
      )
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
    const bundles = isLong ? await fromBundles([project]) : []
    for (const outcome of [ways?.disk, ways?.index, ...bundles])
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

  it('that can be read guards in an index, from disk and in a bundle alike', { tags: 'long' }, async () => {
    const guarded = GUARDS.map(([key, value]) => ({
      [`skills/a-${key}.skill.md`]: text(`a-${key}`, { [key]: value }),
      [`skills/b-${key}.skill.js`]: worker(`b-${key}`, { [key]: value }),
    }))
    const calls = GUARDS.flatMap(([key]): [string][] => [[`a-${key}`], [`b-${key}`]])
    const project = { tree: { ...PACKAGE, ...Object.assign({}, ...guarded) }, calls }
    const [ways] = await bothWays([project])
    const [bundle] = await fromBundles([project])
    expect(ways?.diagnostics).toEqual([])
    for (const outcome of [ways?.disk, ways?.index, bundle])
      expect(outcome?.results.map(({ result }) => result)).toEqual(
        calls.map(([name]) => (name.startsWith('a-') ? `Do ${name}.\n` : name)),
      )
    const { dir } = codeSkills(
      Object.fromEntries(
        GUARDS.map(([key, value]) => [
          `c-${key}.skill.js`,
          defined(`${key}: ${JSON.stringify(value)}`, `c-${key}`),
        ]),
      ),
    )
    const inCode = createRuntime({ paths: [dir], library: false }).forAgent()
    const codeOf = (call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => undefined,
        ({ code }) => code,
      )
    const refusals = { trust: undefined, gated: 'APPROVAL_UNAVAILABLE', permissions: 'PERMISSION_MISSING' }
    for (const [key, expected] of Object.entries(refusals)) {
      for (const freshness of ['check', 'trust'] as const) {
        const paths = [`${ways?.cwd}/skills`]
        const agent = createRuntime({ paths, library: false, freshness }).forAgent()
        for (const name of [`a-${key}`, `b-${key}`]) expect(await codeOf(agent.invoke(name))).toBe(expected)
      }
      expect(await codeOf(inCode.invoke(`c-${key}`))).toBe(expected)
    }
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
  it('is the `timeout` of its metadata, in code and registered', { tags: 'long' }, async () => {
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
