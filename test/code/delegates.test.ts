import { join } from 'node:path'
import { createRuntime, isAgentAppsError } from 'agent-apps'
import { check, compile, type Message } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { type Call, codeSkills, shown, threeWays } from '../support/code-project.js'
import { oneIn } from '../support/long.js'
import { makeTree, skill, type Tree, writeTree } from '../support/tree.js'

const HANDLER = 'export default async (ctx, args) => ({ handled: args ?? null })\n'
const delegating = (name: string, delegate: string, body = 'Body.\n'): string =>
  skill(name, body, `metadata:\n  delegate: ${JSON.stringify(delegate)}\n  params: { type: object }\n`)
const base64 = (text: string): string => `inline://base64,${Buffer.from(text).toString('base64')}`
const GREET = 'inline://code,export default async function(ctx, { name }) { return `Hello, \\${name}!`; }'

describe('delegates: the same from disk, from the index and from modules alone', () => {
  const cases: Record<string, { files: Tree; calls: Call[]; results: unknown[] }> = {
    'a tool by name': {
      files: { 'a.skill.md': delegating('a', 'target'), 'target.skill.js': TARGET('target') },
      calls: [['a', { x: 1 }]],
      results: [{ target: { x: 1 } }],
    },
    'a Markdown tool by name': {
      files: { 'a.skill.md': delegating('a', 'text'), 'text/SKILL.md': skill('text', 'The text.\n') },
      calls: [['a']],
      results: ['The text.\n'],
    },
    'a skill by path, from a nested folder': {
      files: {
        'deep/er/SKILL.md': delegating('er', '../target.skill.ts'),
        'deep/target.skill.ts': TARGET('target'),
        'deep/pair.skill.md': delegating('pair', './several.skill.js#second'),
        'deep/several.skill.js': `import { defineTool } from 'agent-apps'
export const one = defineTool({ name: 'first', description: 'x', execute: () => 1 })
export const two = defineTool({ name: 'second', description: 'x', execute: () => 2 })\n`,
      },
      calls: [['er', { x: 1 }], ['pair']],
      results: [{ target: { x: 1 } }, 2],
    },
    'a plain module': {
      files: {
        'a.skill.md': delegating('a', './lib/handler.js'),
        'b/SKILL.md': delegating('b', '../lib/handler.js'),
        'c/d/SKILL.md': delegating('d', './scripts/run.ts'),
        'e.skill.md': delegating('e', 'handler.mjs'),
        'handler.mjs': HANDLER,
        'lib/handler.js': HANDLER,
        'c/d/scripts/run.ts': 'export default (ctx: unknown, args: unknown): unknown => ({ run: args })\n',
      },
      calls: [
        ['a', { x: 1 }],
        ['b', { x: 2 }],
        ['d', { x: 3 }],
        ['e', { x: 4 }],
      ],
      results: [{ handled: { x: 1 } }, { handled: { x: 2 } }, { run: { x: 3 } }, { handled: { x: 4 } }],
    },
    'a plain module that exports a defined tool': {
      files: {
        'a.skill.md': delegating('a', './lib/tool.ts'),
        'lib/tool.ts': `import { defineTool } from 'agent-apps'\nexport default defineTool({ name: 'inner', params: { type: 'object' }, execute: (args) => args })\n`,
      },
      calls: [['a', { x: 1 }]],
      results: [{ x: 1 }],
    },
    'inline code, Markdown and base64': {
      files: {
        'greet.skill.md': delegating('greet', GREET),
        'text.skill.md': delegating('text', 'inline://markdown,---\nname: x\n---\nDo the thing.'),
        'coded.skill.md': delegating(
          'coded',
          'inline://base64,aW5saW5lOi8vY29kZSxleHBvcnQgZGVmYXVsdCBhc3luYyBmdW5jdGlvbihjdGgsIHsgbmFtZSB9KSB7IHJldHVybiBgSGVsbG8sICR7bmFtZX0hYDsgfQ==',
        ),
        'twice.skill.md': delegating('twice', base64(base64('inline://markdown,---\nname: y\n---\nTwice.'))),
      },
      calls: [['greet', { name: 'Ann' }], ['text'], ['coded', { name: 'Bo' }], ['twice']],
      results: ['Hello, Ann!', 'Do the thing.', 'Hello, Bo!', 'Twice.'],
    },
    'inline code that imports a file beside the skill': {
      files: {
        'deep/a.skill.md': delegating('a', "inline://code,export { default } from './lib.js'"),
        'deep/lib.js': HANDLER,
      },
      calls: [['a', { x: 1 }]],
      results: [{ handled: { x: 1 } }],
    },
    'a tool that itself delegates': {
      files: {
        'a.skill.md': delegating('a', 'b'),
        'b.skill.md': delegating('b', './c.skill.md'),
        'c.skill.md': skill('c', 'C.\n'),
      },
      calls: [['a']],
      results: ['C.\n'],
    },
  }
  it.each(oneIn(4, Object.entries(cases)))('%s', async (_, { files, calls, results }) => {
    const { dir } = codeSkills(files)
    // Markdown is read from its file, so that modules alone do for delegates that are code.
    const isMarkdown = results.some(result => result === 'The text.\n' || result === 'C.\n')
    const { disk, index, modules, diagnostics } = await threeWays(dir, calls)
    expect(diagnostics.map(shown)).toEqual([])
    for (const answer of isMarkdown ? [disk, index] : [disk, index, modules])
      expect(answer.results).toEqual(results.map(result => ({ result })))
    for (const { parser } of [index, modules]) expect(parser).not.toBe('loaded')
  })
})

describe('delegates that lead nowhere', () => {
  const cases: Record<string, [delegate: string, problem: RegExp]> = {
    'a file that is not there': ['./absent.js', /no such file/],
    'a file of another kind': ['./note.txt', /neither a skill nor/],
    'an unknown inline kind': ['inline://shell,rm', /none of code, markdown and base64/],
    'no inline kind': ['inline://', /form/],
    'base64 that is none': ['inline://base64,???', /base64/],
    'base64 too deep': [Array(9).fill(0).reduce<string>(base64, 'inline://code,1'), /8 times/],
    'code that is none': ['inline://code,export default (', /./],
    'inline Markdown without a name': ['inline://markdown,Text.', /./],
    'a module that imports what is not there': ['./broken.js', /absent/],
    'an empty text': ['', /empty/],
  }
  it.each(oneIn(3, Object.entries(cases)))('%s', async (_, [delegate, problem]) => {
    const { dir } = codeSkills({
      'a.skill.md': delegating('a', delegate),
      'note.txt': 'Text.',
      'broken.js': "import './absent.js'\nexport default () => 1\n",
      'sound.skill.js': TARGET('sound'),
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(shown)).toEqual(['a.skill.md:5:13 delegate-invalid error'])
    expect(diagnostics[0]?.reason).toMatch(problem)
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect(await runtime.invoke('sound')).toEqual({ target: {} })
    expect(await runtime.invoke('a').catch((error: unknown) => error)).toBeInstanceOf(Error)
  })

  it('a missing tool is told when it is called', async () => {
    const { dir } = codeSkills({ 'a.skill.md': delegating('a', 'absent') })
    await check({ paths: [dir] })
    const failure = await createRuntime({ paths: [dir] })
      .invoke('a')
      .catch((error: unknown) => error)
    expect(isAgentAppsError(failure) && failure.code).toBe('TOOL_NOT_FOUND')
  })
})

describe('delegates by absolute path', () => {
  it('a module of the project, from disk and compiled', async () => {
    const { root, dir } = codeSkills({ 'target.skill.js': TARGET('target') })
    writeTree(root, {
      'skills/deep/a.skill.md': delegating('a', join(root, 'lib/handler.js')),
      'skills/deep/b.skill.md': delegating('b', join(dir, 'target.skill.js')),
      'lib/handler.js': HANDLER,
    })
    for (const via of ['disk', 'index']) {
      if (via === 'index') expect((await compile({ paths: [dir] })).diagnostics).toEqual([])
      const runtime = createRuntime({ paths: [dir], library: false })
      expect(await runtime.invoke('a', { x: 1 })).toEqual({ handled: { x: 1 } })
      expect(await runtime.invoke('b', { x: 1 })).toEqual({ target: { x: 1 } })
      expect((await runtime.findTool('a'))?.origin.via).toBe(via)
    }
    expect(await compile({ paths: [dir] })).toMatchObject({ written: [], diagnostics: [] })
  })

  it('a module of somebody else’s is refused', async () => {
    const outside = makeTree({ 'handler.js': HANDLER })
    const { dir } = codeSkills({ 'a.skill.md': delegating('a', join(outside, 'handler.js')) })
    const failure = await createRuntime({ paths: [dir] })
      .invoke('a')
      .catch((error: unknown) => error)
    expect(isAgentAppsError(failure) && failure.code).toBe('TOOL_BROKEN')
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(shown)).toEqual(['a.skill.md:5:13 delegate-invalid error'])
    expect(diagnostics[0]?.reason).toMatch(/lies outside the project/)
  })
})

describe('code whose default export is not a function', () => {
  const WRONG: [code: string, problem: RegExp][] = [
    ['export const other = () => 1', /no default export/],
    ['export default 42', /no function as default export/],
    ['export default { run: () => 1 }', /no function as default export/],
    ['const list = [1]; export { list as default }', /no function as default export/],
  ]
  it.each(oneIn(3, WRONG))('%s', async (code, problem) => {
    const { dir } = codeSkills({
      'a.skill.md': delegating('a', './a.js'),
      'a.js': code,
      'b.skill.md': delegating('b', `inline://code,${code}`),
      'c.skill.md': delegating('c', './c.ts'),
      'c.ts': `type Text = string\n${code}`,
    })
    for (const work of [check, compile, compile]) {
      const { diagnostics } = await work({ paths: [dir], cwd: dir })
      expect(diagnostics.map(shown)).toEqual(
        ['a', 'b', 'c'].map(name => `${name}.skill.md:5:13 delegate-invalid error`),
      )
      for (const { reason } of diagnostics) expect(reason).toMatch(problem)
    }
    const runtime = createRuntime({ paths: [dir] })
    for (const ref of ['a', 'b', 'c', `inline://code,${code}`]) {
      const failure = await runtime.invoke(ref, {}).catch((error: unknown) => error)
      expect(isAgentAppsError(failure) && failure.code).toBe('TOOL_BROKEN')
      expect((failure as Error).message).toMatch(/^The default export of .* is not a function\.$/)
    }
  })

  it.each(
    oneIn(2, [
      ['module.exports = () => 1', '.cjs'],
      ["export { default } from './lib.js'", '.js'],
      ["import lib from './lib.js'\nexport default lib", '.js'],
      ['export default class extends Function {}', '.js'],
      ['const make = () => () => 1\nexport default make()', '.js'],
      ['let later\nlater = () => 1\nexport { later as default }', '.js'],
    ]),
  )('what may be one is none of it: %s', async (code, ending) => {
    const { dir } = codeSkills({
      'a.skill.md': delegating('a', `./a${ending}`),
      [`a${ending}`]: code,
      'lib.js': HANDLER,
    })
    for (const work of [check, compile]) expect((await work({ paths: [dir] })).diagnostics).toEqual([])
  })
})

describe('delegates to tools', () => {
  const delegates = ({ diagnostics }: { diagnostics: Message[] }): string[] =>
    diagnostics.map(message => `${shown(message)}: ${message.reason} / ${message.note}`)

  it('a circle is told at each of its delegates, compiled anew or not', async () => {
    const { dir } = codeSkills({
      'a.skill.md': delegating('a', 'b'),
      'b.skill.md': delegating('b', './deep/c'),
      'deep/c/SKILL.md': delegating('c', '../../a.skill.md#a'),
      'into.skill.md': delegating('into', 'a'),
      'self.skill.md': delegating('self', 'self'),
      'sound.skill.md': delegating('sound', 'target'),
      'target.skill.js': TARGET('target'),
    })
    const told = [
      'a.skill.md:5:13 delegate-invalid error: The delegate "b" cannot be used: it leads back here: a → b → c → a',
      'b.skill.md:5:13 delegate-invalid error: The delegate "./deep/c" cannot be used: it leads back here: b → c → a → b',
      'deep/c/SKILL.md:5:13 delegate-invalid error: The delegate "../../a.skill.md#a" cannot be used: it leads back here: c → a → b → c',
      'self.skill.md:5:13 delegate-invalid error: The delegate "self" cannot be used: it leads back here: self → self',
    ]
    for (const work of [check, compile, compile])
      expect(delegates(await work({ paths: [dir], cwd: dir })).map(line => line.split(' / ')[0])).toEqual(
        told,
      )
    writeTree(dir, { 'b.skill.md': delegating('b', 'target'), 'self.skill.md': skill('self') })
    expect(delegates(await compile({ paths: [dir], cwd: dir }))).toEqual([])
  })

  it('a name that nothing has is told, with the nearest', async () => {
    const { root, dir } = codeSkills({
      'a.skill.md': delegating('a', 'traget'),
      'b.skill.md': delegating('b', 'other'),
      'c.skill.md': delegating('c', 'elsewhere'),
      'd.skill.md': delegating('d', 'library'),
      'target.skill.js': TARGET('target'),
    })
    writeTree(root, { 'theirs/elsewhere.skill.md': skill('elsewhere') })
    const options = { cwd: dir, paths: ['.', { dir: '../theirs', external: true }] }
    const warning = (name: string): string =>
      `delegate-unknown warning: The delegate names an unknown tool: "${name}"`
    for (const work of [check, compile, compile]) {
      expect(delegates(await work(options))).toEqual([
        `a.skill.md:5:13 ${warning('traget')} / Did you mean "target"?`,
        `b.skill.md:5:13 ${warning('other')} / Correct the name, unless a program registers a tool of this name.`,
      ])
    }
    expect(delegates(await check({ cwd: dir, paths: ['.'] }))).toHaveLength(3)
  })

  it("somebody else's directory that is not there has no names", async () => {
    const { dir } = codeSkills({ 'a.skill.md': delegating('a', 'other') })
    const options = { cwd: dir, paths: ['.', { dir: '../theirs', external: true }] }
    for (const work of [check, compile]) expect(delegates(await work(options))).toHaveLength(1)
  })
})

function TARGET(name: string): string {
  return `export const frontmatter = { name: '${name}', description: 'Is called.', metadata: { params: { type: 'object' } } }\nexport default (ctx, args) => ({ target: args ?? null })\n`
}
