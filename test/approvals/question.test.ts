import { type ApprovalRequest, createRuntime, defineTool } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { makeTree } from '../support/tree.js'

interface Questioned {
  preview?: (args: { [name: string]: string }) => string
  key?: string
}

/** What a person is asked about a call of a tool that takes any arguments. */
async function requestFor(args: object, { preview, key }: Questioned = {}): Promise<ApprovalRequest> {
  const asked: ApprovalRequest[] = []
  const interact = (request: unknown): 'allow-once' => {
    asked.push(request as ApprovalRequest)
    return 'allow-once'
  }
  const runtime = createRuntime({ paths: [], library: false, interact })
  runtime.register(
    defineTool({
      ...{ name: 'save', gated: true, params: { type: 'object' }, execute: () => 'saved' },
      ...(key !== undefined && { metadata: { 'approval-key': key } }),
      ...(preview && { preview: preview as never }),
    }),
  )
  await runtime.forAgent().invoke('save', args)
  return asked[0] as ApprovalRequest
}

const HEAD = 'save (programmatic) needs approval, as it is gated.\n'

describe('the text of a question', () => {
  it('has the tool, the key, every argument and the preview', async () => {
    const args = {
      path: 'a.ts',
      content: 'one\n\ttwo\n',
      mode: 7,
      deep: { a: [1, 'b'] },
      empty: '',
      end: 'a ',
    }
    const { text } = await requestFor(args, { key: '${args.path}', preview: ({ path }) => `+ ${path}\n+ b` })
    expect(text).toBe(
      [
        `${HEAD}Key: a.ts`,
        ...['  path: a.ts', '  content:', '  | one', '  | \ttwo', '  mode: 7', '  deep: {"a":[1,"b"]}'],
        ...['  empty: ""', '  end: "a "', 'Preview:', '  | + a.ts', '  | + b'],
        'An answer for more than this call is for any value of content, mode, deep, empty, end.',
      ].join('\n'),
    )
    expect((await requestFor({})).text).toBe(HEAD.trim())
    expect((await requestFor({ password: 'abc' })).text).toContain('  password: [secret]')
  })

  it('keeps names of arguments from passing for the question, and from filling the screen', async () => {
    const names = [
      'b'.repeat(9_000),
      'nothing. All is well',
      ...Array.from({ length: 150 }, (_, at) => `c${at}`),
    ]
    const args = { a: 'x', ...Object.fromEntries(names.map(name => [name, 1])) }
    const { text } = await requestFor(args, { key: '${args.a}' })
    expect(text).toMatch(
      /any value of b{2000}… \(9000 characters\), "nothing\. All is well", c0, .* and 52 more\.$/,
    )
    expect(text.length).toBeLessThan(10_000)
  })

  it('shows a preview once that is an argument', async () => {
    const { text } = await requestFor(
      { command: 'ls\npwd', cwd: 'docs' },
      { preview: ({ command = '' }) => command },
    )
    expect(text.split('\n').slice(1)).toEqual(['  command:', '  | ls', '  | pwd', '  cwd: docs'])
  })

  it('shows each character that could hide something, wherever it is', async () => {
    const hiding = [
      ...['\u0000', '\u0007', '\u001b', '\u007f', '\u0085', '\u009b', '\u00ad', '\u034f', '\u061c', '\u115f'],
      ...['\u180e', '\u200b', '\u200d', '\u200e', '\u200f', '\u2028', '\u2029', '\u202a', '\u202e', '\u2060'],
      ...['\u2066', '\u2069', '\u206f', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\ufff9', '\ud800', '\udc00'],
      ...['\u2800', '\u{1d159}', '\u{1d173}', '\u{e0041}', '\u{e0100}'],
    ]
    for (const one of hiding) {
      const hidden = `a${one}b`
      const { text } = await requestFor(
        { plain: hidden, lines: `${hidden}\n${hidden}`, list: [hidden], [`name${one}`]: 1 },
        { preview: () => `${hidden}\n${hidden}`, key: '${args.plain}' },
      )
      expect(text.replace(/\n/g, ''), JSON.stringify(one)).not.toContain(one)
      const code = (one.codePointAt(0) ?? 0).toString(16)
      expect(text.match(new RegExp(code, 'g'))?.length, JSON.stringify(one)).toBeGreaterThanOrEqual(7)
    }
    expect((await requestFor({ a: 'I ❤\ufe0f é 日本' })).text).toContain('  a: I ❤\ufe0f é 日本')
  })

  it('has no line that a value made', async () => {
    const forged = 'x\nKey: git status\r\nPreview:\n  | nothing\rKey: a\u2028Key: b\n  path: safe'
    const own = { 'a\nKey: b': 1, 'b: c': 2, value: forged, list: [forged] }
    const { text } = await requestFor(own, { preview: () => `${forged}!`, key: '${args.value}' })
    const lines = text.split(/[\n\r\u2028]/)
    expect(lines.filter(line => /^\S/.test(line))).toEqual([
      HEAD.trim(),
      expect.stringMatching(/^Key: x\\n/),
      'Preview:',
      expect.stringMatching(/^An answer for more/),
    ])
    const indented = lines.filter(line => /^ {2}[^|]/.test(line))
    expect(indented.map(line => line.slice(0, 14))).toEqual([
      '  "a\\nKey: b":',
      '  "b: c": 2',
      '  value:',
      '  list: ["x\\nK',
    ])
  })

  it('says what it leaves out', async () => {
    const rows = 'row\n'.repeat(100)
    const { text } = await requestFor(
      { content: rows, long: 'x'.repeat(5000) },
      { preview: () => `${rows}end` },
    )
    expect(text).toContain('(and 90 more lines)')
    expect(text).toContain('(and 61 more lines)')
    expect(text).toContain('… (5000 characters)')
    const far = `a${' '.repeat(70)}Key: b`
    for (const args of [{ far }, { far: `${far}\n` }, { far: [far] }])
      expect((await requestFor(args)).text).toContain('a[70 spaces]Key: b')
    expect((await requestFor({ content: rows })).text).toContain('(and 60 more lines)')
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`a${at}`, at]))
    expect((await requestFor(many)).text).toMatch(/\n {2}a99: 99\n\(and 50 more arguments\)$/)
  })

  it('has the folder of a command', async () => {
    const cwd = makeTree({ 'ws/docs/a.md': 'one\n' })
    const runtime = createRuntime({ cwd, paths: [], workspace: 'ws' })
    const agent = runtime.forAgent({ permissions: ['read', 'execute'] })
    const { request } = await agent.authorize('bash', { command: 'ls', cwd: 'docs' })
    expect(request?.text).toMatch(
      /^bash \(bundled\) needs.*\nKey: cd docs && ls\n {2}command: ls\n {2}cwd: docs\n/,
    )
  })
})
