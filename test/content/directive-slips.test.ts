import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { LIBRARY_ATTRIBUTES } from '../../compiler/2-resolve/contents/directive-slips.js'
import { oneIn } from '../support/long.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

/** What `check` says of a directory, and `compile`, anew and again, which must be the same. */
async function told(cwd: string): Promise<string[]> {
  const lines: string[][] = []
  for (const work of [check, compile, compile]) {
    const { diagnostics } = await work({ cwd, paths: ['skills'] })
    lines.push(
      diagnostics.map(({ name, ruleId, reason, note }) => `${name} ${ruleId}: ${reason} / ${note}`).sort(),
    )
  }
  expect(lines[1]).toEqual(lines[0])
  expect(lines[2]).toEqual(lines[0])
  return lines[0] ?? []
}

/** What is said of skills `a0`, `a1`, … with each of the bodies, besides a skill `a`. */
const toldOfAll = (bodies: readonly string[]): Promise<string[]> =>
  toldOf(
    'Do it.\n',
    Object.fromEntries(bodies.map((body, at) => [`skills/a${at}.skill.md`, skill(`a${at}`, body)])),
  )

const toldOf = (body: string, more: Tree = {}): Promise<string[]> =>
  told(makeTree({ 'skills/a.skill.md': skill('a', body), 'skills/notes.md': '# Notes\n', ...more }))

describe('what does nothing in a directive of the library', () => {
  it('is told', async () => {
    const slips: [body: string, said: string, line?: number][] = [
      [':skill[a]{shw=description}', 'the directive "skill" has no attribute "shw" / Did you mean "show"?'],
      [
        '::include[notes.md]{line=1}',
        'the directive "include" has no attribute "line" / Did you mean "lines"?',
      ],
      [
        '::include[notes.md]{from=1}',
        'the directive "include" has no attribute "from" / It has only "lines", "section".',
      ],
      [':tools[x]{sort=yes}', 'the directive "tools" has no attribute "sort" / It has only "library".'],
      [':value[arg.x]', 'the path "arg.x" leads to no value of a call / Did you mean "args"?'],
      [
        ':value[city]',
        'the path "city" leads to no value of a call / A path begins with one of args, locals, nonlocals, run, config, env: `args.city`.',
      ],
      [
        ':::if{path=local.x}\ny\n:::',
        'the path "local.x" leads to no value of a call / Did you mean "locals"?',
      ],
      [
        '::::if{path=args.x}\n:::each{path=argz.x}\ny\n:::\n::::',
        'the path "argz.x" leads to no value of a call / Did you mean "args"?',
        6,
      ],
    ]
    expect(await toldOfAll(slips.map(([body]) => body))).toEqual(
      slips.map(([, said, line = 5], at) => {
        const expected = said.charAt(0).toUpperCase() + said.slice(1)
        return `skills/a${at}.skill.md:${line}:1 directive-idle: ${expected}`
      }),
    )
  })

  it('is none of these', async () => {
    const sound = [
      ':value[args.x]{default=y} :value[env.X] :value[args] :value[locals["x"]] :value[${args.root}.x]',
      '::include[notes.md]{lines=1}\n\n:::each{path=args.x as=y}\n:value[locals.y]\n:::\n\n:::if{path=run.id equals=a}\nx\n:::\n',
      'In code: `:value[city]`, and as text: \\:value[city].',
    ]
    expect(await toldOfAll(sound)).toEqual([])
  })

  it('is not told of a directive of the project that has the name', async () => {
    const own = `export const frontmatter = { name: 'value', description: 'x', metadata: { tags: ['meta-directive-inline'] } }
export default (ctx, { arg }) => arg
`
    expect(await toldOf(':value[city]{unit=km}', { 'skills/value.skill.js': own })).toEqual([])
  })

  it('knows the directives that the library has', async () => {
    const runtime = createRuntime({ paths: [] })
    for (const name of Object.keys(LIBRARY_ATTRIBUTES)) {
      const tags = (await runtime.findTool(name))?.frontmatter.tags ?? []
      expect(
        tags.some(tag => tag.startsWith('meta-directive-')),
        name,
      ).toBe(true)
    }
  })
})

describe('what reads like `:::else` in a block `:::if`', () => {
  const said = (written: string): string =>
    `\`${written}\` is text here, and does not begin the other branch of \`:::if\` / Did you mean \`:::else\`? It must be alone on its line.`

  it('is told', async () => {
    const branches = [
      [':::esle', ':::esle'],
      [':::Else', ':::Else'],
      [':::ELSE', ':::ELSE'],
      [':::els', ':::els'],
      ['::else', '::else'],
      ['::::elsee', '::::elsee'],
      [':::else{path=args.y}', ':::else'],
      [':::else it is not', ':::else'],
    ] as const
    const bodies = branches.map(([line]) => `:::if{path=args.x}\nyes\n${line}\nno\n:::\n`)
    expect(await toldOfAll(bodies)).toEqual(
      branches.map(([, written], at) => `skills/a${at}.skill.md:7:1 directive-idle: ${said(written)}`),
    )
  })

  it('is told in a quote, and in a block inside', async () => {
    const body = '> ::::if{path=args.x}\n> :::each{path=args.y}\n> a\n> :::\n>\n> ::::esle\n> b\n> ::::\n'
    expect(await toldOf(body)).toEqual([`skills/a.skill.md:10:3 directive-idle: ${said('::::esle')}`])
  })

  it('is told where the file is included', async () => {
    const more = { 'skills/part.md': ':::if{path=args.x}\na\n:::esle\nb\n:::\n' }
    const place = 'In part.md:3:1, which it includes, '
    expect(await toldOf('::include[part.md]', more)).toEqual([
      `skills/a.skill.md:5:1 directive-idle: ${place}${said(':::esle')}`,
    ])
  })

  it.each(
    oneIn(2, [
      ':::if{path=args.x}\na\n:::else\nb\n:::\n',
      '::::if{path=args.x}\n:::note\na\n:::\n::::\n',
      ':::if{path=args.x}\n```\n:::esle\n```\n\nOr `:::esle`, \\:::esle.\n:::\n',
      ':::esle\n\n:::if{path=args.x}\na\n:::\n\n:::Else\n',
      ':::each{path=args.x}\n::else\n:::\n',
    ]),
  )('is not %j', async body => {
    expect(await toldOf(body)).toEqual([])
  })

  it('is not a directive of that name', async () => {
    const own = `export const frontmatter = { name: 'elsa', description: 'x', metadata: { tags: ['meta-directive-block'] } }
export default () => ''
`
    const body = ':::if{path=args.x}\n::elsa[x]\n:::\n'
    expect(await toldOf(body, { 'skills/elsa.skill.js': own })).toEqual([])
  })
})

describe('a fault in a file that is included', () => {
  it('is told where the file is included, with its own place', async () => {
    const cwd = makeTree({
      'skills/a.skill.md': skill('a', 'Text.\n\n::include[parts/one.md]\n'),
      'skills/parts/one.md': 'One.\n\n::include[two.md]\n',
      'skills/parts/two.md': 'Two :skill[gone], :value[city].\n',
    })
    const place = (rule: string) => `skills/a.skill.md:7:1 ${rule}: In parts/two.md:1:`
    expect(await told(cwd)).toEqual([
      expect.stringContaining(`${place('directive-failed')}5, which it includes, there is no skill "gone"`),
      expect.stringContaining(`${place('directive-idle')}19, which it includes, the path "city" leads to`),
    ])
    writeFileSync(join(cwd, 'skills/parts/two.md'), 'Two :skill[a].\n')
    expect(await told(cwd)).toEqual([])
  })

  it('is told in its place in the skill that includes it: a block that is never closed', async () => {
    const cwd = makeTree({
      'skills/a.skill.md': skill('a', 'Text.\n\n::include[parts/one.md]\n'),
      'skills/parts/one.md': 'One.\n\n\n\n\n  ::include[two.md]\n',
      'skills/parts/two.md': ':::if{path=args.x}\n',
    })
    expect(await told(cwd)).toEqual([
      expect.stringContaining(
        'skills/a.skill.md:7:1 directive-invalid: In parts/two.md:1:1, which it includes, the block',
      ),
    ])
  })
})

describe('a tag that is nearly a directive’s', () => {
  const tagged = (tag: string): Promise<string[]> =>
    toldOf('', { 'skills/b.skill.md': `---\nname: b\ndescription: x\nmetadata: { tags: [${tag}] }\n---\n` })

  it.each(['meta-directive-inlin', 'meta-directive-blok', 'meta-directve-block'])('%s', async tag => {
    expect(await tagged(tag)).toContainEqual(
      expect.stringMatching(
        /^skills\/b.skill.md:4:20 tag-near: .* makes no directive \/ If you meant "meta-/,
      ),
    )
  })

  it.each(['meta-directive-inline', 'meta-directive-card', 'directive-block'])('%s is none', async tag => {
    expect(await tagged(tag)).toEqual([])
  })
})
