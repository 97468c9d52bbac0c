import { createRuntime, defineTool, emptyGlobals, invoke, registerTool } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { bothWays, fromBundles, text, worker } from '../support/cascade-project.js'
import { codeSkills, shown, threeWays } from '../support/code-project.js'
import type { Tree } from '../support/tree.js'

const PACKAGE: Tree = { 'package.json': '{"type":"module"}\n' }
const GUARDS: [string, object][] = [
  ['trust', { rules: '#meta-internal($policy=allow) *' }],
  ['gated', true as never],
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

describe('a guard that does not work yet', () => {
  it.each(GUARDS)('%s is an error, and what has it does not run', async (key, value) => {
    const line = `"${key}" guards nothing yet`
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
    const column = text('c', { [key]: value }).length
    expect(column).toBeGreaterThan(0)
    const expected = [
      'skills/a.skill.md:4:12 not-yet error',
      expect.stringMatching(/^skills\/c\.skill\.js:1:\d+ not-yet error$/),
    ]
    for (const work of [check, compile]) {
      const { diagnostics, counts } = await work({ cwd: ways?.cwd ?? '', paths: ['skills'] })
      expect(diagnostics.map(shown)).toEqual(expected)
      expect(diagnostics[0]?.reason).toBe(line)
      expect(counts.found).toBe(4)
      const code = await work({ cwd: dir, paths: [dir] })
      expect(code.diagnostics.map(shown)).toEqual([`b.skill.js:5:${key.length + 5} not-yet error`])
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
      'skills/SKILL.md': text('main', { role: 'main', trust: { rules: '*($deny)' } }),
      'skills/a.skill.js': worker('a'),
    }
    const { 'skills/main/SKILL.md': _, ...rest } = tree
    const project = { tree: rest, calls: [['a']] as [string][] }
    const [ways] = await bothWays([project])
    const [bundle] = await fromBundles([project])
    for (const outcome of [ways?.disk, ways?.index, bundle])
      expect(outcome?.results.map(({ code }) => code)).toEqual(['CASCADE_INVALID'])
    expect(ways?.diagnostics.map(shown)).toEqual(['skills/SKILL.md:4:26 not-yet error'])
  })

  it.each(GUARDS)('%s keeps a registered tool from running', async (key, value) => {
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

  it('is none where it says that there is none', async () => {
    const tree = { ...PACKAGE, 'skills/a.skill.js': worker('a', { gated: false, trust: null }) }
    const [ways] = await bothWays([{ tree, calls: [['a']] }])
    expect(ways?.diagnostics).toEqual([])
    for (const outcome of [ways?.disk, ways?.index]) expect(outcome?.results[0]?.result).toBe('a')
  })
})

describe('a field of a definition that does nothing yet', () => {
  it.each([
    ["descriptionPath: './a.txt'", 'Write the text as `description`.'],
    ['timeout: 5000', 'Write it under `metadata`: there the middleware "timeout" reads it.'],
    ['init: async () => {}', 'Give `defineTool` the name and a function that sets the tool up.'],
  ])('%s is a warning, and the tool runs', async (field, note) => {
    const { dir } = codeSkills({ 'a.skill.js': defined(field) })
    const [name = ''] = field.split(':')
    for (const work of [check, compile]) {
      const { diagnostics } = await work({ cwd: dir, paths: [dir] })
      expect(diagnostics.map(one => `${shown(one)} ${one.reason} / ${one.note}`)).toEqual([
        `a.skill.js:5:3 not-yet warning "${name}" of \`defineTool\` does nothing yet / ${note}`,
      ])
    }
    const { disk, index, modules } = await threeWays(dir, [['a']])
    for (const { results, tools } of [disk, index, modules]) {
      expect(results).toEqual([{ result: 'ran' }])
      expect(tools.a?.frontmatter).not.toHaveProperty(`metadata.${name}`)
    }
  })
})

describe('a field of a definition that nobody knows', () => {
  it.each([
    ['parms: {}', 'parms', 'Did you mean "params"?'],
    ["delegate: './x.js'", 'delegate', 'Move it under `metadata`: only there does "delegate" mean anything.'],
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
      hint: 'It knows name, description, params, returns, execute, tags, role, visibility, allowedTools, metadata. Data of your own belongs under `metadata`.',
    }
    expect(() => defineTool(definition as never)).toThrow(expect.objectContaining(error))
    const { name: _, ...rest } = definition
    const late = defineTool('a', (async () => rest) as never)
    await expect(late.frontmatter()).rejects.toMatchObject(error)
    await expect(late.fn(undefined)).rejects.toMatchObject(error)
    await expect(registerTool(emptyGlobals(), late)).rejects.toMatchObject(error)
  })
})
