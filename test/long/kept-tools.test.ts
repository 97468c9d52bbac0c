import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Runtime, registerTool } from 'agent-apps'
import { type CompileOptions, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { rewriteIndex, type WrittenIndex } from '../support/poisoned-index.js'
import { ROOT } from '../support/processes.js'
import { layOut, samples } from '../support/sample.js'
import { temporary } from '../support/temporary.js'
import { skill, type Tree, writeTree } from '../support/tree.js'

const CODE = (name: string, body: string, metadata: object = {}): string =>
  `export const frontmatter = ${JSON.stringify({ name, description: `Is ${name}.`, metadata })}\nexport default async (ctx, args) => {\n${body}\n}\n`

interface Kept {
  runtime: Runtime
  /** The names of all tools that the bundle has, the library's among them. */
  names: string[]
}

/** A project's bundle without its sources. */
async function bundleOf(tree: Tree, options: CompileOptions): Promise<Kept> {
  const { root } = codeProject(tree)
  await compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs', ...options })
  rmSync(join(root, 'skills'), { recursive: true })
  const { runtime } = (await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)) as { runtime: Runtime }
  return { runtime, names: await namesOf(runtime) }
}

const LIBRARY = readdirSync(join(ROOT, 'skills')).flatMap(file => /^(.+)\.skill\.ts$/.exec(file)?.[1] ?? [])

/** The names that find a tool: what the library hides is in no list. */
async function namesOf(runtime: Runtime): Promise<string[]> {
  const listed = (await runtime.listTools()).map(({ name }) => name)
  const found = await Promise.all(['library', ...LIBRARY].map(name => runtime.findTool(name)))
  return [...new Set([...listed, ...found.flatMap(tool => tool?.name ?? [])])].sort()
}

/** The names that `--keep one` keeps of a tree. */
const kept = async (tree: Tree, keep = ['one']): Promise<string[]> => (await bundleOf(tree, { keep })).names

/** What comes of a call, be that an error. */
const outcome = (call: Promise<unknown>): Promise<unknown> =>
  call.catch(({ code, message, hint, file, line, column, tool }) => ({
    ...{ code, message, hint, file, line, column, tool },
  }))

/** What a program is told by the whole bundle of a project, and by that with `--keep pay`. */
async function inBoth(
  tree: Tree,
  ask: (runtime: Runtime) => Promise<unknown>,
): Promise<{ all: unknown; kept: unknown }> {
  const { root } = codeProject(tree)
  const hasOthers = Object.keys(tree).some(path => path.startsWith('team/'))
  if (hasOthers) await compile({ cwd: root, paths: ['team'] })
  const paths = ['skills', ...(hasOthers ? [{ dir: 'team', external: true }] : [])]
  const told = async (file: string, keep?: string[]): Promise<unknown> => {
    await compile({ cwd: root, paths, bundle: file, keep })
    const { runtime } = await import(pathToFileURL(join(root, file)).href)
    return outcome(ask(runtime))
  }
  return { all: await told('all/agent.mjs'), kept: await told('kept/agent.mjs', ['pay']) }
}

const MIDDLEWARE = (name: string): Tree => ({
  [`skills/${name}.skill.js`]: CODE(name, '', { role: 'middleware' }),
})
const OTHERS: Tree = {
  'skills/lint.skill.md': skill('lint'),
  'skills/db-query.skill.js': CODE('db-query', 'return 1', { tags: ['data'] }),
  'skills/db-drop.skill.js': CODE('db-drop', 'return 2'),
  ...MIDDLEWARE('unused-mw'),
  'skills/shout.skill.js': CODE('shout', 'return args.arg.toUpperCase()', {
    tags: ['meta-directive-inline'],
  }),
}

describe('what `keep` keeps', () => {
  it.each<[string, string[], Tree]>([
    ['nothing where nothing leads on', [], { 'skills/one.skill.md': skill('one') }],
    [
      'a delegate',
      ['lint'],
      { 'skills/one.skill.md': skill('one', 'x', 'metadata: { delegate: ./lint.skill.md }\n') },
    ],
    [
      'a base, and the library’s main skill that might have promoted something',
      ['library', 'lint'],
      { 'skills/one.skill.md': skill('one', 'x', 'metadata: { $inherit: ./lint.skill.md }\n') },
    ],
    [
      'what it requires',
      ['db-drop', 'db-query'],
      { 'skills/one.skill.md': skill('one', 'x', 'metadata: { requires-tools: "db-*" }\n') },
    ],
    [
      'what it may call',
      ['db-query', 'lint'],
      { 'skills/one.skill.md': skill('one', 'x', 'allowed-tools: "lint #data Read Bash(git:*)"\n') },
    ],
    [
      'the library’s tools that it may call',
      ['library', 'skill-describe', 'skill-list'],
      { 'skills/one.skill.md': skill('one', 'x', 'allowed-tools: $skill-*\n') },
    ],
    [
      'none by a pattern of all, of all but some, or that forbids',
      [],
      { 'skills/one.skill.md': skill('one', 'x', 'allowed-tools: "* #* $* !(lint) ** db-*($deny)"\n') },
    ],
    [
      'what its content refers to, and the directives that are in it',
      ['lint', 'library', 'shout', 'skill'],
      { 'skills/one.skill.md': skill('one', 'See :skill[lint]. :shout[now]\n') },
    ],
    [
      'what its content lists',
      ['db-drop', 'db-query', 'library', 'tools'],
      {
        'skills/one.skill.md': skill('one', 'Ask:\n\n:tools[db-*]\n'),
      },
    ],
    [
      'what its content links to',
      ['lint'],
      {
        'skills/one.skill.md': skill('one', 'See [it](lint.skill.md#how).\n'),
      },
    ],
    [
      'what a file refers to that its content includes',
      ['include', 'library', 'lint', 'skill'],
      {
        'skills/one.skill.md': skill('one', '::include[rules.txt]\n'),
        'skills/rules.txt': 'See :skill[lint].\n',
      },
    ],
    [
      'another skill that its content includes',
      ['include', 'library', 'lint'],
      { 'skills/one.skill.md': skill('one', '::include[lint.skill.md]\n') },
    ],
    [
      'middleware around it, and around that',
      ['library', 'log', 'timeout'],
      {
        'skills/one.skill.md': skill('one', 'x', 'metadata: { log: true }\n'),
        'skills/log.skill.js': CODE('log', '', { role: 'middleware', timeout: 50 }),
      },
    ],
    [
      'main skills above it, with what they promote, and not what they name',
      ['audit', 'guard', 'library', 'near', 'top'],
      {
        'skills/SKILL.md': skill(
          'top',
          'See [lint](lint.skill.md).\n',
          'allowed-tools: db-query\nmetadata: { role: main, $global: { audit: true } }\n',
        ),
        'skills/near/SKILL.md': skill('near', 'x', 'metadata: { role: main, $local: { guard: true } }\n'),
        'skills/near/one.skill.md': skill('one'),
        'skills/far/SKILL.md': skill('far', 'x', 'metadata: { role: main }\n'),
        ...MIDDLEWARE('audit'),
        ...MIDDLEWARE('guard'),
      },
    ],
    [
      'a main skill above it that promotes nothing, and none that lies elsewhere',
      ['near'],
      {
        'skills/near/SKILL.md': skill('near', 'x', 'metadata: { role: main }\n'),
        'skills/near/deep/one.skill.md': skill('one', 'x', 'metadata: { $inherit: false }\n'),
        'skills/far/SKILL.md': skill('far', 'x', 'metadata: { role: main }\n'),
      },
    ],
  ])('%s', async (_, also, tree) => {
    expect(await kept({ ...OTHERS, ...tree })).toEqual([...also, 'one'].sort())
  })

  it('follows from tool to tool, in circles too', async () => {
    const tree = {
      'skills/one.skill.md': skill('one', 'See :skill[two].\n'),
      'skills/two.skill.md': skill('two', 'x', 'allowed-tools: three\n'),
      'skills/three.skill.md': skill('three', 'See [one](one.skill.md).\n'),
      'skills/four.skill.md': skill('four', 'See [one](one.skill.md).\n'),
    }
    expect(await kept(tree)).toEqual(['library', 'one', 'skill', 'three', 'two'])
  })

  it('tells a base’s own content only where something else leads to it', async () => {
    const tree = {
      'skills/base.skill.md': skill('base', 'See [lint](lint.skill.md).\n'),
      'skills/lint.skill.md': skill('lint'),
      'skills/one.skill.md': skill('one', 'x', 'metadata: { $inherit: base }\n'),
      'skills/two.skill.md': skill('two', 'See [it](base.skill.md).\n', 'metadata: { $inherit: base }\n'),
    }
    expect(await kept(tree)).toEqual(['base', 'library', 'one'])
    expect(await kept(tree, ['one', 'two'])).toEqual(['base', 'library', 'lint', 'one', 'two'])
  })

  it('is everything by `*`, and of the library what is named', async () => {
    const tree = { 'skills/one.skill.md': skill('one') }
    const all = (await bundleOf(tree, {})).names
    expect(all).toContain('timeout')
    expect(await kept(tree, ['*'])).toEqual(all)
    expect(await kept(tree, ['one', 'limit'])).toEqual(['library', 'limit', 'one'])
  })

  it('leaves guards around what stays: chains, bases, tools that a program registers', async () => {
    const { runtime } = await bundleOf(
      {
        'skills/SKILL.md': skill('top', 'x', 'metadata: { role: main, $global: { refuse: true } }\n'),
        'skills/refuse.skill.js': CODE('refuse', 'throw new Error("refused")', { role: 'middleware' }),
        'skills/base.skill.js': CODE('base', 'return 1'),
        'skills/one.skill.md': skill('one', 'x', 'metadata: { $inherit: base, $remove: [refuse] }\n'),
      },
      { keep: ['one'] },
    )
    registerTool(runtime.globals, { name: 'own', fn: () => 1 })
    expect(await runtime.invoke('one')).toBe('x')
    await expect(runtime.invoke('base')).rejects.toThrow('refused')
    await expect(runtime.invoke('own')).rejects.toThrow('refused')
    expect(runtime.stats().cascadesComputed).toBe(1)
  })

  it('leaves the project’s main skill over what a program registers, wherever that lies', async () => {
    const { root } = codeProject({
      'skills/SKILL.md': skill('top', 'x', 'metadata: { role: main, $local: { refuse: true } }\n'),
      'skills/refuse.skill.js': CODE('refuse', 'throw new Error("refused")', { role: 'middleware' }),
      'more/one.skill.md': skill('one', 'Do one.\n', 'metadata: { $inherit: false }\n'),
    })
    await compile({ cwd: root, paths: ['skills', 'more'], bundle: 'dist/agent.mjs', keep: ['one'] })
    const { runtime } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
    registerTool(runtime.globals, { name: 'own', fn: () => 1 })
    await expect(runtime.invoke('own')).rejects.toThrow('refused')
    expect(await runtime.invoke('one')).toBe('Do one.\n')
  })

  it('follows into other directories, others’ too, and means the same tool by a name', async () => {
    const { root } = codeProject({
      'skills/one.skill.md': skill('one', 'x', "metadata: { delegate: '../more/two.skill.js' }\n"),
      'more/two.skill.js': CODE('two', 'return "more"'),
      'more/three.skill.js': CODE('three', 'return 3'),
      'theirs/two.skill.js': CODE('two', 'return "theirs"', { limit: 4 }),
      'theirs/three.skill.js': CODE('three', 'return 3'),
    })
    await compile({ cwd: root, paths: ['theirs'] })
    const paths = ['skills', 'more', { dir: 'theirs', external: true }]
    await compile({ cwd: root, paths, bundle: 'dist/agent.mjs', keep: ['one'] })
    const { runtime } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
    expect(await runtime.invoke('one')).toBe('more')
    expect(await namesOf(runtime)).toEqual(['library', 'limit', 'one', 'two'])
    expect((await runtime.findTool('two')).origin.shadows).toHaveLength(1)
  })
})

describe('what is kept of a file with several tools', () => {
  const TWO: Tree = {
    'skills/two.skill.md': `${skill('strict', 'Strict.\n')}\n${skill('lenient', 'Lenient.\n')}`,
  }
  const SHARED = {
    'team/shared.skill.md': skill('shared', 'x', 'metadata: { owner: ann }\n'),
    'skills/guard.skill.js': CODE('guard', 'throw new Error("guarded")', { role: 'middleware' }),
  }
  const PAY = (metadata: object): Tree => ({ 'skills/pay.skill.js': CODE('pay', 'return "paid"', metadata) })

  const GUARDED = expect.objectContaining({ message: 'guarded' })

  it.each<[string, Tree, unknown]>([
    [
      'a delegate',
      { ...TWO, 'skills/pay.skill.md': skill('pay', '', 'metadata: { delegate: ./two.skill.md }\n') },
      'Strict.\n\n',
    ],
    [
      'a guard’s delegate',
      {
        'skills/guard.skill.md': skill(
          'guard',
          '',
          'metadata: { role: middleware, delegate: ./checks.skill.md }\n',
        ),
        'skills/checks.skill.md': `${skill('strict', '', 'metadata: { delegate: ./strict.js }\n')}\n${skill('lenient', '', 'metadata: { delegate: ./lenient.js }\n')}`,
        'skills/strict.js': 'export default () => { throw new Error("guarded") }\n',
        'skills/lenient.js': 'export default () => {}\n',
        ...PAY({ guard: true }),
      },
      GUARDED,
    ],
    [
      'a base',
      {
        ...SHARED,
        'skills/bases.skill.md': `${skill('safe', 'x\n', 'metadata: { guard: true }\n')}\n${skill('plain')}`,
        ...PAY({ $inherit: ['./bases.skill.md', 'shared'] }),
      },
      GUARDED,
    ],
    [
      'a base that is a default export',
      {
        ...SHARED,
        'skills/bases.skill.js': `import { defineTool } from 'agent-apps'
export const alpha = defineTool({ name: 'alpha', description: 'Is alpha.', execute: () => 1 })
export default defineTool({ name: 'zeta', description: 'Is zeta.', metadata: { guard: true }, execute: () => 1 })
`,
        ...PAY({ $inherit: ['./bases.skill.js', 'shared'] }),
      },
      GUARDED,
    ],
  ])('is the first where a path means that: %s', async (_, tree, means) => {
    const pay = (runtime: Runtime) => runtime.invoke('pay')
    const { all, kept } = await inBoth(tree, pay)
    expect(all).toEqual(means)
    expect(kept).toEqual(all)
  })

  it('is no other one for who calls the path', async () => {
    const tree = { ...TWO, 'skills/pay.skill.md': skill('pay', 'See [it](two.skill.md#lenient).\n') }
    const { all, kept } = await inBoth(tree, async runtime => ({
      first: await runtime.findTool('./skills/two.skill.md').then(tool => tool?.name ?? null),
      other: await runtime.invoke('./skills/two.skill.md#lenient'),
    }))
    expect(all).toEqual({ first: 'strict', other: 'Lenient.\n' })
    expect(kept).toEqual({ first: null, other: 'Lenient.\n' })
  })
})

describe('a main skill that cannot be used', () => {
  const GUARD = {
    'skills/guard.skill.js': CODE('guard', 'throw new Error("guarded")', { role: 'middleware' }),
  }
  const PAY = { 'skills/pay.skill.js': CODE('pay', 'return "paid"') }
  const MAIN = (role: string, promoted = '$global'): string =>
    skill('boss', 'x\n', `metadata: { role: ${role}, ${promoted}: { guard: true } }\n`)
  const calls = async (runtime: Runtime): Promise<unknown> => {
    const pay = await outcome(runtime.invoke('pay'))
    registerTool(runtime.globals, { name: 'mine', fn: () => 'ran' })
    return { pay, mine: await outcome(runtime.invoke('mine')), after: await outcome(runtime.invoke('pay')) }
  }
  const invalid = expect.objectContaining({ code: 'CASCADE_INVALID' })

  it.each<[string, Tree]>([
    ['misspelt', { 'skills/SKILL.md': MAIN('mian') }],
    ['in another case', { 'skills/SKILL.md': MAIN('Main') }],
    ['a list', { 'skills/SKILL.md': MAIN('[main]') }],
    [
      'beside a sound tool of its file, its name another’s',
      {
        'skills/a.skill.md': skill('boss'),
        'skills/b.skill.md': `${MAIN('main')}\n${skill('extra')}`,
      },
    ],
    [
      'code of two tools',
      {
        'skills/m.skill.js': `import { defineTool } from 'agent-apps'
export const boss = defineTool({ name: 'boss', description: 'Is main.', metadata: { role: 'mian', $global: { guard: true } }, execute: () => 1 })
export const other = defineTool({ name: 'other', description: 'Is other.', execute: () => 1 })
`,
      },
    ],
  ])('stops what stands under it: %s', async (_, tree) => {
    const { all, kept } = await inBoth({ ...GUARD, ...PAY, ...tree }, calls)
    expect(all).toEqual({ pay: invalid, mine: invalid, after: invalid })
    expect(kept).toEqual(all)
  })

  it.each<[string, Tree]>([
    ['beside others’ directories', { 'skills/SKILL.md': MAIN('mian') }],
    ['in a folder', { 'skills/near/SKILL.md': MAIN('Main', '$local') }],
  ])('stops it where cascades are open, too: %s', async (_, tree) => {
    const pay = { 'skills/near/pay.skill.js': CODE('pay', 'return "paid"', { $inherit: 'shared' }) }
    const shared = { 'team/shared.skill.md': skill('shared', 'x', 'metadata: { owner: ann }\n') }
    const { all, kept } = await inBoth({ ...GUARD, ...pay, ...shared, ...tree }, calls)
    expect(all).toMatchObject({ pay: invalid, after: invalid })
    expect(kept).toEqual(all)
  })
})

describe('an index of others that was made up', () => {
  const deep = (levels: number): unknown[] => {
    let parts: unknown[] = []
    for (let level = 0; level < levels; level++)
      parts = [{ name: 'skill', arg: 'b', start: 0, end: 1, at: [1, 1], children: parts }]
    return parts
  }
  const content =
    (change: object) =>
    ({ contents }: WrittenIndex) =>
      Object.assign(contents.a ?? {}, change)
  const details =
    (change: object) =>
    ({ details }: WrittenIndex) =>
      Object.assign(details.a ?? {}, change)
  const directive = { name: 'tools', start: 0, end: 1, at: [1, 1] }

  it.each<[string, (index: WrittenIndex) => void]>([
    ['parts that are none', content({ parts: 5 })],
    ['no part', content({ parts: [null] })],
    ['a part of nothing', content({ parts: [{}] })],
    ['parts in parts', content({ parts: deep(1500) })],
    ['an argument that is not text', content({ parts: [{ ...directive, arg: {} }] })],
    ['no length', content({ length: null })],
    ['files that are none', content({ inputs: 5 })],
    ['no file', content({ inputs: [null] })],
    ['no files', content({ inputs: null })],
    ['a file elsewhere', content({ inputs: ['../skills/one.skill.md'] })],
    ['references that are none', details({ references: 5 })],
    ['no reference', details({ references: [null] })],
    ['no references', details({ references: null })],
    ['a reference to nothing', details({ references: [{ kind: 'link', ref: null, line: 1, column: 1 }] })],
  ])('is not bundled: %s', async (_, change) => {
    const { root, paths } = await withOthers()
    rewriteIndex(join(root, 'team'), change)
    for (const keep of [undefined, ['one']])
      await expect(compile({ cwd: root, paths, bundle: 'dist/agent.mjs', keep })).rejects.toMatchObject({
        code: 'BUNDLE_UNCOMPILED',
        message: expect.stringMatching(
          /has an index that is not to be used: the .* of "a" (?:is|are) not ours/,
        ),
      })
  })

  it('leads nowhere by a file that nobody can read, and by none that is too long', async () => {
    const { root, paths } = await withOthers()
    writeTree(root, { 'team/long.md': `${'x'.repeat(1024 * 1024)} :skill[c]` })
    rewriteIndex(join(root, 'team'), content({ inputs: ['long.md', 'gone.md', 'a', 'y'.repeat(5000)] }))
    await compile({ cwd: root, paths, bundle: 'dist/agent.mjs', keep: ['one'] })
    const { runtime } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
    expect(await namesOf(runtime)).toEqual(['a', 'b', 'include', 'library', 'one', 'skill'])
  })

  async function withOthers(): Promise<{ root: string; paths: CompileOptions['paths'] }> {
    const { root } = codeProject({
      'skills/one.skill.md': skill('one', 'See :skill[a].\n'),
      'team/a/SKILL.md': skill('a', '::include[./more.md]\n\nSee :skill[b].\n'),
      'team/a/more.md': 'More.\n',
      'team/b.skill.md': skill('b'),
      'team/c.skill.md': skill('c'),
    })
    await compile({ cwd: root, paths: ['team'] })
    return { root, paths: ['skills', { dir: 'team', external: true }] }
  }
})

it('keeps thousands of tools that all may call each other', { timeout: 60_000 }, async () => {
  const tree = Object.fromEntries(
    Array.from({ length: 4000 }, (_, number) => [
      `skills/t-${number}.skill.md`,
      skill(`t-${number}`, 'x', 'allowed-tools: "t-*"\n'),
    ]),
  )
  const { root } = codeProject(tree)
  const run = spawnSync(
    process.execPath,
    [
      '--max-old-space-size=256',
      join(ROOT, 'dist/cli/main.js'),
      'compile',
      'skills',
      '--bundle',
      'dist/agent.mjs',
      '--keep',
      't-1',
    ],
    { cwd: root, encoding: 'utf8' },
  )
  expect(run.stdout + run.stderr).toContain('bundled dist/agent.mjs')
  expect(run.status).toBe(0)
})

describe('what is kept is what it was', () => {
  const load = async (file: string): Promise<Runtime> => (await import(pathToFileURL(file).href)).runtime
  const cases = samples().filter(({ id }) => id.startsWith('cascade/'))
  const told = (runtime: Runtime, name: string): Promise<unknown> =>
    runtime.explain(name).catch(({ code, message }) => ({ code, message }))

  it.each(cases.map(sample => [sample.id, sample] as const))('%s', async (_, sample) => {
    const { cwd, paths } = layOut(sample)
    const out = temporary()
    const { skills } = await compile({ cwd, paths, bundle: join(out, 'all.mjs') })
    const all = await load(join(out, 'all.mjs'))
    for (const { name } of skills) {
      await compile({ cwd, paths, bundle: join(out, `${name}.mjs`), keep: [name] })
      expect(await told(await load(join(out, `${name}.mjs`)), name), name).toEqual(await told(all, name))
    }
  })
})

describe('`keep` of the configuration', () => {
  const TREE = {
    'skills/one.skill.md': skill('one'),
    'skills/two.skill.md': skill('two'),
    'agent-apps.config.json': '{ "paths": ["skills"], "keep": ["one"] }',
  }

  it('counts where nothing else is given, and is replaced by what is', async () => {
    expect((await bundleOf(TREE, { paths: undefined })).names).toEqual(['one'])
    expect((await bundleOf(TREE, { paths: undefined, keep: ['two'] })).names).toEqual(['two'])
    expect((await bundleOf(TREE, {})).names).toEqual(expect.arrayContaining(['one', 'two', 'timeout']))
  })

  it('counts for the command', async () => {
    const { root } = codeProject(TREE)
    const run = (...args: string[]) => agentApps(root, ['compile', ...args])
    expect((await run('--bundle', 'dist/agent.mjs')).status).toBe(0)
    expect((await run('--check', '--bundle', 'dist/agent.mjs')).status).toBe(0)
    expect((await run('--check', '--bundle', 'dist/agent.mjs', '--keep', 'one')).status).toBe(0)
    expect((await run('--check', '--bundle', 'dist/agent.mjs', '--keep', 'two')).status).toBe(1)
  })

  it.each([
    ['onw', 'Did you mean "one"?'],
    ['one two', 'Pass each pattern separately'],
    ['one,two', 'Pass each pattern separately'],
    ['something-else', '`agent-apps list` shows the tools'],
  ])('says of %j what to write', async (pattern, hint) => {
    const { root } = codeProject(TREE)
    const bundling = compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs', keep: [pattern] })
    await expect(bundling).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
      hint: expect.stringContaining(hint),
    })
  })

  it.each([['"one"'], ['[1]'], ['{}']])('is refused as %s', async keep => {
    const { root } = codeProject(TREE)
    writeTree(root, { 'agent-apps.config.json': `{ "paths": ["skills"], "keep": ${keep} }` })
    await expect(compile({ cwd: root })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('`keep` must be an array of strings'),
    })
    const option = { keep: JSON.parse(keep) } as CompileOptions
    await expect(compile({ cwd: root, paths: ['skills'], ...option })).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
  })
})
