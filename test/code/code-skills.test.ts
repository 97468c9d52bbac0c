import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Call, codeSkills, shown, threeWays } from '../support/code-project.js'
import { isLong } from '../support/long.js'
import { ownTools } from '../support/own-tools.js'
import { startCode } from '../support/processes.js'
import { skill, type Tree } from '../support/tree.js'

interface Case {
  files: Tree
  calls: Call[]
  /** What the calls give. */
  results: unknown[]
  /** Some of each tool's frontmatter, by reference. */
  frontmatter: Record<string, object>
}

const PARAMS = { type: 'object', properties: { title: { type: 'string' } } }

const CASES: Record<string, Case> = {
  'a default function with frontmatter, in each kind of file': {
    files: Object.fromEntries(
      ['js', 'mjs', 'ts', 'mts'].map(ending => [
        `check-${ending}.skill.${ending}`,
        `export const frontmatter = {
          name: 'check-${ending}',
          description: 'Checks a note.',
          'allowed-tools': ['read', 'callback-*'],
          author: 'me',
          metadata: { params: ${JSON.stringify(PARAMS)}, tags: ['My Tag'], visibility: 'hidden', note: 1 },
        }
        export default async function (ctx${ending.endsWith('ts') ? ': unknown' : ''}, { title }${ending.endsWith('ts') ? ': { title: string }' : ''}) {
          return { valid: title === '${ending}' }
        }\n`,
      ]),
    ),
    calls: ['js', 'mjs', 'ts', 'mts'].map(ending => [`check-${ending}`, { title: ending }]),
    results: Array(4).fill({ valid: true }),
    frontmatter: {
      'check-ts': {
        description: 'Checks a note.',
        params: PARAMS,
        tags: ['my-tag'],
        visibility: 'hidden',
        'allowed-tools': 'read callback-*',
        metadata: { note: 1 },
        extra: { author: 'me' },
      },
    },
  },
  'defineTool with JSON Schema': {
    files: {
      'word-count.skill.ts': `import { defineTool } from 'agent-apps'
        export default defineTool({
          name: 'word-count',
          description: 'Counts words.',
          params: ${JSON.stringify(PARAMS)},
          returns: { type: 'number' },
          role: 'context',
          tags: ['Text'],
          allowedTools: ['read', 'grep'],
          metadata: { gated: false },
          execute: ({ title }) => String(title).split(' ').length,
        })\n`,
    },
    calls: [['word-count', { title: 'one two three' }]],
    results: [3],
    frontmatter: {
      'word-count': {
        params: PARAMS,
        returns: { type: 'number' },
        role: 'context',
        tags: ['text'],
        'allowed-tools': 'read grep',
        metadata: { gated: false },
      },
    },
  },
  'defineTool with Zod: transforms and defaults reach execute': {
    files: {
      'tally.skill.ts': `import { defineTool } from 'agent-apps'
        import { z } from 'zod'
        export default defineTool({
          name: 'tally',
          description: 'Adds up.',
          params: z.object({
            text: z.string().transform(text => text.length),
            times: z.number().default(3),
          }),
          execute: ({ text, times }) => ({ text, times, sum: text * times }),
        })\n`,
    },
    calls: [
      ['tally', { text: 'four' }],
      ['tally', { text: 5 }],
    ],
    results: [{ text: 4, times: 3, sum: 12 }, undefined],
    frontmatter: {
      tally: {
        description: 'Adds up.',
        params: expect.objectContaining({ type: 'object', required: ['text'] }),
      },
    },
  },
  'several tools in a file, with and without a fragment': {
    files: {
      'lib/math.skill.ts': `import { defineTool as tool } from 'agent-apps'
        export type Unused = string
        export const sum = tool({ name: 'sum', description: 'Adds.', execute: () => 'sum' })
        const product = tool({ name: 'product', description: 'Multiplies.', execute: () => 'product' })
        export { product as times }
        export const frontmatter = { name: 'math', description: 'The first, wherever it stands.' }
        export const helper = () => 'no tool'
        export default () => 'math'\n`,
    },
    calls: [
      ['math'],
      ['sum'],
      ['product'],
      ['./lib/math.skill.ts'],
      ['./lib/math.skill.ts#sum'],
      ['./lib/math.skill.ts#product'],
      ['./lib/math.skill.ts#helper'],
    ],
    results: ['math', 'sum', 'product', 'math', 'sum', 'product', undefined],
    frontmatter: { sum: { description: 'Adds.' }, './lib/math.skill.ts': { name: 'math' } },
  },
  'what is only TypeScript is passed over: types, casts, overloads, declarations': {
    files: {
      'typed.skill.ts': `import type { Context } from 'agent-apps'
        import { defineTool } from 'agent-apps'
        declare const injected: string
        declare module 'elsewhere' { export const sideEffect: number }
        export type { Context }
        type Shape = { readonly title?: string } & Record<\`x-\${string}\`, unknown>
        interface Most<in out Value extends Shape = Shape> { value: Value }
        const LABELS = ['One', 'Two'] as const
        export const twice = defineTool({
          name: 'twice' as const,
          description: <string>'Doubles.',
          tags: [...LABELS] satisfies readonly string[],
          params: { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] } as const,
          execute: ({ count }: { count: number }) => count! * 2,
        })
        export const frontmatter = { name: 'typed', description: 'Typed.' } satisfies Shape
        export default function run(ctx: Context): Promise<string>
        export default async function run<const Value>(this: void, ctx: Context, value?: Value): Promise<string> {
          abstract class Base { abstract name: string }
          class Named extends Base { override name = 'named'; constructor(private readonly most?: Most) { super() } }
          return new Named().name
        }\n`,
    },
    calls: [['typed'], ['twice', { count: 2 }]],
    results: ['named', 4],
    frontmatter: {
      typed: { description: 'Typed.' },
      twice: { description: 'Doubles.', tags: ['one', 'two'] },
    },
  },
  'TypeScript that only esbuild knows': {
    files: {
      'late.skill.ts': `export const frontmatter = { name: 'late', description: 'Late.' }
        class Base { override name: string = 'late' }
        export default (): string => new Base().name\n`,
    },
    calls: [['late']],
    results: ['late'],
    frontmatter: { late: { description: 'Late.' } },
  },
  'constants, templates, sums and spreads are read without running': {
    files: {
      'parts.skill.js': `const NAME = 'parts'
        const SHARED = { tags: ['one', 'two'], list: [[1, 2], [3]], deep: { a: [{ b: null }, ...['c']] } }
        const IT = 'it'
        const TEXT = 'Says ' + 'what ' + \`\${IT} is.\`
        export const frontmatter = {
          name: NAME,
          description: TEXT,
          metadata: { ...SHARED, tags: ['three'], minus: -1.5, quoted: "a\\u0041", no: undefined },
        }
        export default () => 'ran'\n`,
    },
    calls: [['parts']],
    results: ['ran'],
    frontmatter: {
      parts: {
        description: 'Says what it is.',
        tags: ['three'],
        metadata: { list: [[1, 2], [3]], deep: { a: [{ b: null }, 'c'] }, minus: -1.5, quoted: 'aA' },
      },
    },
  },
  'a tool made at its first use': {
    files: {
      'lazy.skill.js': `import { defineTool } from 'agent-apps'
        export default defineTool('lazy', async () => ({
          description: 'Set up while nobody waits.',
          params: { type: 'object' },
          execute: ({ a }) => \`got \${a}\`,
        }))\n`,
    },
    calls: [['lazy', { a: 1 }]],
    results: ['got 1'],
    frontmatter: { lazy: { description: 'Set up while nobody waits.', params: { type: 'object' } } },
  },
  'a tool that calls another': {
    files: {
      'outer.skill.js': `import { defineTool } from 'agent-apps'
        export default defineTool({ name: 'outer', description: 'Calls.', execute: (_, { invoke }) => invoke('inner', { a: 2 }) })\n`,
      'inner.skill.js': `export const frontmatter = { name: 'inner', description: 'Is called.', metadata: { params: { type: 'object' } } }
        export default (ctx, { a }) => a * 2\n`,
    },
    calls: [['outer'], ['inner', { a: 4 }]],
    results: [4, 8],
    frontmatter: {},
  },
  'code that shares a file with others': {
    files: {
      'shared.js': `export let calls = 0\nexport const call = () => ++calls\n`,
      'first.skill.js': `import { call } from './shared.js'\nexport const frontmatter = { name: 'first', description: 'One.' }\nexport default () => call()\n`,
      'second.skill.ts': `import { call } from './shared.js'\nexport const frontmatter = { name: 'second', description: 'Two.' } as const\nexport default (): number => call()\n`,
    },
    calls: [['first'], ['first']],
    results: [1, 2],
    frontmatter: {},
  },
}

describe('the same answer from disk, from the index, and from modules alone', () => {
  const cases = Object.entries(CASES)
  /** The answers to the calls of all cases, which are one project. */
  let ways: Awaited<ReturnType<typeof threeWays>>
  beforeAll(async () => {
    const { dir } = codeSkills(Object.assign({}, ...cases.map(([, { files }]) => files)))
    ways = await threeWays(
      dir,
      cases.flatMap(([, { calls }]) => calls),
      { sources: isLong },
    )
  })

  it.each(cases)('%s', (name, { calls, results, frontmatter }) => {
    const before = cases.slice(
      0,
      cases.findIndex(([other]) => other === name),
    )
    const from = before.flatMap(([, one]) => one.calls).length
    const ofCase = ({ tools, results }: Answer) => ({
      tools: calls.map(([ref]) => tools[ref]),
      results: results.slice(from, from + calls.length),
    })
    const disk = ofCase(ways.disk)
    expect(disk.results.map(({ result }) => result)).toEqual(results)
    for (const [ref, fields] of Object.entries(frontmatter))
      expect(ways.disk.tools[ref]?.frontmatter).toMatchObject(fields)
    expect(ofCase(ways.index)).toEqual(disk)
    expect(ofCase(ways.modules)).toEqual(disk)
  })

  it('without a fault, of the same tools, and from indexes without files and parser', () => {
    const { disk, index, modules, diagnostics } = ways
    expect(diagnostics.filter(({ severity }) => severity !== 'info').map(shown)).toEqual([])
    for (const { names, via, parser } of [index, modules]) {
      expect(names).toEqual(disk.names)
      expect({ disk: via.disk, parser }).toEqual({ disk: 0, parser: expect.not.stringMatching('loaded') })
    }
  })
})

describe('reading without running', () => {
  const MARKING = (name: string, more: string): string => `import { writeFileSync } from 'node:fs'
    writeFileSync(new URL('./ran-${name}', import.meta.url), '')
    export const frontmatter = { name: '${name}', description: ${more} }
    export default () => 'ran'\n`

  it('check, listing and a name index import nothing; compiling and loading do', async () => {
    const { dir } = codeSkills({
      'plain.skill.js': MARKING('plain', "'Is literal.'"),
      'dynamic.skill.ts': MARKING('dynamic', 'String(1 + 1)'),
    })
    const ran = (): string[] => readdirSync(dir).filter(name => name.startsWith('ran-'))
    await check({ paths: [dir] })
    const runtime = createRuntime({ paths: [dir], freshness: 'check' })
    expect((await ownTools(runtime)).map(({ name }) => name)).toEqual(['dynamic', 'plain'])
    expect((await runtime.findTool('plain'))?.frontmatter.description).toBe('Is literal.')
    expect(await runtime.findTool('absent')).toBeNull()
    expect(ran()).toEqual([])
    await compile({ paths: [dir], check: true })
    expect(ran()).toEqual([])
    expect((await runtime.findTool('dynamic'))?.frontmatter.description).toBe('2')
    expect(ran()).toEqual(['ran-dynamic'])
    expect(await runtime.invoke('plain')).toBe('ran')
    expect(ran()).toEqual(['ran-dynamic', 'ran-plain'])
  })

  const COMPUTED = "export const frontmatter = { name: 'bad', description: String(1 + 1) }\n"
  const ENDED: [what: string, top: string, rules: string[], reason: string][] = [
    ['ends its process', 'process.exit(3)\n', ['code-exits'], 'ended the process: exit code 3'],
  ]
  // The last two wait for a deadline of seconds.
  if (isLong)
    ENDED.push(
      ['throws', "throw new Error('Oh no.')\n", ['code-throws'], 'throws: Oh no.'],
      // A thread that never goes on, without using a processor.
      [
        'hangs',
        'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)\n',
        ['code-hangs'],
        'did not finish within 5 s',
      ],
      // On a machine that is busy with much else, the deadline may come first.
      [
        'takes all memory',
        'const all = []\nwhile (true) all.push(new Array(2e7).fill(1.5))\n',
        ['code-exits', 'code-hangs'],
        '',
      ],
    )
  it.each(ENDED)(
    'a file whose metadata is computed, and that %s, is broken to whoever looks for it, and nothing else',
    { tags: 'long' },
    async (_what, top, rules, reason) => {
      const files = {
        'bad.skill.js': `${COMPUTED}${top}export default () => 1\n`,
        'sound/SKILL.md': skill('sound'),
      }
      const { dir } = codeSkills(files)
      // At once, as each of them may wait for the deadline.
      const saying = startCode(`
          import { createRuntime } from 'agent-apps'
          const runtime = createRuntime({ paths: [${JSON.stringify(dir)}], freshness: 'check' })
          let ticks = 0
          setInterval(() => ticks++, 10).unref()
          const looking = runtime.findTool('bad')
          const sound = (await runtime.findTool('sound'))?.name
          const bad = await looking
          const seen = runtime.diagnostics().map(({ rule, line, reason, file }) => ({ rule, line, reason, file }))
          const byPath = await runtime.findTool('${join(dir, 'bad.skill.js')}').catch(({ code }) => code)
          console.log(JSON.stringify({ sound, bad, seen, byPath, isFree: ticks > 5 }))`)
      // Two that fill the memory at once would meet the deadline first.
      if (rules.includes('code-exits')) await saying
      const { dir: same } = codeSkills(files)
      const { diagnostics } = await compile({ paths: [same], cwd: same })
      const said = JSON.parse(await saying)
      const [compiled] = diagnostics.filter(({ fatal }) => fatal)
      expect(rules).toContain(compiled?.ruleId)
      expect(compiled?.reason).toContain(reason)
      const { line } = compiled ?? {}
      expect(said).toEqual({
        sound: 'sound',
        bad: null,
        seen: [
          {
            rule: expect.toBeOneOf(rules),
            line,
            reason: rules.length === 1 ? compiled?.reason : expect.any(String),
            file: join(dir, 'bad.skill.js'),
          },
        ],
        byPath: 'TOOL_BROKEN',
        isFree: true,
      })
    },
  )

  it('what only running tells is said, and known once compiled', async () => {
    const { dir } = codeSkills({
      'half.skill.js': `const make = () => 'Made.'\nexport const frontmatter = {\n  name: 'half',\n  description: make(),\n  metadata: { fixed: 1 },\n}\nexport default () => 1\n`,
    })
    const before = await check({ paths: [dir], cwd: dir })
    expect(before.diagnostics.map(shown)).toEqual(['half.skill.js:4:16 metadata-dynamic info'])
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(shown)).toEqual([])
    const tool = await createRuntime({ paths: [dir], freshness: 'trust' }).findTool('half')
    expect(tool?.frontmatter).toMatchObject({ description: 'Made.', metadata: { fixed: 1 } })
  })
})

describe('faults of code skills, at their places', () => {
  const TYPES = `interface Note {\n  title: string\n}\ntype Title = Note['title']\n\n`
  const cases: Record<string, [file: string, text: string, expected: string]> = {
    'a name that is computed': [
      'a.skill.js',
      `export const frontmatter = {\n  description: 'x',\n  name: ['a'].join(),\n}\nexport default () => 1\n`,
      '3:9 name-not-literal error',
    ],
    'a name that is computed, after types': [
      'a.skill.ts',
      `${TYPES}const parts: Title[] = ['a']\nexport const frontmatter = {\n  name: parts.join(),\n  description: 'x',\n}\nexport default (note: Note): Title => note.title\n`,
      '8:9 name-not-literal error',
    ],
    'a name that breaks the rule, after types': [
      'a.skill.ts',
      `${TYPES}export const frontmatter = {\n  name: 'My Tool',\n  description: 'x',\n}\nexport default (note: Note): Title => note.title\n`,
      '7:9 name-invalid error',
    ],
    'no name at all': [
      'a.skill.js',
      `\nexport const frontmatter = {}\nexport default () => 1\n`,
      '3:16 name-missing error',
    ],
    'a definition without a name': [
      'a.skill.js',
      `import { defineTool } from 'agent-apps'\nexport const one = defineTool({ description: 'x', execute: () => 1 })\n`,
      '2:20 name-missing error',
    ],
    'no tool at all': ['a.skill.ts', `${TYPES}export const helper = (): number => 1\n`, '1:1 no-tool error'],
    'an empty file': ['a.skill.js', '', '1:1 no-tool error'],
    'a field of the wrong type, after types': [
      'a.skill.ts',
      `${TYPES}export const frontmatter = {\n  name: 'a',\n  description: 'x',\n  metadata: { role: 'boss' },\n}\nexport default (note: Note): Title => note.title\n`,
      '9:21 role-unknown error',
    ],
    'no description': [
      'a.skill.js',
      `export const frontmatter = {\n  name: 'a',\n}\nexport default () => 1\n`,
      '2:9 description-missing warning',
    ],
    'a syntax error in JavaScript': ['a.skill.js', `const a = 1\nconst = 2\n`, '2:7 code-syntax error'],
    'a syntax error in TypeScript': ['a.skill.ts', `${TYPES}const a: number = \n`, '7:1 code-syntax error'],
  }
  it.each(Object.entries(cases))('%s', async (_, [file, text, expected]) => {
    const { dir } = codeSkills({ [file]: text, 'sound.skill.js': SOUND })
    for (const run of [check, compile]) {
      const { diagnostics } = await run({ paths: [dir], cwd: dir })
      expect(diagnostics.map(shown)).toEqual([`${file}:${expected}`])
    }
    expect(await createRuntime({ paths: [dir] }).invoke('sound')).toBe('sound')
  })

  it('two exports of one name: the first loads', async () => {
    const { dir } = codeSkills({
      'a.skill.js': `import { defineTool } from 'agent-apps'
export const one = defineTool({ name: 'same', description: 'x', execute: () => 1 })
export const two = defineTool({ name: 'same', description: 'x', execute: () => 2 })\n`,
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(shown)).toEqual(['a.skill.js:3:39 duplicate-name error'])
    for (const freshness of ['trust', 'check'] as const)
      expect(await createRuntime({ paths: [dir], freshness }).invoke('same')).toBe(1)
    expect(readdirSync(join(dir, '.agent-apps')).filter(name => name.endsWith('.mjs'))).toHaveLength(1)
  })
})

const SOUND = `export const frontmatter = { name: 'sound', description: 'Is sound.' }\nexport default () => 'sound'\n`
