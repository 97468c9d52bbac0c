import { describe, expect, it } from 'vitest'
import { runCode } from '../support/processes.js'
import { makeTree, skill } from '../support/tree.js'

const frontmatter = (yaml: string): string => `---\nname: bad\ndescription: Bad.\n${yaml}\n---\nBody.\n`
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

/** Inputs that are meant to take a reader down. What they do to it is measured in a process of its own. */
const HOSTILE: Record<string, string> = {
  'an alias bomb of mappings': frontmatter(
    bomb((name, of) => `  ${name}: &${name} { a: *${of}, b: *${of}, c: *${of} }`),
  ),
  'an alias bomb of lists': frontmatter(
    bomb(
      (name, of) => `  ${name}: &${name} [*${of}, *${of}, *${of}, *${of}, *${of}, *${of}, *${of}, *${of}]`,
    ),
  ),
  'an alias bomb of anchors that begin with *': frontmatter(
    bomb((name, of) => `  ${name}: &*${name} [${Array(8).fill(`**${of}`).join(', ')}]`),
  ).replace('&l0', '&*l0'),
  'an alias bomb after a comment that ends with CR': frontmatter(
    bomb((name, of) => `  ${name}: # see\r    &${name} [${Array(8).fill(`*${of}`).join(', # and\r    ')}]`),
  ),
  '4 KB of [': frontmatter(`a: ${'['.repeat(4_096)}`),
  '64 KB of [': frontmatter(`a: ${'['.repeat(65_000)}`),
  '64 KB of [ and ]': frontmatter(`a: ${nested(32_000)}`),
  '1 MB of [, never closed': `---\nname: bad\na: ${'['.repeat(1_000_000)}`,
  '64 KB of {': frontmatter(`a: ${'{a: '.repeat(16_000)}`),
  'deep blocks': frontmatter(
    `a:\n${Array.from({ length: 350 }, (_, depth) => `${' '.repeat(depth + 1)}a:`).join('\n')}`,
  ),
  'deep lists': frontmatter(`a:\n  ${'- '.repeat(30_000)}x`),
  '40,000 keys': `---\nname: bad\n${Array.from({ length: 40_000 }, (_, index) => `k${index}: 1`).join('\n')}\n---\n`,
  '8,000 keys': frontmatter(Array.from({ length: 8_000 }, (_, index) => `k${index}:`).join('\n')),
  'a huge plain scalar': frontmatter(`license: ${'word '.repeat(13_000)}`),
  'a huge quoted scalar': frontmatter(`license: "${'\\u0041'.repeat(10_000)}"`),
  'a huge block scalar': frontmatter(`license: |\n${'  line\n'.repeat(9_000)}`),
  'a huge folded scalar': frontmatter(`license: >\n${'  line\n\n'.repeat(8_000)}`),
  'a scalar of many lines': frontmatter(`license: a\n${'  b\n'.repeat(16_000)}`),
  'a key of spaces': frontmatter(`a${' '.repeat(60_000)}b: x`),
  'lines of spaces': frontmatter(`license: a\n${`${' '.repeat(1_000)}\n`.repeat(60)}`),
  'many comments': frontmatter('# #\n'.repeat(16_000)),
  'many wrong fields': frontmatter(Array.from({ length: 950 }, (_, index) => `licens${index}: x`).join('\n')),
  'many near keys': frontmatter(
    `metadata:\n${Array.from({ length: 36 * 25 }, (_, index) => `  delegate${index.toString(36)}: ${'x'.repeat(40)}`).join('\n')}\n  delegat: x`,
  ),
  'many reserved tags': frontmatter(`metadata:\n  tags: [${'meta-a, '.repeat(8_000)}]`),
  'many wrong tools': frontmatter(`allowed-tools: [${'1, '.repeat(20_000)}]`),
  'many colons to repair': frontmatter(
    Array.from({ length: 900 }, (_, index) => `k${index}: a: b ${'x'.repeat(50)}`).join('\n'),
  ),
  'very many colons to repair': frontmatter(
    Array.from({ length: 6_000 }, (_, index) => `k${index}: a: b`).join('\n'),
  ),
  'one value of many colons': frontmatter(`license: ${'a: '.repeat(20_000)}`),
  'many skills in one file': '---\nname: a\n---\n\n'.repeat(14_000),
  'many broken skills in one file': '---\nname: "\n---\n\n'.repeat(14_000),
  'many fences': `---\nname: bad\n---\n${'\n---\n'.repeat(50_000)}`,
  'many fences with words': `---\nname: bad\n---\n${'\n---\nname: x\n---x\n'.repeat(14_000)}`,
  'many code fences': `---\nname: bad\n---\n${'```\n````\n'.repeat(25_000)}`,
  'combining marks': skill('bad', `\u200B\u0915${'\u093E'.repeat(85_000)}`),
  joiners: skill('bad', '\u0915\u200D'.repeat(40_000)),
  emoji: skill('bad', `\u200B${'👨\u200D👩\u200D👧\u200D'.repeat(12_000)}`),
  'tag characters': skill('bad', '\u{E0041}x'.repeat(50_000)),
  'regional indicators': skill('bad', `\u200B${'🇩'.repeat(60_000)}`),
  'replacement characters': skill('bad', '\uFFFD'.repeat(80_000)),
  'line ends': skill('bad', '\r\n'.repeat(120_000)),
}

function bomb(level: (name: string, of: string) => string): string {
  const levels = Array.from({ length: 26 }, (_, index) => level(`l${index + 1}`, `l${index}`))
  return ['metadata:', '  l0: &l0 [x]', ...levels].join('\n')
}

/**
 * Milliseconds of processor time. 2,000 are promised of a quiet machine; what runs beside a test on the same core can double
 * its processor time.
 */
const DEADLINE = 4_000

describe('hostile files take no time and harm nobody', () => {
  it.each(Object.entries(HOSTILE))('%s', (_, text) => {
    const dir = makeTree({ 'a-good/SKILL.md': skill('a-good'), 'bad/SKILL.md': text, 'bad.skill.md': text })
    const answer = JSON.parse(
      runCode(MEASURE, { SKILLS: dir, NODE_OPTIONS: '--max-old-space-size=128' }),
    ) as Record<string, number> & { good: string }
    expect(answer.good).toBe('Do a-good.\n')
    for (const way of ['compiled', 'read', 'validated', 'fixed'])
      expect.soft(answer[way], way).toBeLessThan(DEADLINE)
  })
})

/** Compiles, reads without an index, validates and fixes, and says how long each took. */
const MEASURE = `
  import { check, compile } from 'agent-apps/compiler'
  import { createRuntime } from 'agent-apps/runtime'
  const paths = [process.env.SKILLS]
  const time = async work => {
    const start = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(start)
    return Math.round((user + system) / 1000)
  }
  const runtime = createRuntime({ paths, freshness: 'check' })
  const read = await time(() => runtime.listTools())
  const compiled = await time(() => compile({ paths }))
  const validated = await time(() => check({ paths, spec: true }))
  const fixed = await time(() => check({ paths, fix: true }))
  console.log(JSON.stringify({ read, compiled, validated, fixed, good: await runtime.render('a-good') }))
`
