import { createRuntime, defineTool, emptyGlobals, registerTool } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { bothWays, fromBundles, text } from '../support/cascade-project.js'
import { codeSkills, shown } from '../support/code-project.js'
import { isLong, some } from '../support/long.js'
import { makeTree, skill } from '../support/tree.js'

/** A skill with a value that JSON does not have. */
interface Fault {
  what: string
  file: string
  source: string
  /** Line and column of the value. */
  place: string
  /** What the error says that JSON has not. */
  value: string
}

/** Each of these skills in a folder with a sound one has its error where it stands, and alone does not run. */
async function expectErrors(
  faults: readonly Fault[],
  works: readonly (typeof check | typeof compile)[],
): Promise<void> {
  const { dir } = codeSkills({
    ...Object.fromEntries(faults.map(({ file, source }) => [file, source])),
    'sound.skill.md': skill('sound'),
  })
  const outcomes = async (): Promise<unknown> => {
    const runtime = createRuntime({ cwd: dir, paths: ['.'], library: false })
    const call = (name: string) => runtime.invoke(name).catch((error: { code: string }) => error.code)
    return Promise.all([...faults.map(({ file }) => file.split('.')[0] ?? ''), 'sound'].map(call))
  }
  const expected = [...faults.map(() => 'TOOL_BROKEN'), 'Do sound.\n']
  expect(await outcomes()).toEqual(expected)
  for (const work of works) {
    const { diagnostics } = await work({ cwd: dir, paths: ['.'] })
    for (const { what, file, place, value } of faults) {
      const found = diagnostics.filter(one => one.file === file)
      expect(
        found.map(one => `${shown(one)} ${one.fatal} ${one.reason}`),
        what,
      ).toEqual([
        `${file}:${place} value-not-json error true JSON has no ${value}, so an index cannot store it`,
      ])
    }
    expect(diagnostics).toHaveLength(faults.length)
    expect(await outcomes()).toEqual(expected)
  }
}

describe('a value that JSON cannot represent', () => {
  const SPOTS = [
    ['an infinite number', 'limit: .inf', '5:10', 'Infinity'],
    ['one below zero', 'limit: -.INF', '5:10', '-Infinity'],
    ['no number', 'limit: .nan', '5:10', 'NaN'],
    ['a number that is too large', 'limit: 1e999', '5:10', 'Infinity'],
    ['a long number', `limit: ${'9'.repeat(400)}`, '5:10', 'Infinity'],
    ['one in a list', 'limits: [1, { most: .inf }]', '5:23', 'Infinity'],
    ['one in a schema', 'params: { properties: { n: { maximum: .inf } } }', '5:41', 'Infinity'],
  ] as const

  it('in YAML is an error where it stands', async () => {
    await expectErrors(
      SPOTS.map(([what, line, place, value], number) => ({
        what,
        file: `a${number}.skill.md`,
        source: skill(`a${number}`, 'A.\n', `metadata:\n  ${line}\n`),
        place,
        value,
      })),
      [check, compile],
    )
  })

  it('in code is an error where it stands', async () => {
    const faults = [
      ['a regular expression', '/a/v', 'RegExp'],
      ['a whole number of any length', '10n', '10n'],
      ['a negative one', '-10n', '10n'],
      ['an infinite number', '1e999', 'Infinity'],
      ['a negative one', '-1e999', 'Infinity'],
    ].flatMap(([what = '', value = '', found = ''], number): Fault[] => {
      const sign = value.startsWith('-') ? 1 : 0
      const [plain, defined] = [`plain-${number}`, `defined-${number}`]
      return [
        {
          what,
          file: `${plain}.skill.js`,
          source: `export const frontmatter = { name: '${plain}', description: 'x', metadata: {\n  list: [1, ${value}] } }\nexport default () => 1\n`,
          place: `2:${13 + sign}`,
          value: found,
        },
        {
          what,
          file: `${defined}.skill.ts`,
          source: `import { defineTool } from 'agent-apps'\nexport default defineTool({ name: '${defined}', description: 'x', execute: () => 1, metadata: { deep: {\n  n: ${value} } } })\n`,
          place: `3:${6 + sign}`,
          value: found,
        },
      ]
    })
    await expectErrors(faults, [check, compile])
  })

  it('that only running tells is an error where it is computed', { tags: 'long' }, async () => {
    const faults = [
      ['Infinity', 'Infinity'],
      ['Number("x")', 'NaN'],
      ['BigInt(1)', '1n'],
      ['new RegExp("a")', 'RegExp'],
      ['new Date(0)', 'Date'],
      ['new Map([[1, 2]])', 'Map'],
      ['[1, () => 1]', 'function'],
      ['Symbol.iterator', 'symbol'],
    ].flatMap(([value = '', found = ''], number): Fault[] => {
      const [plain, defined] = [`plain-${number}`, `defined-${number}`]
      const fault = { what: value, place: `2:${value.startsWith('[') ? 14 : 10}`, value: found }
      return [
        {
          ...fault,
          file: `${plain}.skill.js`,
          source: `export const frontmatter = { name: '${plain}', description: 'x', metadata: {\n  limit: ${value} } }\nexport default () => 1\n`,
        },
        {
          ...fault,
          file: `${defined}.skill.js`,
          source: `import { defineTool } from 'agent-apps'; export default defineTool({ name: '${defined}', description: 'x', execute: () => 1, metadata: {\n  limit: ${value} } })\n`,
        },
      ]
    })
    // Each is imported by a process of its own.
    await expectErrors(some(faults, 2), [compile])
  })

  it('leaves out what is undefined in the same way from files and from an index', {
    tags: 'long',
  }, async () => {
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
    const bundles = isLong ? await fromBundles([project]) : []
    for (const outcome of [ways?.disk, ways?.index, ...bundles])
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
