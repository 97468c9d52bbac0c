import { createRuntime, defineTool, emptyGlobals, registerTool } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { bothWays, fromBundles, text } from '../support/cascade-project.js'
import { codeSkills, shown } from '../support/code-project.js'
import { makeTree, skill } from '../support/tree.js'

const SOUND = skill('sound')

/** What calling `a` and `sound` comes to, from what lies there now. */
async function called(dir: string): Promise<unknown[]> {
  const runtime = createRuntime({ cwd: dir, paths: ['.'], library: false })
  const call = (name: string) => runtime.invoke(name).catch((error: { code: string }) => error.code)
  return [await call('a'), await call('sound')]
}

describe('a value that JSON cannot represent', () => {
  it.each([
    ['.inf', 'limit: .inf', '5:10', 'Infinity'],
    ['-.INF', 'limit: -.INF', '5:10', '-Infinity'],
    ['.nan', 'limit: .nan', '5:10', 'NaN'],
    ['1e999', 'limit: 1e999', '5:10', 'Infinity'],
    ['a long number', `limit: ${'9'.repeat(400)}`, '5:10', 'Infinity'],
    ['one in a list', 'limits: [1, { most: .inf }]', '5:23', 'Infinity'],
    ['one in a schema', 'params: { properties: { n: { maximum: .inf } } }', '5:41', 'Infinity'],
  ])('%s in YAML is an error where it stands', async (_, line, place, what) => {
    const dir = makeTree({
      'a.skill.md': skill('a', 'A.\n', `metadata:\n  ${line}\n`),
      'sound.skill.md': SOUND,
    })
    for (const work of [check, compile]) {
      const { diagnostics } = await work({ cwd: dir, paths: ['.'] })
      expect(diagnostics.map(one => `${shown(one)} ${one.fatal} ${one.reason}`)).toEqual([
        `a.skill.md:${place} value-not-json error true JSON has no ${what}, so that no index could hold it`,
      ])
      expect(await called(dir)).toEqual(['TOOL_BROKEN', 'Do sound.\n'])
    }
  })

  it.each([
    ['a regular expression', '/a/v', 'RegExp'],
    ['a whole number of any length', '10n', '10n'],
    ['a negative one', '-10n', '10n'],
    ['an infinite number', '1e999', 'Infinity'],
    ['a negative one', '-1e999', 'Infinity'],
  ])('%s in code is an error where it stands', async (_, value, what) => {
    const sign = value.startsWith('-') ? 1 : 0
    for (const [file, source, column] of [
      [
        'a.skill.js',
        `export const frontmatter = { name: 'a', description: 'x', metadata: {\n  list: [1, ${value}] } }\nexport default () => 1\n`,
        13,
      ],
      [
        'a.skill.ts',
        `import { defineTool } from 'agent-apps'\nexport default defineTool({ name: 'a', description: 'x', execute: () => 1, metadata: { deep: {\n  n: ${value} } } })\n`,
        6,
      ],
    ] as const) {
      const { dir } = codeSkills({ [file]: source, 'sound.skill.md': SOUND })
      const line = file.endsWith('ts') ? 3 : 2
      for (const work of [check, compile]) {
        const { diagnostics } = await work({ cwd: dir, paths: [dir] })
        expect(diagnostics.map(one => `${shown(one)} ${one.reason}`)).toEqual([
          `${file}:${line}:${column + sign} value-not-json error JSON has no ${what}, so that no index could hold it`,
        ])
        expect(await called(dir)).toEqual(['TOOL_BROKEN', 'Do sound.\n'])
      }
    }
  })

  it.each([
    ['Infinity', 'Infinity'],
    ['Number("x")', 'NaN'],
    ['BigInt(1)', '1n'],
    ['new RegExp("a")', 'RegExp'],
    ['new Date(0)', 'Date'],
    ['new Map([[1, 2]])', 'Map'],
    ['[1, () => 1]', 'function'],
    ['Symbol.iterator', 'symbol'],
  ])('%s, which only running tells, is an error where it is computed', async (value, what) => {
    for (const source of [
      `export const frontmatter = { name: 'a', description: 'x', metadata: {\n  limit: ${value} } }\nexport default () => 1\n`,
      `import { defineTool } from 'agent-apps'; export default defineTool({ name: 'a', description: 'x', execute: () => 1, metadata: {\n  limit: ${value} } })\n`,
    ]) {
      const { dir } = codeSkills({ 'a.skill.js': source, 'sound.skill.md': SOUND })
      expect(await called(dir)).toEqual(['TOOL_BROKEN', 'Do sound.\n'])
      const { diagnostics } = await compile({ cwd: dir, paths: [dir] })
      const column = value.startsWith('[') ? 14 : 10
      expect(diagnostics.map(one => `${shown(one)} ${one.reason}`)).toEqual([
        `a.skill.js:2:${column} value-not-json error JSON has no ${what}, so that no index could hold it`,
      ])
      expect(await called(dir)).toEqual(['TOOL_BROKEN', 'Do sound.\n'])
    }
  })

  it('leaves out what is undefined in the same way from files and from an index', async () => {
    const { dir } = codeSkills({
      'a.skill.js': `export const frontmatter = { name: 'a', description: String('x'), metadata: { x: undefined, y: [undefined, String(1)] } }\nexport default () => 1\n`,
    })
    const answers: unknown[] = []
    for (const prepare of [async () => {}, () => compile({ cwd: dir, paths: [dir] })]) {
      await prepare()
      const runtime = createRuntime({ paths: [dir] })
      const frontmatter = (await runtime.findTool('a'))?.frontmatter
      answers.push({ frontmatter, verbatim: (await runtime.describe('a')).verbatim })
    }
    expect(answers[0]).toStrictEqual(answers[1])
    expect(answers[0]).toMatchObject({ verbatim: { metadata: { y: [null, '1'] } } })
  })

  it('leaves a description as it is written, with the same answer from files and from an index', async () => {
    const dir = makeTree({ 'a.skill.md': '---\nname: a\ndescription: 1e999\n---\n' })
    for (const work of [check, compile]) {
      expect((await work({ cwd: dir, paths: ['.'] })).diagnostics.map(shown)).toEqual([
        'a.skill.md:3:14 value-read-as-text warning',
      ])
      const { tool, verbatim } = await createRuntime({ cwd: dir, paths: ['.'] }).describe('a')
      expect([tool.frontmatter.description, verbatim]).toEqual(['1e999', { name: 'a', description: null }])
    }
  })

  it('takes no guard away: what names it is not run either', async () => {
    const project = {
      tree: {
        'package.json': '{"type":"module"}\n',
        'skills/guard.skill.md': `---\nname: guard\ndescription: x\nmetadata:\n  role: middleware\n  most: .inf\n---\n`,
        'skills/pay.skill.md': text('pay', { guard: true }),
      },
      calls: [['pay']] as [string][],
    }
    const [ways] = await bothWays([project])
    const [bundle] = await fromBundles([project])
    for (const outcome of [ways?.disk, ways?.index, bundle])
      expect(outcome?.results[0]?.code).toBe('CASCADE_INVALID')
  })

  it.each([
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [10n, '10n'],
    [/a/, 'RegExp'],
    [() => 1, 'function'],
  ])('%s is refused of a program', async (value, what) => {
    const error = {
      code: 'DEFINITION_INVALID',
      tool: 'a',
      message: `The tool "a" has ${what} at "metadata.list[1].x", which JSON does not have.`,
    }
    const metadata = { list: [1, { x: value }] } as never
    const globals = emptyGlobals()
    expect(() => registerTool(globals, { name: 'a', fn: () => 1, metadata })).toThrow(
      expect.objectContaining(error),
    )
    await expect(
      registerTool(globals, defineTool({ name: 'a', execute: () => 1, metadata })),
    ).rejects.toMatchObject(error)
    expect(globals.tools.programmaticTools.size).toBe(0)
  })
})
