import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { bothWays, expectSame, HANGS, project, runtimeOf, said } from '../support/content-project.js'
import { oneIn, some } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { compiled, skill, type Tree } from '../support/tree.js'

describe('circles of includes', () => {
  it.each(
    oneIn<[string, string, Tree, RegExp]>(2, [
      ['itself', ':include[SKILL.md]', {}, /^CONTENT_CYCLE .*t\/SKILL\.md → t\/SKILL\.md$/],
      [
        'a file that includes itself',
        ':include[a.md]',
        { 'skills/t/a.md': ':include[a.md]' },
        /^CONTENT_CYCLE .*a\.md → t\/a\.md$/,
      ],
      [
        'three files',
        ':include[a.md]',
        { 'skills/t/a.md': ':include[b.md]', 'skills/t/b.md': 'x\n:include[a.md]{lines=1}' },
        /^CONTENT_CYCLE .*a\.md → t\/b\.md → t\/a\.md$/,
      ],
      ['its own content', ':skill[t]{show=content}', {}, /^CONTENT_CYCLE /],
      [
        "another skill's content",
        ':skill[back]{show=content}',
        { 'skills/back/SKILL.md': skill('back', ':skill[t]{show=content}\n') },
        /^CONTENT_CYCLE /,
      ],
    ]),
  )('through %s', (_, body, tree, expected) => expectSame(project(body, tree), expected))
})

describe('files that are not to be had', () => {
  const outside = 'it lies outside of the skills’ directory'
  it.each(
    some<[string, string]>(
      [
        ['/etc/passwd', outside],
        ['..\\\\..\\\\secret.txt', outside],
        ['C:\\\\secret.txt', 'there is no such file'],
        ['out.txt', outside],
        ['.', 'there is no such file'],
        ['..', 'there is no such file|outside'],
        ['../..', outside],
        ['none.md', 'there is no such file'],
        [`${'a/'.repeat(5000)}b`, 'there is no such file'],
        ['../../secret.txt', outside],
        ['outdir/secret.txt', outside],
        ['../.env', 'looks like a secret'],
        ['pipe', 'there is no such file'],
        ['large.md', 'more than 1048576 bytes'],
        ['latin.md', 'it is not UTF-8 text'],
      ],
      6,
    ),
  )('%j', async (path, why) => {
    const cwd = project(`:include[${path}]\n`, {
      'secret.txt': 'SECRET',
      'skills/.env': 'SECRET=1',
      'skills/t/large.md': 'a'.repeat(2 * 1024 * 1024),
      'skills/t/latin.md': Buffer.from('Caf\xe9', 'latin1'),
      'skills/t/out.txt': { link: '../../secret.txt' },
    })
    symlinkSync('../..', join(cwd, 'skills/t/outdir'))
    execFileSync('mkfifo', [join(cwd, 'skills/t/pipe')])
    const [disk, index] = await bothWays(cwd)
    for (const one of [disk, index]) {
      expect(one).toMatch(new RegExp(`^DIRECTIVE_FAILED .*t/SKILL\\.md:6:1: the file .*(${why})`, 's'))
      expect(one).not.toContain('SECRET')
    }
    const { diagnostics } = await check({ cwd, paths: ['skills'] })
    expect(diagnostics.filter(({ ruleId }) => ruleId === 'directive-failed')).toHaveLength(1)
  })
})

/** Code that a thread cannot be started with. */
const MAIN_ALONE =
  'data:text/javascript,import{isMainThread}from%20%27node:worker_threads%27;if(!isMainThread)throw%20new%20Error(%27No.%27)'

it.each(
  some([
    ['--input-type=module', ['--input-type=module'], {}],
    ['--import', ['--import', MAIN_ALONE, '--input-type=module'], {}],
    ['NODE_OPTIONS', ['--input-type=module'], { NODE_OPTIONS: `--import=${MAIN_ALONE}` }],
  ]),
)(
  'the same index whatever the compiling process was started with: %s',
  { tags: 'long' },
  async (_, options, env) => {
    const body = `:skill[other]\n${'A line. '.repeat(4000)}\n`
    const [here, there] = [project(body), project(body)]
    await compile({ cwd: here, paths: ['skills'] })
    const code = `await (await import('agent-apps/compiler')).compile({ cwd: ${JSON.stringify(there)}, paths: ['skills'] })`
    execFileSync(process.execPath, [...options, '-e', code], { cwd: ROOT, env: { ...process.env, ...env } })
    expect(compiled(join(there, 'skills'))).toEqual(compiled(join(here, 'skills')))
    expect(readFileSync(join(there, 'skills/.agent-apps.json'), 'utf8')).not.toContain('directive-invalid')
  },
)

describe('contents of an index that are not ours', () => {
  const BODY = 'Text :skill[other] and :value[args.x].\n'
  const sound = (parts: unknown, more: object = {}): object => ({ length: BODY.length, parts, ...more })
  const directive = (more: object): object => ({ name: 'skill', start: 0, end: 4, at: [5, 1], ...more })
  const NOT_BELIEVED: [string, unknown][] = [
    ['another length', { length: 3, parts: [[0, 3]] }],
    ['no parts', { length: BODY.length }],
    ['null', { length: BODY.length, parts: [null] }],
    ['a range past the end', sound([[0, BODY.length + 1]])],
    ['a negative range', sound([[-1, 3]])],
    ['a range backwards', sound([[5, 3]])],
    [
      'ranges over each other',
      sound([
        [0, 5],
        [3, 8],
      ]),
    ],
    ['a range of texts', sound([['0', '3']])],
    ['a range of parts of units', sound([[0.5, 3]])],
    ['a directive without a place', sound([{ name: 'skill', start: 0, end: 1 }])],
    ['a directive past the end', sound([directive({ end: 1e9 })])],
    ['a name that is none', sound([directive({ name: 7 })])],
    ['a text that is none', sound([directive({ text: {} })])],
    ['an argument that is none', sound([directive({ arg: [] })])],
    ['attributes that are none', sound([directive({ attributes: { a: 1 } })])],
    ['children that are none', sound([directive({ children: 'abc' })])],
    ['children past the end', sound([directive({ children: [[0, 1e9]] })])],
    ['content without parts', sound([directive({ content: { text: 'x', file: 't/a.md' } })])],
    ['content past its end', sound([directive({ content: { text: 'x', file: 't/a.md', parts: [[0, 2]] } })])],
    [
      'content from outside',
      sound([directive({ content: { text: 'x', file: '../../x', parts: [[0, 1]] } })]),
    ],
    ['a problem without a message', sound([[0, 4]], { problem: {} })],
    ['a problem that is a text', sound([[0, 4]], { problem: 'x' })],
    ['an indent that is none', sound([directive({ indent: 5 })])],
    ['a line that is none', sound([directive({ line: { lead: 1, tail: 2 } })])],
    ['a line without its lead', sound([directive({ line: {} })])],
    ['a line that is null', sound([directive({ line: null })])],
    ['attributes that are null', sound([directive({ attributes: null })])],
    ['files that are none', sound([[0, 4]], { inputs: [null] })],
    ['a file from outside', sound([[0, 4]], { inputs: ['../../x'] })],
  ]

  it.each(oneIn(4, NOT_BELIEVED))('%s: the text is parsed', async (_, record) => {
    const cwd = poisoned(record)
    expect(await said(runtimeOf(cwd), { x: 1 })).toBe('Text other and 1.\n')
  })

  it.each<[string, unknown, RegExp]>([
    [
      'a directive that is none',
      sound([directive({ name: 'other' })]),
      /^DIRECTIVE_FAILED .*no such directive/,
    ],
    ['a directive that nobody has', sound([directive({ name: 'constructor' })]), /^DIRECTIVE_FAILED /],
    ['middleware', sound([directive({ name: 'retry' })]), /^DIRECTIVE_FAILED /],
    [
      'a file outside',
      sound([directive({ name: 'include', arg: '../../../etc/passwd' })]),
      /^DIRECTIVE_FAILED /,
    ],
  ])('%s: an error', async (_, record, expected) => {
    const cwd = poisoned(record)
    const runtime = runtimeOf(cwd)
    expect(await said(runtime, { x: 1 })).toMatch(expected)
    expect(runtime.diagnostics()).toEqual([])
  })

  it(
    'parts as deep as a file can say',
    async () => {
      const deep = `${'{"name":"if","start":0,"end":4,"at":[5,1],"children":['.repeat(5000)}[0,4]${']}'.repeat(5000)}`
      const cwd = poisoned(`{"length":${BODY.length},"parts":[${deep}]}`)
      expect(await said(runtimeOf(cwd), { x: 1 })).toBe('Text other and 1.\n')
    },
    HANGS,
  )

  let compiledProject: string
  beforeAll(async () => {
    compiledProject = project(BODY)
    await compile({ cwd: compiledProject, paths: ['skills'] })
  })

  /** A copy of the compiled project with a record in the place of its own, and the digests that make the index look sound. */
  function poisoned(record: unknown): string {
    const cwd = join(temporary(), 'copied')
    cpSync(compiledProject, cwd, { recursive: true, preserveTimestamps: true })
    const file = join(cwd, 'skills/.agent-apps.json')
    const text = readFileSync(file, 'utf8')
    const line = typeof record === 'string' ? record : JSON.stringify(record)
    const changed = text.replace(/("contents":\{\n"t":).*\n/, (_, key) => `${key}${line}\n`)
    expect(changed).not.toBe(text)
    const digest = hash('sha256', changed.slice(changed.indexOf('"tools":'), -'\n}\n'.length))
    writeFileSync(file, changed.replace(/"hash":"[0-9a-f]{64}"/, `"hash":"${digest}"`))
    return cwd
  }
})
