import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Runtime, registerTool } from 'agent-apps'
import { type CompileOptions, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeProject } from './support/code-project.js'
import { ROOT } from './support/processes.js'
import { layOut, samples } from './support/sample.js'
import { temporary } from './support/temporary.js'
import { skill, type Tree, writeTree } from './support/tree.js'

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

/** The names that find a tool: the library's are in no list. */
async function namesOf(runtime: Runtime): Promise<string[]> {
  const listed = (await runtime.listTools()).map(({ name }) => name)
  const found = await Promise.all(['library', ...LIBRARY].map(name => runtime.findTool(name)))
  return [...new Set([...listed, ...found.flatMap(tool => tool?.name ?? [])])].sort()
}

/** The names that `--keep one` keeps of a tree. */
const kept = async (tree: Tree, keep = ['one']): Promise<string[]> => (await bundleOf(tree, { keep })).names

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

  it('counts for the command', () => {
    const { root } = codeProject(TREE)
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(ROOT, 'dist/cli/main.js'), 'compile', ...args], {
        cwd: root,
        encoding: 'utf8',
      })
    expect(run('--bundle', 'dist/agent.mjs').status).toBe(0)
    expect(run('--check', '--bundle', 'dist/agent.mjs').status).toBe(0)
    expect(run('--check', '--bundle', 'dist/agent.mjs', '--keep', 'one').status).toBe(0)
    expect(run('--check', '--bundle', 'dist/agent.mjs', '--keep', 'two').status).toBe(1)
  })

  it.each([
    ['onw', 'Did you mean "one"?'],
    ['one two', 'Give each pattern by itself'],
    ['one,two', 'Give each pattern by itself'],
    ['something-else', 'See `agent-apps list`'],
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
      message: expect.stringContaining('`keep` must be a list of patterns'),
    })
    const option = { keep: JSON.parse(keep) } as CompileOptions
    await expect(compile({ cwd: root, paths: ['skills'], ...option })).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
  })
})
