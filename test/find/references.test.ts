import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { type CompileOptions, check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { contentLinks } from '../../compiler/1-read/markdown/content-links.js'
import { times } from '../support/long.js'
import { processorTime } from '../support/processor-time.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

function links(content: string): string[] {
  return contentLinks(content, 0, content.length).map(({ ref }) => ref)
}

/** A text so long takes minutes in a time by the square of its length. */
const LENGTH = times(200_000, 1_000_000)

describe('the links of a content', () => {
  it.each([
    [
      '[a](b.md) ![i](c/d.png) [e](./f.md "title") [g](../h.md#part)',
      ['b.md', 'c/d.png', './f.md', '../h.md#part'],
    ],
    ['[![i](i.png)](page.md)', ['i.png', 'page.md']],
    ['[a](<b c.md>) [d](e(1).md) [f]( g.md )', ['b c.md', 'e(1).md', 'g.md']],
    ['[a]: b.md\n  [c]: <d e.md> "title"\n\n[f]: g.md', ['b.md', 'd e.md', 'g.md']],
    ['[a](https://x.y/z.md) [b](mailto:x) [c](#d) [e](/f.md) [g](//h/i) [j](C:\\k)', []],
    ['[a]({{b}}.md) [c](${D}/e.md) [h](*.md) [i](docs/...) [j]($K)', []],
    ['[^1]: note.md\n[a](b c.md)', []],
    ['`[a](b.md)` ``[c](`d.md)`` [e](f.md)', ['f.md']],
    ['`not closed [a](b.md)\n\n`', ['b.md']],
    ['\\[a](b.md) [c\\](d.md) \\\\[e](f.md)', ['f.md']],
    ['text](a.md) [b](c.md)', ['c.md']],
    ['[not\n\nhere](a.md)', []],
    ['```md\n[a](b.md)\n```\n[c](d.md)', ['d.md']],
    ['~~~\n[a](b.md)\n```\n[c](d.md)\n~~~~\n[e](f.md)', ['f.md']],
    ['- x\n\n  ```\n  [a](b.md)\n  ```\n- [c](d.md)', ['d.md']],
    ['````\n```\n[a](b.md)\n```\n````\n[c](d.md)', ['d.md']],
    ['```\n[a](b.md)', []],
    ['``` inline ``` [a](b.md)', ['b.md']],
    ['<!-- [a](b.md)\n\n[c](d.md) --> [e](f.md)', ['f.md']],
    ['<!-- [a](b.md)', ['b.md']],
    ['[a](b.md)\r\n\r\n```\r\n[c](d.md)\r\n```\r\n[e](f.md)\r\n', ['b.md', 'f.md']],
    ['[a](b\\_c.md)', ['b_c.md']],
  ])('%j', (content, expected) => {
    expect(links(content)).toEqual(expected)
  })

  it('are told with their place, and only from the part that is asked for', () => {
    const text = '[a](a.md)\n`x` [b](b.md)\n[c](c.md)'
    expect(contentLinks(text, 10, text.length - 9)).toEqual([{ ref: 'b.md', offset: text.indexOf('b.md') }])
  })

  it.each([
    '](a',
    '[a](b ',
    '[a](b(c)',
    '[](<a',
    '[a](b "',
    '[`',
    '`',
    '` `` ',
    '<!--',
    '[',
    '[a]: b "\n',
    '\n\t',
    '``` \n',
    '> ',
  ])('take time by the length of %j repeated, not by its square', unit => {
    const elapsed = processorTime()
    links(`${unit.repeat(LENGTH / unit.length)}\n\n[a](b.md)`)
    expect(elapsed()).toBeLessThan(LENGTH / 50)
  })
})

const ALL = {
  'skills/base.skill.md': skill('base'),
  'skills/all/SKILL.md': `---
name: all
description: Refers to everything.
allowed-tools: [Read, "base(x:*) base other", gone($deny), "b*", "#tag"]
metadata:
  $inherit: [base, ../base.skill.md]
  delegate: base
---
[Run](scripts/run.py) it.
`,
  'skills/all/scripts/run.py': 'x',
  'skills/code.skill.js': `export const frontmatter = {
  name: 'code', description: 'x', metadata: { $inherit: 'base' },
}
export default () => 1\n`,
  'skills/inline.skill.md': skill('inline', 'Text.\n', 'metadata:\n  delegate: "inline://markdown,Text."\n'),
} satisfies Tree

const EXPECTED = [
  { kind: 'allowed-tools', ref: 'base', line: 4, column: 24 },
  { kind: 'allowed-tools', ref: 'other', line: 4, column: 39 },
  { kind: 'inherit', ref: 'base', line: 6, column: 14 },
  { kind: 'inherit', ref: '../base.skill.md', line: 6, column: 20 },
  { kind: 'delegate', ref: 'base', line: 7, column: 13 },
  { kind: 'link', ref: 'scripts/run.py', line: 9, column: 7 },
]

describe('the references of a tool', () => {
  it.each(['disk', 'index', 'an index that was written again'])('are the same from %s', async way => {
    const cwd = makeTree(ALL)
    if (way !== 'disk') await compile({ cwd, paths: ['skills'] })
    if (way.startsWith('an')) {
      writeFileSync(join(cwd, 'skills/more.skill.md'), skill('more'))
      await compile({ cwd, paths: ['skills'] })
    }
    const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'trust' })
    const { references, tool } = await runtime.describe('all')
    expect(tool.origin.via).toBe(way === 'disk' ? 'disk' : 'index')
    expect(references).toEqual(EXPECTED)
    expect((await runtime.describe('code')).references).toEqual([
      { kind: 'inherit', ref: 'base', line: 2, column: 57 },
    ])
    expect((await runtime.describe('inline')).references).toEqual([])
  })

  it.each([
    ['"kind":"link","line":9', '"kind":"evil","line":9'],
    [/"references":\[.*?\]/, '"references":null'],
  ])('that are not ours condemn an index: %s', async (written, evil) => {
    const cwd = makeTree(ALL)
    await compile({ cwd, paths: ['skills'] })
    const file = join(cwd, 'skills/.agent-apps.json')
    const { createHash } = await import('node:crypto')
    const text = readFileSync(file, 'utf8').replace(written, evil)
    const sections = text.slice(text.indexOf('\n"tools":') + 1, -'\n}\n'.length)
    const digest = createHash('sha256').update(sections).digest('hex')
    writeFileSync(file, text.replace(/"hash":"\w+"/, `"hash":"${digest}"`))
    const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'trust' })
    expect((await runtime.describe('all')).references).toEqual(EXPECTED)
    expect(runtime.diagnostics().map(({ rule }) => rule)).toEqual(['index-refused'])
  })
})

async function found(cwd: string, paths: string[], options: Partial<CompileOptions> = {}): Promise<string[]> {
  const { diagnostics } = await compile({ cwd, paths, ...options })
  return diagnostics.map(({ name, ruleId }) => `${name} ${ruleId}`)
}

async function checked(cwd: string): Promise<string[]> {
  const { diagnostics } = await check({ cwd, paths: ['skills'] })
  return diagnostics.map(({ name, ruleId }) => `${name} ${ruleId}`)
}

describe('links that lead nowhere', () => {
  const body = (content: string): Tree => ({ 'skills/a/SKILL.md': skill('a', content) })
  const missing = ['skills/a/SKILL.md:5:5 link-missing']

  it.each<[string, Tree, string[]]>([
    ['is missing', body('[a](b.md)'), missing],
    ['is missing in a folder', body('[a](references/b.md#part)'), missing],
    ['is there', { ...body('[a](b.md?x#y) [c](c%20d.md)'), 'skills/a/b.md': '', 'skills/a/c d.md': '' }, []],
    ['is a folder', { ...body('[a](scripts/)'), 'skills/a/scripts/x.py': '' }, []],
    [
      'is outside of the skill',
      { ...body('[a](../../README.md)'), 'README.md': '', 'package.json': '{}' },
      [],
    ],
    ['is written from the top of the entry', { ...body('[a](b/c.md)'), 'skills/b/c.md': '' }, []],
    [
      'is written from the top of the project',
      { ...body('[a](docs/c.md)'), 'docs/c.md': '', 'package.json': '{}' },
      [],
    ],
    ['leaves the project', { ...body('[a](../../../../../x/y.md)'), 'package.json': '{}' }, []],
    ['is another skill', { ...body('[a](../b/SKILL.md) [b](../b)'), 'skills/b/SKILL.md': skill('b') }, []],
    ['is another skill that is not there', body('[a](../b/SKILL.md)'), missing],
    ['is only an example', body('[a](link) [b](path/to/b.md) [c](your-c/d.md) [d](docs.x.org/y)'), []],
    [
      'cannot be a path',
      body(`[a](${'b'.repeat(900)}.md) [b](%00.md)`),
      [missing[0] ?? '', 'skills/a/SKILL.md:5:914 link-missing'],
    ],
  ])('%s', async (_, tree, expected) => {
    const cwd = makeTree(tree)
    expect(await checked(cwd)).toEqual(expected)
    // What a compile makes does not depend on them.
    expect(await found(cwd, ['skills'])).toEqual([])
    expect(readFileSync(join(cwd, 'skills/.agent-apps.json'), 'utf8')).not.toContain('link-missing')
  })

  it('is said once the file is gone, though the skill’s own is as it was', async () => {
    const cwd = makeTree({ ...body('[a](../b.md)'), 'skills/b.md': '' })
    utimesSync(join(cwd, 'skills/a/SKILL.md'), 1, 1)
    await compile({ cwd, paths: ['skills'] })
    expect(await checked(cwd)).toEqual([])
    rmSync(join(cwd, 'skills/b.md'))
    expect(await checked(cwd)).toEqual(missing)
  })
})

describe('delegates in a circle', () => {
  const to = (name: string, delegate: string): string =>
    skill(name, '', `metadata:\n  delegate: ${delegate}\n`)

  it('over two directories are said of each at its place', async () => {
    const cwd = makeTree({
      'one/a.skill.md': to('a', 'b'),
      'two/b.skill.md': to('b', '../one/a.skill.md'),
      'two/c.skill.md': to('c', 'a'),
    })
    const expected = ['one/a.skill.md:5:13 delegate-invalid', 'two/b.skill.md:5:13 delegate-invalid']
    for (const force of [true, false]) expect(await found(cwd, ['one', 'two'], { force })).toEqual(expected)
    const { diagnostics } = await check({ cwd, paths: ['one', 'two'] })
    expect(diagnostics.map(({ reason }) => reason)).toEqual([
      'The delegate "b" cannot be used: it leads back here: a → b → a',
      'The delegate "../one/a.skill.md" cannot be used: it leads back here: b → a → b',
    ])
    expect(await found(cwd, ['one'])).toEqual(['one/a.skill.md:5:13 delegate-unknown'])
  })

  it('of one directory are said once', async () => {
    const cwd = makeTree({ 'one/a.skill.md': to('a', 'b'), 'one/b.skill.md': to('b', 'a') })
    expect(await found(cwd, ['one'])).toHaveLength(2)
  })
})

describe('tools that nothing leads to', () => {
  const hidden = (name: string, more = '', body = 'x'): string =>
    skill(name, body, `${more}metadata:\n  visibility: hidden\n`)
  const main = (content = '', more = ''): Tree => ({
    'skills/main/SKILL.md': skill('main', content, `${more}metadata:\n  role: main\n`),
  })
  const lost = { 'skills/lost.skill.md': hidden('lost') }

  it.each<[string, Tree, string[]]>([
    ['is reported', { ...main(), ...lost }, ['lost']],
    ['is not, where no main skill is declared', lost, []],
    ['is linked to', { ...main('[x](../lost.skill.md)'), ...lost }, []],
    ['is allowed', { ...main('', 'allowed-tools: lost\n'), ...lost }, []],
    ['is allowed by a pattern', { ...main('', 'allowed-tools: "lo*"\n'), ...lost }, []],
    ['is denied', { ...main('', 'allowed-tools: "los*($deny)"\n'), ...lost }, ['lost']],
    ['is mentioned', { ...main('Then call lost.'), ...lost }, []],
    ['is mentioned as part of a word', { ...main('See lost-and-found.'), ...lost }, ['lost']],
    [
      'is led to by one that nothing leads to',
      {
        ...main(),
        'skills/a/SKILL.md': hidden('aa', '', '[x](../b/SKILL.md)'),
        'skills/b/SKILL.md': hidden('bb'),
      },
      ['aa', 'bb'],
    ],
    [
      'is led to over another',
      {
        ...main('[x](../a/SKILL.md)'),
        'skills/a/SKILL.md': hidden('aa', '', '[x](../b/SKILL.md)'),
        'skills/b/SKILL.md': hidden('bb'),
      },
      [],
    ],
    [
      'is for users',
      { ...main(), 'skills/u.skill.md': skill('u', 'x', 'disable-model-invocation: true\n') },
      [],
    ],
    [
      'is middleware',
      {
        ...main(),
        'skills/m.skill.md': skill('m', 'x', 'metadata:\n  visibility: hidden\n  role: middleware\n'),
      },
      [],
    ],
  ])('%s', async (_, tree, expected) => {
    const { diagnostics } = await check({ cwd: makeTree(tree), paths: ['skills'] })
    const unreachable = diagnostics.filter(({ ruleId }) => ruleId === 'tool-unreachable')
    expect(unreachable.map(({ reason }) => /"(.*?)"/.exec(reason)?.[1])).toEqual(expected)
  })
})
