import { fileURLToPath } from 'node:url'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { askKept, deployedScript } from '../support/kept-processes.js'
import { isLong, oneIn } from '../support/long.js'
import { makeTree, type Tree } from '../support/tree.js'

const SCRIPT = fileURLToPath(new URL('../support/run-skills.mjs', import.meta.url))

interface Case {
  tree?: Tree
  body: string
  metadata?: object
  args?: unknown
  registered?: { name: string; tags: string[] }[]
  /** What it comes to; a code with the beginning of what is said for what fails. */
  gives: string
  /** What is said of other files. */
  diagnostics?: string[]
}

interface Answer {
  results: { result?: string; code?: string; message?: string; hint?: string }[]
  parser: string
  diagnostics: string[]
}

const PARAMS = { type: 'object', additionalProperties: true }

function content(name: string, body: string, metadata: object = {}): string {
  const all = JSON.stringify({ params: PARAMS, ...metadata })
  return `---\nname: ${name}\ndescription: What ${name} is for.\nmetadata: ${all}\n---\n${body}`
}

/** A directive of the user's: `tags` and metadata, and the body of its function of `ctx` and `call`. */
function own(name: string, tags: string[], body: string, metadata: object = {}): string {
  const frontmatter = JSON.stringify({ name, description: 'A directive.', metadata: { tags, ...metadata } })
  return `export const frontmatter = ${frontmatter}\nexport default async (ctx, call) => {\n${body}\n}\n`
}

const INLINE = ['meta-directive-inline']
const BLOCK = ['meta-directive-block']
const NOTES = '# Notes\n\none\ntwo\n\n## Set up\n\nfirst\n\n### More\n\nsecond\n\n## End\n\nlast\n'
/** Shows a call as it came. */
const SHOW = own(
  'show',
  [...INLINE, ...BLOCK],
  "const { arg, attributes, children } = call\nreturn JSON.stringify([arg ?? null, attributes]) + (children ? '\\n' + (await children()) : '')",
)

const CASES: Record<string, Case> = {
  'a skill named': { body: 'As :skill[other] says.', gives: 'As other says.' },
  'a skill named at the start, alone': { body: ':skill[other]', gives: 'other' },
  'a skill that is not there': {
    body: 'x\n:skill[othr]\n',
    gives: 'DIRECTIVE_FAILED The content of "t" cannot be rendered: t/SKILL.md:7:1: there is no skill "othr"',
  },
  'what a skill is for': { body: ':skill[other]{show=description}', gives: 'What other is for.' },
  'what a skill takes': {
    body: ':tool[other]{show=params}\n',
    gives: `${JSON.stringify(PARAMS, null, 2)}\n`,
  },
  "a skill's content": { body: '> :skill[other]{show=content}\n', gives: '> Other.\n>\n> End.\n' },
  'something of a skill that is not': {
    body: ':skill[other]{show=all}',
    gives:
      'DIRECTIVE_FAILED The content of "t" cannot be rendered: t/SKILL.md:6:1: a skill has no "all" to show',
  },
  'code has no content': {
    tree: { 'skills/show.skill.js': SHOW },
    body: ':skill[show]{show=content}',
    gives:
      'DIRECTIVE_FAILED The content of "t" cannot be rendered: t/SKILL.md:6:1: "show" is code and has no content',
  },
  'a skill whose first file is broken': {
    tree: {
      'skills/two.skill.md': '---\nname: two\ndescription: [\n---\n',
      'more/two.skill.md': content('two', 'Two.\n'),
    },
    body: ':skill[two]',
    gives:
      'DIRECTIVE_FAILED The content of "t" cannot be rendered: t/SKILL.md:6:1: the skill "two" is broken: two.skill.md:3: The frontmatter is not valid YAML: unexpected end of the stream within a flow collection',
    diagnostics: ['The frontmatter is not valid YAML: unexpected end of the stream within a flow collection'],
  },
  'a broken skill by its path': {
    tree: { 'skills/two/SKILL.md': '---\nname: two\ndescription: [\n---\n' },
    body: ':skill[../two]',
    gives:
      'DIRECTIVE_FAILED The content of "t" cannot be rendered: t/SKILL.md:6:1: the skill "../two" is broken: two/SKILL.md:3: ',
    diagnostics: ['The frontmatter is not valid YAML: unexpected end of the stream within a flow collection'],
  },
  'a skill by its path': { body: ':skill[../other/SKILL.md]', gives: 'other' },
  'a file': { body: ':include[notes.md]', gives: NOTES.trimEnd() },
  'a file on a line of its own': { body: 'a\n\n::include[notes.md]\n\nb\n', gives: `a\n\n${NOTES}\nb\n` },
  'lines of a file': {
    body: ':include[notes.md]{lines=3-4}|:include[notes.md]{lines=16}',
    gives: 'one\ntwo|last',
  },
  'lines to the end': { body: ':include[notes.md]{lines=14-}', gives: '## End\n\nlast' },
  'lines that are not there': {
    body: ':include[notes.md]{lines=17}',
    gives:
      'DIRECTIVE_FAILED The content of "t" cannot be rendered: t/SKILL.md:6:1: the lines "17" are not in "notes.md", which has 16',
  },
  'a section of a file': {
    body: '::include[notes.md]{section="set up"}\n',
    gives: '## Set up\n\nfirst\n\n### More\n\nsecond\n',
  },
  'lines of a section': { body: ':include[notes.md]{section="Set up" lines=3}', gives: 'first' },
  'a section that is not there': {
    body: ':include[notes.md]{section=None}',
    gives:
      'DIRECTIVE_FAILED The content of "t" cannot be rendered: t/SKILL.md:6:1: "notes.md" has no heading "None"',
  },
  'a file with directives of its own': {
    tree: {
      'skills/t/deep/a.md': 'A :value[args.x] ::no :include[b.md]\n',
      'skills/t/deep/b.md': 'B :skill[other] :value[args.y]\n',
    },
    body: ':include[deep/a.md]\n',
    args: { x: 1, y: [2] },
    gives: 'A 1 ::no B other [2]\n',
  },
  'a file with CRLF, in a list': {
    tree: { 'skills/t/crlf.md': 'a\r\n\r\nb\r\n' },
    body: '- x\r\n  ::include[crlf.md]\r\n- y\r\n',
    gives: '- x\r\n  a\r\n\r\n  b\r\n- y\r\n',
  },
  'a file with a fault': {
    tree: { 'skills/t/a.md': 'x\n:::if{path=args.x}\n' },
    body: ':include[a.md]',
    gives: 'CONTENT_INVALID',
  },
  'a value': {
    body: ':value[args.x] and :value[args.none]{default=nothing}.',
    args: { x: 'y' },
    gives: 'y and nothing.',
  },
  'a value that looks like a directive': {
    body: ':value[args.x] ${args.x}\n',
    metadata: { interpolate: true },
    args: { x: ':skill[none] ${args.y}' },
    gives: ':skill[none] ${args.y} :skill[none] ${args.y}\n',
  },
  'a value that is not a path': {
    body: ':value[args.]',
    gives: 'PATH_INVALID',
  },
  'a block that holds': { body: 'a\n:::if{path=args.x}\nb\n:::\nc\n', args: { x: 1 }, gives: 'a\nb\nc\n' },
  'a block that does not hold': { body: 'a\n:::if{path=args.x}\nb\n:::\nc\n', args: {}, gives: 'a\nc\n' },
  'the other branch': {
    body: ':::if{path=args.x equals=bug}\na\n:::else\nb\n\n- :value[args.x]\n:::\n',
    args: { x: 'feature' },
    gives: 'b\n\n- feature\n',
  },
  'a block at the end, without a line end': {
    body: ':::if{path=args.x}\na\n:::',
    args: { x: 1 },
    gives: 'a\n',
  },
  'blank lines in a block': { body: ':::if{path=args.x}\n\na\n\n:::\n', args: { x: 1 }, gives: '\na\n\n' },
  'a block in a quote': {
    body: '> a\n> :::if{path=args.x}\n> b\n>\n> c\n> :::else\n> d\n> :::\n> e\n',
    args: { x: 1 },
    gives: '> a\n> b\n>\n> c\n> e\n',
  },
  'a block in a list': {
    body: '- a\n  :::if{path=args.x}\n  b\n  :::\n- :::if{path=args.y}\n  c\n  :::\n- d\n',
    args: { x: 1, y: 1 },
    gives: '- a\n  b\n- c\n- d\n',
  },
  'a repeated block': {
    body: ':::each{path=args.list as=one}\n- :value[locals.index]: :value[locals.one.name]\n:::\n',
    args: { list: [{ name: 'a' }, { name: 'b' }] },
    gives: '- 0: a\n- 1: b\n',
  },
  'blocks in blocks': {
    body: ':::::each{path=args.list}\n::::if{path=locals.item.sub}\n:::each{path=locals.item.sub as=s}\n:value[locals.s]\n:::\n::::else\nnone\n::::\n:::::\n',
    args: { list: [{ sub: [1, 2] }, {}] },
    gives: '1\n2\nnone\n',
  },
  'a repeated block of no list': {
    body: ':::each{path=args.x}\na\n:::\n',
    args: { x: 'text' },
    gives:
      'DIRECTIVE_FAILED The content of "t" cannot be rendered: t/SKILL.md:6:1: the value of `args.x` is not an array',
  },
  'a block that is closed too early': {
    body: ':::each{path=args.x}\n:::if{path=args.y}\na\n:::\n:::\n:::\n',
    gives: 'CONTENT_INVALID',
  },
  'a branch without a block': { body: 'a\n\n:::else\n\nb :skill[other]\n', gives: 'CONTENT_INVALID' },
  'a list of tools': { body: 'All:\n\n::tools[oth*]\n', gives: 'All:\n\n- `other`: What other is for.\n' },
  'attributes of every form': {
    tree: { 'skills/show.skill.js': SHOW },
    body: `:show[a \\] &amp; *b*]{k=v l="v w" m='x "y"' #id .c .d flag e="&lt;&quot;" f="\${args.x}"}\n`,
    args: { x: 'filled' },
    gives:
      '["a ] &amp; *b*",{"k":"v","l":"v w","m":"x \\"y\\"","id":"id","class":"c d","flag":"","e":"<\\"","f":"filled"}]\n',
  },
  'an argument that is filled in': {
    tree: { 'skills/t/x.md': 'X\n' },
    body: ':include[${args.file}]',
    args: { file: 'x.md' },
    gives: 'X',
  },
  'own directives, inline, on a line and around a block': {
    tree: { 'skills/show.skill.js': SHOW },
    body: 'a :show{x=1}\n\n::show[b]\n\n:::show[c]\nd :skill[other]\n:::\n',
    gives: 'a [null,{"x":"1"}]\n\n["b",{}]\n\n["c",{}]\nd other\n',
  },
  'own block that adds locals': {
    tree: {
      'skills/twice.skill.js': own(
        'twice',
        BLOCK,
        'return (await call.children({ n: 1 })) + (await call.children({ n: 2 }))',
      ),
    },
    body: ':::twice\n:value[locals.n] ${locals.n}\n:::\n',
    metadata: { interpolate: true },
    gives: '1 1\n2 2\n',
  },
  'own directive with middleware around it': {
    tree: {
      'skills/shout.skill.js':
        "export const frontmatter = { name: 'shout', description: 'Is loud.', metadata: { role: 'middleware', $inherit: false } }\nexport default async ctx => String(await ctx.manager.next()).toUpperCase()\n",
      'skills/loud.skill.js': own('loud', INLINE, 'return `loud ${call.arg}`', { shout: true }),
    },
    body: ':loud[a]!',
    gives: 'LOUD A!',
  },
  'own directive that throws': {
    tree: { 'skills/bad.skill.js': own('bad', INLINE, "throw new TypeError('no luck')") },
    body: 'a :bad[x]',
    gives:
      'DIRECTIVE_FAILED The content of "t" cannot be rendered: t/SKILL.md:6:3: the directive "bad" failed: no luck',
  },
  "own directive in the place of the library's": {
    tree: { 'skills/skill.skill.js': own('skill', INLINE, 'return `our ${call.arg}`') },
    body: ':skill[none]',
    gives: 'our none',
  },
  "own tool that is not a directive does not take the library's place": {
    tree: { 'skills/skill.skill.js': own('skill', [], "return 'ours'") },
    body: ':skill[other] :other[x]',
    gives: 'other :other[x]',
  },
  'own directive in the second path entry': {
    tree: { 'more/show.skill.js': SHOW },
    body: ':show[x]',
    gives: '["x",{}]',
  },
  'a registered directive': {
    registered: [{ name: 'reg', tags: INLINE }],
    body: 'a :reg[b] :skill[other]',
    gives: 'a <reg b> other',
  },
  "a registered directive in the library's place": {
    registered: [{ name: 'skill', tags: INLINE }],
    body: ':skill[none]',
    gives: '<skill none>',
  },
  interpolation: {
    body: '${args.x} ${args.none}| \\${args.x} ${args.o} $ARGUMENTS `${args.x}`\n',
    metadata: { interpolate: true },
    args: { x: 1, o: { a: 1 } },
    gives: '1 | ${args.x} {"a":1} $ARGUMENTS `1`\n',
  },
  'interpolation in a file, but not in what directives give': {
    tree: {
      'skills/t/a.md': '${args.x} :include[b.md] $X\n',
      'skills/t/b.md': '${args.y}\n',
      'skills/odd/SKILL.md': '---\nname: odd\ndescription: "${args.x}"\n---\n',
    },
    body: ':include[a.md] :include[b.md] :skill[odd]{show=description}\n',
    metadata: { interpolate: true },
    args: { x: 1, y: 2 },
    gives: '1 2 $X 2 ${args.x}\n',
  },
  'no interpolation where it was not asked for': {
    body: '${args.x} :skill[other]\n',
    args: { x: 1 },
    gives: '${args.x} other\n',
  },
}

/** Only a process that has the compiler can find directives that nobody knew of when it compiled, and what is wrong with a file by its path. */
const NEEDS_PARSER = new Set([
  'a registered directive',
  "a registered directive in the library's place",
  'a broken skill by its path',
])

describe('contents from disk and from the index', () => {
  const cases = oneIn(2, Object.entries(CASES))
  const names = cases.map(([name]) => name)
  const disk = new Map<string, Answer>()
  const index = new Map<string, Answer>()
  const deployed = new Map<string, Answer>()

  beforeAll(async () => {
    const jobs = cases.map(([, { tree, body, metadata, args, registered }]) => ({
      ask: 'contents',
      cwd: makeTree({
        'package.json': '{"type":"module"}\n',
        'skills/t/SKILL.md': content('t', body, metadata),
        'skills/t/notes.md': NOTES,
        'skills/other/SKILL.md': content('other', '\nOther.\n\nEnd.\n\n'),
        'more/last.skill.md': content('last', 'Last.\n'),
        ...tree,
      }),
      paths: ['skills', 'more'],
      calls: [['t', args]],
      registered,
    }))
    const withFreshness = (freshness: string) => jobs.map(job => ({ ...job, freshness }))
    const keep = (into: Map<string, Answer>, answers: Answer[]): void => {
      for (const [number, answer] of answers.entries()) into.set(names[number] as string, answer)
    }
    keep(disk, await askKept<Answer>(SCRIPT, withFreshness('check')))
    for (const { cwd, paths } of jobs) await compile({ cwd, paths })
    // With the parser beside the index: what needs it in every run, all of them in `npm run test:long`.
    const beside = names
      .map((name, number) => [name, number] as const)
      .filter(([name]) => isLong || NEEDS_PARSER.has(name))
    const answered = await askKept<Answer>(
      SCRIPT,
      beside.map(([, number]) => ({ ...(jobs[number] as (typeof jobs)[number]), freshness: 'check' })),
    )
    for (const [at, [name]] of beside.entries()) index.set(name, answered[at] as Answer)
    keep(deployed, await askKept<Answer>(deployedScript(SCRIPT), withFreshness('trust')))
  })

  it.each(cases)('%s', (name, { gives, diagnostics = [] }) => {
    expect(said(disk.get(name), gives)).toBe(gives)
    if (index.has(name)) expect(index.get(name)?.results).toEqual(disk.get(name)?.results)
    if (NEEDS_PARSER.has(name)) return
    expect(deployed.get(name)?.results).toEqual(disk.get(name)?.results)
    expect(deployed.get(name)?.diagnostics).toEqual(diagnostics)
  })
})

/** The result, or the error's code with as much of its message as is expected. */
function said(answer: Answer | undefined, expected: string): string | undefined {
  const { result, code, message } = answer?.results[0] ?? {}
  return result ?? `${code} ${message}`.slice(0, expected.length)
}
