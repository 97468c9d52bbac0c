import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { oneIn, times } from '../support/long.js'
import { ownTools } from '../support/own-tools.js'
import { goodSkills, makeTree, skill, type Tree } from '../support/tree.js'

interface Bad {
  /** The file, below its own folder. */
  file?: string
  text: string | Uint8Array
  /** `line:column rule` of the fault that keeps the skill from loading. */
  fault: string
}

const frontmatter = (yaml: string): string => `---\nname: bad\ndescription: Bad.\n${yaml}\n---\nBody.\n`
const bytes = (text: string, ...more: number[]): Uint8Array =>
  Buffer.concat([Buffer.from(text), Buffer.from(more)])
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const keys = (count: number): string =>
  Array.from({ length: count }, (_, index) => `  k${index}: 1`).join('\n')

/** One of every kind of file that does not load. */
const BAD: Record<string, Bad> = {
  'unclosed frontmatter': { text: '---\nname: bad\n', fault: '1:1 frontmatter-unclosed' },
  'a fence with words': { text: '---\nname: bad\n---foo\n', fault: '3:1 frontmatter-fence' },
  'a list': { text: '---\n- a\n---\n', fault: '2:1 frontmatter-not-mapping' },
  'broken YAML': { text: frontmatter('metadata:\n  a: b: c'), fault: '5:7 yaml-syntax' },
  'a quote never closed': { text: frontmatter('license: "open'), fault: '4:10 yaml-syntax' },
  'a tab for indentation': { text: frontmatter('metadata:\n\ta: b'), fault: '5:1 yaml-syntax' },
  'two documents': { text: frontmatter('...\nname: other'), fault: '4:1 yaml-syntax' },
  'an alias': { text: frontmatter('metadata:\n  a: &x [1]\n  b: *x'), fault: '6:6 yaml-alias' },
  'a merge key': { text: frontmatter('metadata:\n  <<: { a: 1 }'), fault: '5:3 yaml-merge-key' },
  'a merged alias': {
    text: frontmatter('metadata:\n  a: &x { b: 1 }\n  <<: *x'),
    fault: '6:3 yaml-merge-key',
  },
  'a code tag': { text: frontmatter('run: !!js/function "function () {}"'), fault: '4:6 yaml-tag' },
  'a tag of its own': { text: frontmatter('a: !thing b'), fault: '4:4 yaml-tag' },
  'a key twice': { text: frontmatter('license: a\nlicense: b'), fault: '5:1 yaml-duplicate-key' },
  'a key twice inside': { text: frontmatter('metadata:\n  a: 1\n  a: 2'), fault: '6:3 yaml-duplicate-key' },
  __proto__: { text: frontmatter('metadata:\n  __proto__: { polluted: 1 }'), fault: '5:3 forbidden-key' },
  constructor: {
    text: frontmatter('constructor: { prototype: { polluted: 1 } }'),
    fault: '4:1 forbidden-key',
  },
  prototype: { text: frontmatter('metadata:\n  list:\n    - prototype: 1'), fault: '6:7 forbidden-key' },
  'depth past the limit': { text: frontmatter(`metadata: ${nested(32)}`), fault: '4:1 yaml-too-deep' },
  'keys past the limit': { text: frontmatter(`metadata:\n${keys(998)}`), fault: '4:1 yaml-too-many-keys' },
  'frontmatter past the limit': {
    text: frontmatter(`license: ${'x'.repeat(65_536)}`),
    fault: '1:1 frontmatter-too-large',
  },
  'a file past the limit': { text: skill('bad', 'x'.repeat(1_048_576)), fault: '1:1 file-too-large' },
  'a NUL byte': { text: skill('bad', 'a\n\u0000'), fault: '6:1 nul-byte' },
  'invalid UTF-8': { text: bytes(skill('bad', 'é '), 0xff), fault: '5:3 invalid-utf8' },
  'a name that is none': {
    file: 'x.skill.md',
    text: '---\nname: Not Good\n---\n',
    fault: '2:7 name-invalid',
  },
  'no name': { file: 'x.skill.md', text: '---\ndescription: Text.\n---\n', fault: '1:1 name-missing' },
  'no frontmatter': { file: 'x.skill.md', text: 'Text.\n', fault: '1:1 name-missing' },
  "another's name": { file: 'x.skill.md', text: `${skill('good-7')}More.\n`, fault: '2:7 duplicate-name' },
  'a code fence': { text: '---js\n{ name: "bad" }\n---\n', fault: '1:1 frontmatter-fence' },
}

const slug = (kind: string): string =>
  `z-${kind
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')}`
const placed = ([kind, { file = 'SKILL.md', text }]: [string, Bad]): [string, string | Uint8Array] => [
  `${slug(kind)}/${file}`,
  text,
]

describe('one bad skill never takes down the rest', () => {
  const GOOD = times(30, 100)
  const tree: Tree = { ...goodSkills(GOOD), ...Object.fromEntries(Object.entries(BAD).map(placed)) }

  it.each(['compiled', 'from disk'] as const)(
    'all good skills resolve beside every kind of bad one, %s',
    async way => {
      const dir = makeTree(tree)
      if (way === 'compiled') await compile({ paths: [dir] })
      const freshness = way === 'compiled' ? 'trust' : 'check'
      const runtime = createRuntime({ paths: [dir], library: false, freshness })
      for (let index = 0; index < GOOD; index++) {
        expect(await runtime.render(`good-${index}`)).toBe(`Do good-${index}.\n`)
      }
      expect(await ownTools(runtime)).toHaveLength(GOOD)
      expect(runtime.stats().via[way === 'compiled' ? 'index' : 'disk']).toBe(GOOD)
    },
  )

  it.each(oneIn(3, Object.entries(BAD)))('%s: its own rule, at its own place', async (kind, bad) => {
    const [path] = placed([kind, bad])
    const dir = makeTree({ ...goodSkills(8), [path]: bad.text })
    const { counts, diagnostics } = await compile({ cwd: dir, paths: ['.'] })
    expect(counts).toEqual({ files: 9, found: 8, shadowed: 0, skipped: 1 })
    const fatal = diagnostics.filter(message => message.fatal)
    expect(fatal.map(({ file, line, column, ruleId }) => `${file} ${line}:${column} ${ruleId}`)).toEqual([
      `${path} ${bad.fault}`,
    ])
    expect(fatal[0]?.note).not.toBe('')
  })
})

describe('no file is executed', () => {
  const fences = [
    '---js',
    '---javascript',
    '--- js',
    '---JS',
    '\uFEFF---js',
    '---coffee',
    '---json',
    '---\tjs',
    '--- javascript ',
  ]

  it.each(oneIn(3, fences))('a fence %j', async fence => {
    const dir = makeTree({ 'good/SKILL.md': skill('good') })
    const proof = join(dir, 'executed')
    const payload = `require('node:fs').writeFileSync(${JSON.stringify(proof)}, 'x')`
    const bodies = [
      `${fence}\n{ name: 'bad', description: (${payload}, 'd') }\n---\nBody.\n`,
      `${fence}\nmodule.exports = ${payload}\n---\n`,
      `---\nname: bad\n---\n\n${fence}\nname: ${payload}\n---\n`,
    ]
    const bad = Object.fromEntries(
      bodies.flatMap((body, index) => [
        [`bad-${index}/SKILL.md`, body],
        [`single-${index}.skill.md`, body],
      ]),
    )
    const all = makeTree({ ...bad, 'good/SKILL.md': skill('good') })
    await check({ paths: [all], spec: true })
    await compile({ paths: [all] })
    for (const freshness of ['trust', 'check'] as const) {
      const runtime = createRuntime({ paths: [all], freshness })
      await runtime.listTools()
      expect(await runtime.findTool('good')).not.toBeNull()
      expect(await runtime.findTool('bad-0')).toBeNull()
    }
    expect(existsSync(proof)).toBe(false)
  })

  it('the payloads do run where something evaluates them', () => {
    const dir = makeTree({})
    const matter = createRequire(import.meta.url)('gray-matter')
    matter(
      `---js\n{ a: require('node:fs').writeFileSync(${JSON.stringify(join(dir, 'executed'))}, 'x') }\n---\n`,
      {},
    )
    expect(existsSync(join(dir, 'executed'))).toBe(true)
  })
})

describe('frontmatter that gray-matter by itself reads otherwise', () => {
  it.each([
    ['is not empty after a comment that ends in CR', '# c\rname: x\rdescription: D.\n', 'D.'],
    [
      'keeps its blank lines',
      `name: x\ndescription: |\n  a${'\n'.repeat(99)}  b\n`,
      `a${'\n'.repeat(99)}b\n`,
    ],
    [
      'may have any `excerpt_separator`',
      'name: x\ndescription: D.\nexcerpt_separator: { toString: 1, valueOf: 1 }\n',
      'D.',
    ],
  ])('%s', async (_, yaml, description) => {
    const paths = [makeTree({ 'x/SKILL.md': `---\n${yaml}---\n` })]
    await compile({ paths })
    expect(await createRuntime({ paths }).findTool('x')).toMatchObject({ frontmatter: { description } })
  })
})

describe('limits, at −1, 0 and +1', () => {
  const fill = (count: number): string => 'x'.repeat(count)
  const head = Buffer.byteLength(skill('edge', ''))
  const yamlHead = Buffer.byteLength('name: edge\ndescription: D.\nlicense: \n')

  it.each(
    oneIn(2, [
      ['bytes of a file', 1_048_576, (n: number) => skill('edge', fill(n - head)), 'file-too-large'],
      [
        'bytes of frontmatter',
        65_536,
        (n: number) => `---\nname: edge\ndescription: D.\nlicense: ${fill(n - yamlHead)}\n---\n`,
        'frontmatter-too-large',
      ],
      [
        'levels',
        32,
        (n: number) => `---\nname: edge\ndescription: D.\nmetadata: ${nested(n - 1)}\n---\n`,
        'yaml-too-deep',
      ],
      [
        'levels of blocks',
        32,
        (n: number) =>
          `---\nname: edge\ndescription: D.\nmetadata:\n${Array.from({ length: n - 1 }, (_, depth) => `${' '.repeat(depth + 1)}a:`).join('\n')} 1\n---\n`,
        'yaml-too-deep',
      ],
      [
        'keys',
        1_000,
        (n: number) => `---\nname: edge\ndescription: D.\nmetadata:\n${keys(n - 3)}\n---\n`,
        'yaml-too-many-keys',
      ],
    ]),
  )('%s', async (_, limit, text, rule) => {
    for (const [size, loads] of [
      [limit - 1, true],
      [limit, true],
      [limit + 1, false],
    ] as const) {
      const dir = makeTree({ 'edge/SKILL.md': text(size) })
      const { counts, diagnostics } = await compile({ paths: [dir] })
      expect([size, counts.found]).toEqual([size, loads ? 1 : 0])
      expect(diagnostics.filter(({ fatal }) => fatal).map(({ ruleId }) => ruleId)).toEqual(
        loads ? [] : [rule],
      )
    }
  })
})

describe('an alias, however it is written', () => {
  it.each(
    oneIn(3, [
      ['an anchor that begins with *', 'metadata:\n  a: &*x [1]\n  b: **x', '6:6', '**x'],
      ['a comment that ends with CR', 'metadata:\n  a: &x [1] # then\r  b: *x', '5:25', '*x'],
      ['a number', 'metadata:\n  a: &*x 5\n  b: **x', '6:6', '**x'],
      ['nothing', 'metadata:\n  a: &*x\n  b: **x', '6:6', '**x'],
      ['a key', 'metadata:\n  a: &x y\n  ? *x\n  : 1', '6:5', '*x'],
      ['in brackets', 'metadata: { a: &*x [1], b: [2, **x] }', '4:32', '**x'],
      ['of itself', 'metadata:\n  a: &*x [1, **x]', '5:14', '**x'],
      ['of no anchor', 'metadata:\n  a: *x', '5:6', '*x'],
      ['of many characters', 'metadata:\n  a: &é"\'!% [1]\n  b: *é"\'!%', '6:6', '*é"\'!%'],
    ]),
  )('%s', async (_, yaml, place, alias) => {
    const cwd = makeTree({ 'skills/bad/SKILL.md': frontmatter(yaml), 'skills/good/SKILL.md': skill('good') })
    for (const work of [check, compile]) {
      const { diagnostics } = await work({ cwd, paths: ['skills'] })
      expect(diagnostics.map(({ name, ruleId, reason }) => `${name} ${ruleId} ${reason}`)).toEqual([
        `skills/bad/SKILL.md:${place} yaml-alias The YAML alias ${alias} is not allowed: a few of them can grow to gigabytes`,
      ])
    }
    for (const freshness of ['check', 'trust'] as const) {
      const runtime = createRuntime({ cwd, paths: ['skills'], freshness })
      expect(await runtime.findTool('bad')).toBeNull()
      expect(await runtime.render('good')).toBe('Do good.\n')
    }
  })

  it('is none in a text', async () => {
    const yaml = 'metadata:\n  a: "&x *x"\n  b: a *x &x\n  c: |\n    &x\n    *x\n  d: &x 1 # *x'
    const cwd = makeTree({ 'skills/bad/SKILL.md': frontmatter(yaml) })
    expect((await check({ cwd, paths: ['skills'] })).diagnostics).toEqual([])
  })
})
