import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { builtSource } from '../support/built-source.js'
import { bothWays, expectSame, HANGS, project, runtimeOf, said } from '../support/content-project.js'

describe('what grows', () => {
  it(
    'stops files that each include two others',
    async () => {
      const files = Object.fromEntries(
        Array.from({ length: 20 }, (_, n) => [
          `skills/t/f${n}.md`,
          `:include[f${n + 1}.md] :include[f${n + 1}.md]\n`,
        ]),
      )
      const cwd = project(':include[f0.md]\n', { ...files, 'skills/t/f20.md': 'end\n' })
      await expectSame(cwd, /^CONTENT_TOO_LARGE /)
    },
    HANGS,
  )

  it(
    'stops lists in lists in lists',
    async () => {
      const list = Array(1000).fill(0)
      const cwd = project(
        ':::::each{path=args.a}\n::::each{path=args.a}\n:::each{path=args.a}\nx\n:::\n::::\n:::::\n',
      )
      await expectSame(cwd, /^CONTENT_TOO_LARGE /, { a: list })
    },
    HANGS,
  )

  it(
    'stops empty lists in lists in lists',
    async () => {
      const list = Array(1000).fill(0)
      const cwd = project(
        ':::::each{path=args.a}\n::::each{path=args.a}\n:::each{path=args.a}\n:::\n::::\n:::::\n',
      )
      await expectSame(cwd, /^CONTENT_TOO_LARGE /, { a: list })
    },
    HANGS,
  )
})

describe('a content and what it includes', () => {
  /** A text of so many characters that the parser takes about a second for. */
  const SLOW = '`\n'.repeat(8 * 1024)

  it(
    'takes a large file apart once, however many parts of it are included',
    async () => {
      const sections = 2000
      const filler = 'Some words of a line.\n'.repeat(22)
      const large = Array.from({ length: sections }, (_, n) => `## Part ${n}\n${filler}`).join('')
      const body = Array.from(
        { length: sections },
        (_, n) => `::include[large.md]{section="Part ${n}" lines=1-2}\n`,
      )
      const cwd = project(body.join(''), { 'skills/t/large.md': large })
      const expected = Array.from({ length: sections }, (_, n) => `## Part ${n}\nSome words of a line.\n`)
      // Where they differ, 80 kB say nothing.
      for (const text of await bothWays(cwd)) expect(text === expected.join('')).toBe(true)
    },
    HANGS,
  )

  it(
    'has so much computing together, and says so once',
    async () => {
      const files = Array.from({ length: 20 }, (_, n) => [`skills/t/f${n}.md`, `${SLOW}:skill[other] ${n}\n`])
      const body = files.map((_, n) => `::include[f${n}.md]\n`).join('')
      const cwd = project(body, Object.fromEntries(files))
      const tooLong = 'finding the directives of the content and of all that it includes takes too long'
      expect(await said(runtimeOf(cwd))).toBe(`CONTENT_TOO_LARGE ${tooLong}`)
      const compiled = async () => {
        const { diagnostics } = await compile({ cwd, paths: ['skills'], force: true })
        expect(diagnostics.map(({ ruleId, line }) => [ruleId, line])).toEqual([['directive-failed', 6]])
        return readFileSync(join(cwd, 'skills/.agent-apps.json'), 'utf8')
      }
      // Which text is the one too much is chance: the index does not tell.
      expect(await compiled()).toBe(await compiled())
      expect(await said(runtimeOf(cwd))).toBe(`CONTENT_TOO_LARGE ${tooLong}`)
    },
    4 * HANGS,
  )

  it(
    'reads files of 32 Mi characters together',
    async () => {
      const files = Array.from({ length: 33 }, (_, n) => [
        `skills/t/f${n}.md`,
        `x\n${'a'.repeat(1024 * 1024 - 2)}`,
      ])
      const include = (count: number) =>
        Array.from({ length: count }, (_, n) => `::include[f${n}.md]{lines=1}\n`).join('')
      await expectSame(project(include(32), Object.fromEntries(files)), /^(x\n){32}$/)
      const cwd = project(include(33), Object.fromEntries(files))
      await expectSame(cwd, /^CONTENT_TOO_LARGE the content reads files of more than 32 Mi characters$/)
      const { diagnostics } = await check({ cwd, paths: ['skills'] })
      expect(diagnostics.map(({ ruleId, line }) => [ruleId, line])).toEqual([['directive-failed', 6]])
    },
    HANGS,
  )

  it(
    'is told once that it gives too much, and has an index without that',
    async () => {
      const cwd = project('::include[f.md]\n'.repeat(20), { 'skills/t/f.md': 'a'.repeat(1024 * 1024) })
      await expectSame(cwd, /^CONTENT_TOO_LARGE /)
      const { diagnostics } = await check({ cwd, paths: ['skills'] })
      expect(diagnostics.map(({ ruleId, line }) => [ruleId, line])).toEqual([['directive-failed', 6]])
      expect(statSync(join(cwd, 'skills/.agent-apps.json')).size).toBeLessThan(64 * 1024)
    },
    HANGS,
  )

  it(
    'has its headings found in a time that grows with its length',
    async () => {
      const cwd = project('::include[f.md]{section="Other"}\n', {
        'skills/t/f.md': `# y${' '.repeat(200_000)}x\n# Other #  \nText.\n`,
      })
      await expectSame(cwd, /^# Other # {2}\nText\.\n$/)
    },
    HANGS,
  )

  it.each(['rendered', 'checked'])(
    'leaves everybody else their turn while it is %s',
    async way => {
      const cwd = project(`${SLOW.slice(0, 16_000)}:skill[other]\n`)
      const started = performance.now()
      let last = started
      let longest = 0
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - last)
        last = performance.now()
      }, 5)
      if (way === 'rendered') expect(await said(runtimeOf(cwd))).toContain('`\nother')
      else await check({ cwd, paths: ['skills'] })
      clearInterval(timer)
      longest = Math.max(longest, performance.now() - last)
      expect(longest).toBeLessThan((performance.now() - started) / 2)
    },
    HANGS,
  )
})

it(
  'a run of colons is gone over once',
  async () => {
    await expectSame(project(`${':'.repeat(512 * 1024)}\n`), /^:+\n$/)
  },
  HANGS,
)

describe('texts made to take long', async () => {
  const parser = await builtSource(
    'compiler/directives/parse-content-within.ts',
    'compiler/directives/content-worker.ts',
  )
  const { parseContentWithin }: typeof import('../../compiler/directives/parse-content-within.js') =
    await import(parser)
  const known = new Map([
    ['skill', ['inline']],
    ['if', ['block']],
    ['a', ['inline', 'block']],
  ]) as Parameters<typeof parseContentWithin>[1]
  const many = (unit: string, size = 256 * 1024): string => unit.repeat(Math.floor(size / unit.length))
  it.each<[string, string]>([
    ['fences of unknown blocks', many(':::zzz\n', 10_000)],
    ['fences of known blocks', many(':::a\n', 10_000)],
    ['blocks in blocks', many(`${':::a\n'.repeat(31)}${':::\n'.repeat(31)}`, 32_000)],
    ['10,000 directives in text', ':skill[x] '.repeat(10_000)],
    ['10,000 directives on lines', '::a[x]\n'.repeat(10_000)],
    ['10,000 blocks', ':::a\nx\n:::\n'.repeat(10_000)],
    ['brackets', `${many('[')}:skill[x]`],
    ['labels', many(':skill[')],
    ['attributes', many(':skill[x]{a="b" ')],
    ['attributes of one', `:skill[x]{${many('a=b ')}}`],
    ['emphasis', `${many('*a_ ')}:skill[x]`],
    ['quotes', `${many('> ')}:skill[x]`],
    ['quotes without spaces, shorter', `${many('>', 30_000)}:skill[x]`],
    ['lists in a line', `${many('- ')}:skill[x]`],
    ['lists in a line, shorter', `${many('- ', 30_000)}:skill[x]`],
    ['lists and quotes in a line, shorter', `${many('> - ', 30_000)}:skill[x]`],
    ['lists by lines', Array.from({ length: 700 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['code spans', `${Array.from({ length: 700 }, (_, length) => '`'.repeat(length)).join(' ')}:skill[x]`],
    ['colons', `${many(':')}\n:skill[x]`],
    ['HTML', `${many('<a ')}:skill[x]`],
    ['links', `${many('[a](')}:skill[x]`],
    ['branches', `:::if{path=a}\n${many(':::else\n')}:::\n`],
    ['stray fences', `:::a\n:::\n${many(':::\n')}`],
    ['spaces before a fence', `${many(' ')}:::a\n`],
  ])(
    '%s end',
    async (_, text) => {
      const { parts, faults } = await parseContentWithin(text, known, 1)
      expect(parts.length).toBeGreaterThan(0)
      for (const { message, hint } of faults)
        expect([message, hint].every(said => said.length > 0)).toBe(true)
    },
    HANGS,
  )

  it(
    'are a fault of the skill, and an error where they are rendered',
    async () => {
      const cwd = project(`${many('> ')}:skill[other]\n`)
      await expectSame(
        cwd,
        /^CONTENT_INVALID .*t\/SKILL\.md:6:1: the content cannot be searched for directives/s,
      )
      const { diagnostics } = await check({ cwd, paths: ['skills'] })
      expect(diagnostics.map(({ ruleId, line }) => [ruleId, line])).toEqual([['directive-invalid', 6]])
    },
    HANGS,
  )
})
