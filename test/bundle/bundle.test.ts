import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findTool, invoke, listTools, readResource, registerTool } from 'agent-apps'
import { type CompileOptions, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { type Bundle, CODE, failure, filesOf, TREE } from '../support/bundle-project.js'
import { codeProject } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { some } from '../support/long.js'
import { ownTools } from '../support/own-tools.js'
import { rewriteIndex, type WrittenIndex } from '../support/poisoned-index.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { goodSkills, skill, type Tree, writeTree } from '../support/tree.js'
import { tsc } from '../support/tsc.js'

/** Bundles a project, takes its sources away, and imports what is left from another place. */
async function bundled(
  tree: Tree,
  options: Partial<CompileOptions> = {},
): Promise<Bundle & { folder: string }> {
  const { root } = codeProject(tree)
  await compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs', ...options })
  const folder = join(temporary(), 'moved')
  cpSync(join(root, 'dist'), folder, { recursive: true })
  rmSync(root, { recursive: true })
  return imported(folder)
}

async function imported(folder: string): Promise<Bundle & { folder: string }> {
  return { ...(await import(pathToFileURL(join(folder, 'agent.mjs')).href)), folder }
}

/** The folder of the bundle of `TREE`, for tests that read its files only. */
let folderOfTree: Promise<string> | undefined
function bundledTree(): Promise<string> {
  folderOfTree ??= bundled(TREE).then(({ folder }) => folder)
  return folderOfTree
}

/** A copy of that bundle, whose modules have no state of other tests. */
async function copiedTree(): Promise<Bundle & { folder: string }> {
  const folder = join(temporary(), 'copied')
  cpSync(await bundledTree(), folder, { recursive: true })
  return imported(folder)
}

/** With the maps, which name sources, in every run. */
const SOURCEMAPS = some([false, true])

/** The names that a bundle exports, without those of the library, which every bundle has. */
function own(tools: object): string[] {
  return Object.keys(tools).filter(name => !LIBRARY.includes(name))
}
const LIBRARY = ['agent-discover', 'skill-describe', 'skill-list']

describe('a bundle', () => {
  it('gives what the project gave: calls, content, resources, faults', async () => {
    const { runtime, tools } = await copiedTree()
    expect(own(tools)).toEqual(['count', 'review'])
    expect(await tools.count?.({ text: 'one two' })).toBe('one two: 2')
    expect(await runtime.invoke('review')).toBe('See the style. É!\n')
    expect([...(await runtime.readResource('review', 'assets/dot.bin'))]).toEqual([0, 255, 254, 10])
    expect(await failure(runtime.invoke('count', { text: 1 }))).toMatchObject({ code: 'ARGS_INVALID' })
    expect(await failure(runtime.invoke('cuont'))).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      hint: 'Did you mean "count"?',
    })
    expect(await failure(runtime.invoke('something-else'))).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      hint: '`runtime.listTools()` gives those there are.',
    })
    const { origin, src } = (await runtime.findTool('./skills/review')) ?? {}
    expect({ ...origin, src }).toEqual({
      entry: '/skills',
      file: 'review/SKILL.md',
      layer: 'project',
      shadows: [],
      src: 'bundle:///skills/review/SKILL.md',
      via: 'bundle',
    })
    const { via, cascadesComputed } = runtime.stats()
    expect({ ...via, cascadesComputed }).toMatchObject({ bundle: 4, index: 0, disk: 0, cascadesComputed: 0 })
    expect(runtime.diagnostics()).toEqual([])
  })

  it('answers where the package’s functions get its globals, and goes on answering', async () => {
    const { runtime } = await copiedTree()
    const { globals } = runtime
    expect(await findTool('no-such-skill', globals)).toBeNull()
    expect((await findTool('review', globals))?.origin.via).toBe('bundle')
    expect((await listTools(globals)).map(({ name }) => name)).toContain('count')
    expect(await invoke('count', { text: 'one two' }, globals)).toBe('one two: 2')
    expect([...(await readResource('review', 'assets/dot.bin', globals))]).toEqual([0, 255, 254, 10])
    const wrong = {
      self: () => wrong,
      get value() {
        throw new Error('no')
      },
    }
    expect(await failure(invoke('count', wrong, runtime.globals))).toMatchObject({ code: 'ARGS_INVALID' })
    expect(await runtime.invoke('review')).toBe('See the style. É!\n')
  })

  it('takes registered tools, with the library’s middleware around them', { tags: 'long' }, async () => {
    const { runtime } = await bundled({ 'skills/a/SKILL.md': skill('a') })
    registerTool(runtime.globals, { name: 'b', metadata: { limit: 4 }, fn: () => 'A long text.' })
    expect(await runtime.invoke('b')).toBe('A lo\n[Cut: 4 of 12 characters.]')
  })

  it('loads contents, resources and code when they are asked for', async () => {
    const folder = await bundledTree()
    const loaded = new Set<string>()
    const load = (file: string): void => {
      if (loaded.has(file)) return
      loaded.add(file)
      const text = readFileSync(join(folder, file), 'utf8')
      // A dynamic import has a bracket before the quote.
      for (const [, to = ''] of text.matchAll(/^(?:import|export)\b[^;(]*?"\.\/([^"]+\.mjs)"/gm))
        load(to.startsWith('agent-chunks/') ? to : `agent-chunks/${to}`)
    }
    load('agent.mjs')
    const texts = [...loaded].map(file => readFileSync(join(folder, file), 'utf8')).join('\n')
    // In the index the included text stands in the parts of its content.
    expect(texts).not.toContain('See :include')
    expect(texts).not.toContain('split(" ")')
    expect(Object.values(filesOf(folder)).join('\n')).toContain('See :include')
  })

  it('is the same bytes wherever the project lies, and says nothing of where', { tags: 'long' }, async () => {
    const one = codeProject(TREE).root
    const other = join(codeProject({}).root, 'deeper', 'another name')
    writeTree(other, { 'package.json': '{}\n', ...TREE })
    for (const cwd of [one, other])
      for (const sourcemap of SOURCEMAPS)
        await compile({ cwd, paths: ['skills'], bundle: `dist-${sourcemap}/agent.mjs`, sourcemap })
    for (const sourcemap of SOURCEMAPS) {
      const folder = `dist-${sourcemap}`
      const files = filesOf(join(one, folder))
      expect(Object.keys(files).length).toBeGreaterThan(20)
      expect(filesOf(join(other, folder))).toEqual(files)
      expect(Object.values(files).join('\n')).not.toMatch(/agent-apps-test|\/tmp|file:\/\//)
    }
  })

  it('holds what paths between directories mean, those outside of the working directory included', {
    tags: 'long',
  }, async () => {
    const { root } = codeProject({
      'apps/one/skills/SKILL.md': skill('one', 'One.\n', 'metadata: { role: main, $local: { limit: 9 } }\n'),
      'apps/one/skills/a.skill.md': skill(
        'a',
        'A.\n',
        "metadata: { $inherit: '../../../shared/base.skill.md' }\n",
      ),
      'shared/base.skill.md': skill('base', 'Base.\n', 'metadata: { limit: 3 }\n'),
    })
    const cwd = join(root, 'apps/one')
    await compile({ cwd, paths: ['skills', '../../shared'], bundle: 'dist/agent.mjs' })
    rmSync(join(root, 'shared'), { recursive: true })
    const { runtime } = await import(pathToFileURL(join(cwd, 'dist/agent.mjs')).href)
    expect((await runtime.explain('a')).metadata.limit).toMatchObject({
      value: 3,
      file: '/shared/base.skill.md',
    })
    expect(await runtime.invoke('../../shared/base.skill.md')).toBe('Bas\n[Cut: 3 of 6 characters.]')
    expect((await runtime.findTool('base'))?.origin.entry).toBe('/shared')
    expect((await runtime.findTool('./skills/a.skill.md'))?.origin.entry).toBe('/apps/one/skills')
  })

  it('imports nothing of any host by itself, and what skills import by its whole name', {
    tags: 'long',
  }, async () => {
    const folder = await bundledTree()
    const importsIn = (at: string) =>
      Object.values(filesOf(at))
        .join('\n')
        .match(/(?:from|import) ?\(?["'](?!\.)[^"']+/g)
    expect(importsIn(folder)).toEqual([expect.stringContaining('agent-apps/runtime')])
    const other = await bundled({
      'skills/a.skill.ts': `import { sep } from 'path'\n${CODE('a', 'return sep')}`,
    })
    expect(importsIn(other.folder)).toContain('from "node:path')
    expect(await other.tools.a?.()).toBe('/')
  })

  it('splits a large index, and finds and lists all of it', { tags: 'long' }, async () => {
    const tree = Object.fromEntries(
      Object.entries(goodSkills(300)).map(([path, item]) => [`skills/${path}`, item]),
    )
    const { runtime, tools } = await bundled(tree)
    expect(own(tools)).toHaveLength(300)
    expect(await tools['good-299']?.()).toBe('Do good-299.\n')
    expect(await ownTools(runtime)).toHaveLength(300)
  })

  it('takes directories of others that have an index, and says what to do of those that have none', {
    tags: 'long',
  }, async () => {
    const { root } = codeProject({
      'skills/a/SKILL.md': skill('a'),
      'theirs/b.skill.js': CODE('b', 'return "b"'),
    })
    const paths = ['skills', { dir: 'theirs', external: true }, { dir: 'nowhere', external: true }]
    const refused = await failure(compile({ cwd: root, paths, bundle: 'dist/agent.mjs' }))
    expect(refused).toMatchObject({ code: 'BUNDLE_UNCOMPILED' })
    expect(refused.message).toContain('theirs has no index')
    expect(existsSync(join(root, 'dist'))).toBe(false)
    await compile({ cwd: root, paths: ['theirs'] })
    await compile({ cwd: root, paths, bundle: 'dist/agent.mjs' })
    rmSync(join(root, 'theirs'), { recursive: true })
    const { tools } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
    expect(await tools.b()).toBe('b')
  })

  it('takes nothing by the word of an index that was changed', async () => {
    const { root } = codeProject({ 'skills/a/SKILL.md': skill('a'), 'theirs/b/SKILL.md': skill('b') })
    await compile({ cwd: root, paths: ['theirs'] })
    const index = join(root, 'theirs/.agent-apps.json')
    writeFileSync(
      index,
      readFileSync(index, 'utf8').replace('b/SKILL.md","frontmatter', '../x/SKILL.md","frontmatter'),
    )
    const paths = ['skills', { dir: 'theirs', external: true }]
    expect(await failure(compile({ cwd: root, paths, bundle: 'dist/agent.mjs' }))).toMatchObject({
      code: 'BUNDLE_UNCOMPILED',
    })
  })

  it.each(
    some<[string, (index: WrittenIndex) => void]>(
      [
        [
          'a resource',
          ({ tools, details }) => {
            Object.assign(tools.b ?? {}, { file: '../SKILL.md' })
            Object.assign(details.b ?? {}, { resources: [{ path: 'secret.txt', size: 7, sha256: 'x' }] })
          },
        ],
        ['frontmatter that is none', ({ tools }) => Object.assign(tools.b ?? {}, { frontmatter: null })],
        [
          'a schema that is not a module',
          ({ tools }) => Object.assign(tools.b ?? {}, { validators: { params: 5 } }),
        ],
        [
          'a content',
          ({ tools }) => Object.assign(tools.b ?? {}, { file: '../secret.txt', size: 7, content: [0, 7] }),
        ],
      ],
      2,
    ),
  )('copies nothing by the word of an index that was made up: %s', async (_, change) => {
    const { root } = codeProject({
      'skills/a/SKILL.md': skill('a'),
      'theirs/b/SKILL.md': skill('b'),
      'secret.txt': 'secret.',
    })
    await compile({ cwd: root, paths: ['theirs'] })
    rewriteIndex(join(root, 'theirs'), change)
    const paths = ['skills', { dir: 'theirs', external: true }]
    const refused = await failure(compile({ cwd: root, paths, bundle: 'dist/agent.mjs' }))
    expect(refused).toMatchObject({ code: 'BUNDLE_UNCOMPILED' })
    expect(refused.message).toContain('has an index that is not to be used: ')
  })

  it('is small where that is asked for', { tags: 'long' }, async () => {
    const small = await bundled(TREE, { minify: true })
    const size = (folder: string): number => Object.values(filesOf(folder)).join('').length
    expect(size(small.folder)).toBeLessThan(size(await bundledTree()) * 0.7)
    expect(await small.tools.count?.({ text: 'one' })).toBe('one: 1')
  })

  it('tells faults with the author’s file and line, where it has source maps', { tags: 'long' }, async () => {
    const { folder } = await bundled(
      { 'skills/bad.skill.ts': CODE('bad', 'const n: number = 1\nthrow new Error(`No ${n}`)') },
      { sourcemap: true },
    )
    const { stderr } = spawnSync(
      process.execPath,
      [
        '--enable-source-maps',
        '--input-type=module',
        '-e',
        "import { tools } from './agent.mjs'; await tools.bad()",
      ],
      { cwd: folder, encoding: 'utf8' },
    )
    expect(stderr).toContain('bundle:///skills/bad.skill.ts:4:')
  })
})

describe('code of every kind', () => {
  it('runs, with one copy of this package and of what it shares', { tags: 'long' }, async () => {
    const { tools, runtime, folder } = await bundled({
      'skills/typed.skill.ts': `import { defineTool } from 'agent-apps'\nimport { z } from 'zod'\nimport { told } from '../lib/shared.js'\nexport default defineTool({ name: 'typed', description: 'Is typed.', params: z.object({ n: z.number() }), execute: ({ n }, { invoke }) => { told.push(n); return invoke('inline') } })\n`,
      'skills/inline.skill.md': skill(
        'inline',
        'Inline.\n',
        "metadata: { delegate: 'inline://code,export default () => 1 + 1' }\n",
      ),
      'skills/beside/SKILL.md': skill('beside', 'Beside.\n', 'metadata: { delegate: ./lib/work.ts }\n'),
      'skills/beside/lib/work.ts': `import { told } from '../../../lib/shared.js'\nimport { AgentAppsError } from 'agent-apps'\nexport default () => [told, new AgentAppsError('USAGE', 'x', { hint: 'y' }).code]\n`,
      'skills/words.skill.md': skill(
        'words',
        'Words.\n',
        `metadata: { delegate: ${JSON.stringify('inline://markdown,---\nname: x\n---\nSome words.')} }\n`,
      ),
      'skills/common.skill.ts': `import common from 'common'\nimport text from './note.txt'\n${CODE('common', 'return common() + text')}`,
      'skills/note.txt': 'noted',
      'lib/shared.js': 'export const told = []\n',
      'node_modules/common/package.json': '{"name":"common","main":"index.js"}',
      'node_modules/common/index.js': "module.exports = () => require('path').basename('a/b')\n",
    })
    expect(await tools.typed?.({ n: 1 })).toBe(2)
    expect(runtime.globals.tools.programmaticTools.has('inline://code,export default () => 1 + 1')).toBe(true)
    expect(await tools.beside?.()).toEqual([[1], 'USAGE'])
    expect(await tools.words?.()).toBe('Some words.')
    expect(await tools.common?.()).toBe('bnoted')
    expect(await failure(tools.typed?.({ n: 'x' }) ?? Promise.resolve())).toMatchObject({
      code: 'ARGS_INVALID',
    })
    const copies = Object.values(filesOf(folder)).filter(text => text.includes('class AgentAppsError'))
    expect(
      copies.length +
        Object.values(filesOf(folder)).filter(text => /AgentAppsError = class/.test(text)).length,
    ).toBe(1)
  })
})

describe('code that finds files by its own place', () => {
  it('has those that it names, beside the chunks', { tags: 'long' }, async () => {
    const { tools, folder } = await bundled({
      'skills/a.skill.ts': `import { readFileSync } from 'node:fs'\nimport { more } from '../lib/more.js'\n${CODE('a', "return readFileSync(new URL('./words.txt', import.meta.url), 'utf8') + more()")}`,
      'skills/words.txt': 'words',
      'lib/more.js': `import { readFileSync } from 'node:fs'\nexport const more = () => readFileSync(new URL('more.json', import.meta.url), 'utf8')\n`,
      'lib/more.json': '{}',
    })
    expect(await tools.a?.()).toBe('words{}')
    expect(Object.keys(filesOf(folder)).filter(name => name.includes('asset-'))).toHaveLength(2)
  })

  it.each(
    some([
      ['import.meta.dirname', 'return import.meta.dirname', '3:8'],
      ['a URL that is not literal', 'return new URL(args.x, import.meta.url)', '3:24'],
      ['a file that is not there', "return new URL('./none.txt', import.meta.url)", '3:8'],
      ['a folder', "return new URL('.', import.meta.url)", '3:8'],
      ['a folder, by its name', "return new URL('../skills', import.meta.url)", '3:8'],
      ['a pipe', "return new URL('../lib/pipe', import.meta.url)", '3:8'],
      ['a file of more than 64 MiB', "return new URL('../lib/large.bin', import.meta.url)", '3:8'],
      [
        'a file outside of the project',
        "return new URL('../../../../../../etc/hostname', import.meta.url)",
        '3:8',
      ],
      ['a secret', "return new URL('./.env', import.meta.url)", '3:8'],
    ]),
  )('is refused otherwise: %s', { tags: 'long' }, async (_what, body, place) => {
    const { root } = codeProject({
      'skills/a.skill.ts': CODE('a', body),
      'skills/.env': 'A=1',
      'lib/large.bin': '',
    })
    execFileSync('mkfifo', [join(root, 'lib/pipe')])
    truncateSync(join(root, 'lib/large.bin'), 64 * 1024 * 1024 + 1)
    const refused = await failure(compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }))
    expect(refused).toMatchObject({
      code: 'BUNDLE_CODE',
      message: expect.stringContaining(`skills/a.skill.ts:${place}`),
    })
    expect(existsSync(join(root, 'dist'))).toBe(false)
  })
})

describe('the declarations of a bundle', () => {
  /** What `tsc` says of applications beside a bundle, without what it says of the last one, and of that. */
  function check(root: string, right: string, wrong: string): { elsewhere: string[]; wrong: string[] } {
    writeFileSync(join(root, 'right.mts'), right)
    writeFileSync(join(root, 'wrong.mts'), wrong)
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')]
    const args = ['--module', 'nodenext', '--lib', 'es2023', ...types, 'right.mts', 'wrong.mts']
    const lines = tsc(root, args)
      .split('\n')
      .filter(line => /^\S.*error/.test(line))
    const faults = lines.map(line => /^wrong\.mts\((\d+),.*(TS\d+)/.exec(line)?.slice(1, 3).join(' '))
    return {
      elsewhere: lines.filter((_, at) => faults[at] === undefined),
      wrong: faults.filter(fault => fault !== undefined),
    }
  }

  it('type every tool’s name, arguments and result', { tags: 'long' }, async () => {
    const { root } = codeProject({
      ...TREE,
      'skills/plain.skill.ts': CODE('plain', 'return 1'),
      'skills/deep.skill.ts': CODE('deep', 'return {}', {
        params: {
          type: 'object',
          required: ['tree'],
          properties: {
            tree: { $ref: '#/$defs/node' },
            kind: { const: 'x' },
            list: { type: 'array', items: { type: ['string', 'null'] } },
            either: {
              anyOf: [{ type: 'number' }, { type: 'object', properties: { '*/': { type: 'boolean' } } }],
            },
          },
          $defs: {
            node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, n: { type: 'integer' } } },
          },
        },
        returns: {
          type: 'object',
          properties: { n: { type: 'integer', description: 'Ends */ here' } },
          required: ['n'],
        },
      }),
    })
    await compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' })
    const right = `
      import { runtime, tools, type ToolName } from './dist/agent.mjs'
      const text: string = await runtime.invoke('count', { text: 'a' })
      await tools.count({ text: 'a', unit: 'letters' }, { signal: AbortSignal.timeout(1) })
      const content: string = await tools['review']()
      const name: ToolName = 'plain'
      const n: number = (await tools.deep({ tree: { next: { n: 1 } }, list: ['a', null], either: 3, kind: 'x' })).n
      const any: unknown = await runtime.invoke('./skills/review/SKILL.md', { a: 1 })
      const list: { name: string }[] = await runtime.listTools()
      export { any, content, list, n, name, text }
    `
    const wrong = [
      "await runtime.invoke('count', { text: 1 })",
      "await runtime.invoke('count')",
      "await runtime.invoke('cuont', { text: 'a' })",
      "await tools.count({ text: 'a', unit: 'pages' })",
      "await tools.count({ text: 'a', other: 1 })",
      "await tools.deep({ tree: { next: { n: 'a' } } })",
      'await tools.deep({ tree: {}, list: [1] })',
      "const n: number = await runtime.invoke('count', { text: 'a' })",
      'await tools.plain({ a: 1 })',
      'await tools.none()',
      'tools.count = tools.count',
    ]
    const imports = "import { runtime, tools } from './dist/agent.mjs'"
    const { elsewhere, wrong: said } = check(root, right, [imports, ...wrong].join('\n'))
    expect(elsewhere).toEqual([])
    expect([...new Set(said.map(line => Number(line.split(' ')[0])))]).toEqual(
      wrong.map((_, index) => index + 2),
    )
    // No overload that would hide which argument it is.
    expect(said.filter(line => line.endsWith('TS2769'))).toEqual([])
  })
})

describe('agent-apps compile --bundle', () => {
  const run = (cwd: string, ...args: string[]) => agentApps(cwd, ['compile', 'skills', ...args])

  it('with --check, names the bundle and the command that writes it', { tags: 'long' }, async () => {
    const { root } = codeProject(TREE)
    const options = ['--bundle', "it's/agent.mjs", '--keep', 'c*', '--keep', 'count', '--minify']
    await run(root, '--bundle', "it's/agent.mjs")
    const { stdout, status } = await run(root, '--check', ...options)
    const command = `agent-apps compile skills --bundle 'it'\\''s/agent.mjs' --keep 'c*' --keep count --minify`
    expect([status, stdout]).toEqual([1, `out of date: it's/agent.mjs\nrun \`${command}\`\n`])
    await run(root, ...options)
    expect(await run(root, '--check', ...options)).toMatchObject({
      status: 0,
      stdout: "up to date: 1 of 1 indexes, and it's/agent.mjs\n",
    })
    for (const file of readdirSync(join(root, 'skills/.agent-apps')))
      if (file.endsWith('.mjs')) rmSync(join(root, 'skills/.agent-apps', file))
    expect((await run(root, '--check')).stdout).toBe(
      'out of date: skills/.agent-apps.json\nrun `agent-apps compile skills`\n',
    )
    expect((await run(root, '--check', ...options)).stdout).toBe(
      `out of date: skills/.agent-apps.json, so it's/agent.mjs was not checked\nrun \`${command}\`\n`,
    )
  })

  it('writes it with the tools that patterns name and what those need, and says where', async () => {
    const { root } = codeProject({
      'package.json': '{ "type": "module" }',
      'skills/a.skill.md': skill('a', 'A.\n', 'metadata: { delegate: b, log: true }\n'),
      'skills/b.skill.js': CODE('b', 'return "b"'),
      'skills/c.skill.js': CODE('c', 'return "not needed"'),
      'skills/log.skill.js': CODE('log', '', { role: 'middleware' }),
    })
    const options = ['--bundle', 'dist/agent.js', '--minify', '--sourcemap', '--keep']
    const none = compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.js', keep: ['x*'] })
    expect(await failure(none)).toMatchObject({
      code: 'OPTIONS_INVALID',
      message: expect.stringContaining('"x*"'),
    })
    const { stdout, status } = await run(root, ...options, 'a*')
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(
        /^compiled 4 skills .* · \.agent-apps\.json in skills\nbundled dist\/agent\.js \(\d+ files written\)\n$/,
      ),
    })
    const files = filesOf(join(root, 'dist'))
    const names = Object.keys(files)
    expect(names).toContain('agent.d.ts')
    expect(names.some(name => /^agent-chunks\/.*\.m?js\.map$/.test(name))).toBe(true)
    expect(Object.values(files).join('\n')).not.toContain('not needed')
    rmSync(join(root, 'skills'), { recursive: true })
    const { runtime, tools }: Bundle = await import(pathToFileURL(join(root, 'dist/agent.js')).href)
    expect(own(tools)).toEqual(['a', 'b', 'log'])
    expect(await runtime.invoke('a')).toBe('b')
    expect(await runtime.findTool('c')).toBeNull()
  })

  it.each(
    some(
      [
        ['dist/agent.js', '{ "type": "commonjs" }', true],
        ['dist/agent.js', '{', true],
        ['dist/agent.mjs', '{}', false],
        ['dist/agent.js', '{ "type": "module" }', false],
        ['dist/agent.js', '{}', true],
      ],
      2,
    ),
  )(
    'says of %s where package.json is %s that Node would load it as CommonJS: %s',
    { tags: 'long' },
    async (bundle, text, isSaid) => {
      const { root } = codeProject({ 'skills/one.skill.md': skill('one'), 'dist/package.json': text })
      const { stderr, status } = await run(root, '--bundle', bundle)
      expect([status, stderr.includes(`Node would load ${bundle} as CommonJS`)]).toEqual([0, isSaid])
    },
  )

  it('has a wrong use told', async () => {
    const { root } = codeProject(TREE)
    expect(await run(root, '--minify')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--bundle'),
    })
    expect(await run(root, '--bundle', 'skills/agent.mjs')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('BUNDLE_PLACE'),
    })
  })
})
