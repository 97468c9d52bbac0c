import { describe, expect, it } from 'vitest'
import { visibleJson, visibleLines, visibleText } from '../../src/policy/shown-text.js'
import { agentApps } from '../support/commands.js'
import { makeTree, skill } from '../support/tree.js'

/** Characters of C0 and C1, of bidirectional writing, of no width, and of no form of their own. */
const UNSEEN = [
  ...['\u0001', '\u001b', '\u007f', '\u0085', '\u009b', '\u00ad', '\u034f', '\u061c', '\u115f', '\u180e'],
  ...['\u200b', '\u200d', '\u200e', '\u202a', '\u202e', '\u2028', '\u2060', '\u2066', '\u2069', '\u3164'],
  ...['\ufeff', '\ufff9', '\u{e0001}', '\u{e0041}', '\u{e0100}'],
]
const RAW = new RegExp(`[${UNSEEN.join('')}]`, 'u')
/** What YAML's quotes can hold of these. */
const HIDDEN = 'a\u009bb\u202ec\u200bd\u2066e\ufeff\u{e0041}f'

const cwd = makeTree({
  'agent-apps.config.json': '{ "paths": ["./skills"] }',
  'skills/one/SKILL.md': `---\nname: one\ndescription: ${JSON.stringify(`Does ${HIDDEN}.`)}\nallowed-tools: ${JSON.stringify(`no-${HIDDEN}`)}\nmetadata:\n  more: ${JSON.stringify(HIDDEN)}\n---\nSee [it](./mi\u202ess\u200bing.md).\n`,
  'skills/two.skill.md': skill('two', `${HIDDEN}\n`),
  'skills/says.skill.js': `export const frontmatter = { name: 'says', description: 'Says.' }
export default () => ({ text: ${JSON.stringify(HIDDEN)} })
`,
})

/** All texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)])
}

describe('what the command prints', () => {
  it.each([
    ...[
      ['check', '--json'],
      ['check', '--format', 'sarif'],
      ['list', '--json'],
      ['graph', '--json'],
    ],
    ...[
      ['catalog', '--json'],
      ['catalog', '--format', 'json'],
      ['describe', 'one', '--json'],
    ],
    ...[
      ['explain', 'one', '--json'],
      ['render', 'two', '--json'],
      ['run', 'says', '--json'],
      ['run', 'says'],
    ],
    ...[
      ['compile', '--json'],
      ['compile', '--format', 'sarif'],
    ],
  ])('%s %s %s: JSON escapes what is not seen, and gives the same value', async (...args) => {
    const { stdout } = await agentApps(cwd, args)
    expect(stdout).not.toMatch(RAW)
    const texts = textsIn(JSON.parse(stdout)).join('\n')
    expect(texts).toMatch(RAW)
    expect(texts).not.toContain('\\u202e')
  })

  it.each([
    ...[['check'], ['list'], ['graph', '--format', 'dot'], ['catalog'], ['catalog', '--format', 'markdown']],
    ...[
      ['describe', 'one'],
      ['explain', 'one'],
      ['check', '--format', 'github'],
    ],
  ])('%s %s %s: makes it visible', async (...args) => {
    const { stdout, stderr } = await agentApps(cwd, args)
    expect(stdout + stderr).not.toMatch(RAW)
    // The catalog writes what turns the direction as a reference to the character.
    expect(stdout).toMatch(/(?:\\u202e|&#x202E;).*\\u200b/)
  })

  it('a text for a model keeps its lines and tabs, and emoji their form', () => {
    expect(visibleLines('a\n\tb\r\nc\rd\u0085❤️')).toBe('a\n\tb\r\nc\\u000dd\\u0085❤️')
  })

  it.each(UNSEEN.map(one => [one.codePointAt(0)?.toString(16), one]))('U+%s', (_, character) => {
    expect(visibleText(`a${character}b`)).toMatch(/^a\\u(?:[0-9a-f]{4}|\{[0-9a-f]+\})b$/)
    const json = JSON.stringify({ [`k${character}`]: `a${character}b\n` }, null, 2)
    expect(visibleJson(json)).not.toMatch(RAW)
    expect(JSON.parse(visibleJson(json))).toEqual(JSON.parse(json))
  })
})
