import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { type Bundle, CODE, failure, filesOf, TREE } from '../support/bundle-project.js'
import { codeProject } from '../support/code-project.js'
import { startCode } from '../support/processes.js'
import { withReadOnly } from '../support/read-only.js'
import { skill, snapshot, type Tree, writeTree } from '../support/tree.js'

describe('writing a bundle', () => {
  const one = { 'skills/a/SKILL.md': skill('a') }

  it('writes nothing where nothing changed, and removes only what the bundle before needed', async () => {
    const { root } = codeProject({ ...one, 'skills/b/SKILL.md': skill('b') })
    const options = { cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }
    expect((await compile(options)).bundled.length).toBeGreaterThan(10)
    const before = snapshot(join(root, 'dist'), { times: true })
    expect((await compile(options)).bundled).toEqual([])
    expect(snapshot(join(root, 'dist'), { times: true })).toEqual(before)

    const foreign = { 'agent-chunks/mine.mjs': 'x', 'agent-chunks/mine-ABCDEFGH.mjs': 'y', 'other.mjs': 'z' }
    writeTree(join(root, 'dist'), foreign)
    rmSync(join(root, 'skills/b'), { recursive: true })
    await compile(options)
    const after = filesOf(join(root, 'dist'))
    expect(after).toMatchObject(foreign)
    rmSync(join(root, 'dist'), { recursive: true })
    await compile(options)
    expect(Object.keys(after).sort()).toEqual(
      [...Object.keys(filesOf(join(root, 'dist'))), ...Object.keys(foreign)].sort(),
    )
  })

  it('says to a process that still runs the one before what to do, and lets it use what it has loaded', async () => {
    const { root } = codeProject({
      ...TREE,
      'skills/plain.skill.ts': CODE('plain', 'return 1'),
      'skills/missing.skill.ts': `import 'not-installed'\n${CODE('missing', 'return 1')}`,
      'skills/used.skill.md': skill('used', 'Used.\n'),
    })
    const options = { cwd: root, paths: ['skills'], external: ['not-installed'], bundle: 'dist/agent.mjs' }
    const imported = (): Promise<Bundle> => {
      const copy = join(root, 'dist', `entry-${copies++}.mjs`)
      cpSync(join(root, 'dist/agent.mjs'), copy)
      return import(pathToFileURL(copy).href)
    }
    let copies = 0
    await compile(options)
    const { runtime, tools } = await imported()
    expect(await tools.used?.()).toBe('Used.\n')
    writeTree(root, {
      'skills/used.skill.md': skill('used', 'New.\n'),
      'skills/plain.skill.ts': CODE('plain', 'return 2'),
      'skills/review/SKILL.md': skill('review', 'New.\n'),
    })
    await compile(options)
    const replaced = {
      code: 'BUNDLE_REPLACED',
      hint: expect.stringContaining('another folder'),
      file: expect.stringMatching(/^file:.*\/agent-chunks\//),
      cause: { code: 'ERR_MODULE_NOT_FOUND' },
    }
    const gone: Record<string, () => Promise<unknown>> = {
      invoke: () => runtime.invoke('plain'),
      'invoke for an agent': () => runtime.forAgent().invoke('plain'),
      render: () => runtime.render('review'),
      readResource: () => runtime.readResource('review', 'references/style.md'),
      'a tool': () => tools.review?.() ?? Promise.resolve(),
    }
    for (const [way, call] of Object.entries(gone)) expect(await failure(call()), way).toMatchObject(replaced)
    // What did not change is there under the same name.
    expect(await tools.used?.()).toBe('Used.\n')
    expect((await runtime.explain('review')).name).toBe('review')
    const after = await imported()
    expect(await after.tools.plain?.()).toBe(2)
    expect(await failure(after.tools.missing?.() ?? Promise.resolve())).toMatchObject({
      code: 'ERR_MODULE_NOT_FOUND',
    })
  })

  it('does not take the folder of a bundle whose name has another ending', async () => {
    const { root: cwd } = codeProject(one)
    await compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs' })
    await expect(compile({ cwd, paths: ['skills'], bundle: 'dist/agent.js' })).rejects.toMatchObject({
      code: 'BUNDLE_PLACE',
      message: expect.stringContaining('agent.mjs'),
    })
    rmSync(join(cwd, 'dist/agent.mjs'))
    await compile({ cwd, paths: ['skills'], bundle: 'dist/agent.js' })
    expect(readdirSync(join(cwd, 'dist')).sort()).toEqual([
      'agent-chunks',
      'agent.d.mts',
      'agent.d.ts',
      'agent.js',
    ])
  })

  it('does not take the folder of another that is written meanwhile', async () => {
    const { root: cwd } = codeProject(one)
    await compile({ cwd, paths: ['skills'] })
    const endings = ['mjs', 'js'] as const
    const outcomes = await Promise.all(
      endings.map(ending =>
        failure(compile({ cwd, paths: ['skills'], bundle: `dist/agent.${ending}`, minify: ending === 'js' })),
      ),
    )
    expect(outcomes.map(({ code = '' }) => code).sort()).toEqual(['', 'BUNDLE_PLACE'])
    const written = endings.filter((_, number) => outcomes[number]?.code === undefined)
    expect(readdirSync(join(cwd, 'dist')).filter(name => /\.m?js$/.test(name))).toEqual([
      `agent.${written[0]}`,
    ])
    writeTree(cwd, { 'package.json': '{ "type": "module" }' })
    const { tools } = await import(pathToFileURL(join(cwd, `dist/agent.${written[0]}`)).href)
    expect(await tools.a()).toBe('Do a.\n')
  })

  it('replaces no file that came while it was made', async () => {
    const { root: cwd } = codeProject(one)
    const made = compile({
      cwd,
      paths: ['skills'],
      bundle: 'dist/agent.mjs',
      onProgress: () => writeTree(cwd, { 'dist/agent.mjs': 'mine' }),
    })
    expect(await failure(made)).toMatchObject({ code: 'BUNDLE_PLACE', file: join(cwd, 'dist/agent.mjs') })
    expect(readFileSync(join(cwd, 'dist/agent.mjs'), 'utf8')).toBe('mine')
  })

  it('knows its source map where its list was lost, and removes none that is not its own', async () => {
    const { root: cwd } = codeProject(one)
    const options = { cwd, paths: ['skills'], bundle: 'dist/agent.mjs' }
    await compile({ ...options, sourcemap: true })
    const list = join(cwd, 'dist/agent-chunks/bundle.json')
    rmSync(list)
    await compile({ ...options, sourcemap: true })
    rmSync(list)
    await compile(options)
    expect(readdirSync(join(cwd, 'dist')).sort()).toEqual(['agent-chunks', 'agent.d.mts', 'agent.mjs'])
    writeTree(cwd, { 'dist/agent.mjs.map': 'mine', 'skills/b/SKILL.md': skill('b') })
    await compile(options)
    expect(readFileSync(join(cwd, 'dist/agent.mjs.map'), 'utf8')).toBe('mine')
    await expect(compile({ ...options, sourcemap: true })).rejects.toMatchObject({ code: 'BUNDLE_PLACE' })
  })

  it('leaves no source map of the one before', async () => {
    const { root: cwd } = codeProject(one)
    await compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs', sourcemap: true })
    expect(readdirSync(join(cwd, 'dist'))).toContain('agent.mjs.map')
    await compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs' })
    expect(readdirSync(join(cwd, 'dist')).sort()).toEqual(['agent-chunks', 'agent.d.mts', 'agent.mjs'])
  })

  it('removes nothing by the word of a list that is none of ours', async () => {
    const { root } = codeProject({ ...one, 'precious-ABCDEFGH.mjs': 'x' })
    const options = { cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }
    writeTree(root, {
      'dist/agent-chunks/bundle.json':
        '{"entry":"agent.mjs","map":false,"files":["../../precious-ABCDEFGH.mjs","/etc/x","mine.mjs",3]}',
      'dist/agent-chunks/mine.mjs': 'x',
    })
    await compile(options)
    expect(existsSync(join(root, 'precious-ABCDEFGH.mjs'))).toBe(true)
    expect(existsSync(join(root, 'dist/agent-chunks/mine.mjs'))).toBe(true)
  })

  it.each([
    ['inside of a directory that is compiled', 'skills/agent.mjs', 'lies in'],
    ['in the place of a skill', 'skills/x.skill.js', 'lies in'],
    ['in the place of a file that is not a bundle', 'src/app.mjs', 'is there already'],
    ['in the place of foreign declarations', 'src/types.mjs', 'is there already'],
    ['where its folder is a file', 'src/blocked.mjs', 'is not a folder'],
    ['in the place of a foreign source map', 'src/mapped.mjs', 'mapped.mjs.map is there already'],
    ['in the place of a folder', 'src/folder.mjs', 'folder.mjs.map is there already'],
    ['in the place of a foreign list', 'src/listed.mjs', 'bundle.json is there already'],
    ['in the place of a link that leads nowhere', 'src/linked.mjs', 'linked.d.mts is there already'],
    // It is none that could be waited for.
    ['where a lock is foreign', 'src/locked.mjs', 'bundle.lock is there already'],
    ['where a lock is a folder', 'src/shut.mjs', 'bundle.lock is there already'],
  ])('is refused %s', async (_where, bundle, why) => {
    const tree = {
      ...one,
      'skills/x.skill.js': CODE('x', ''),
      'src/app.mjs': 'mine',
      'src/types.d.mts': 'mine',
      'src/blocked-chunks': 'mine',
      'src/mapped.mjs.map': '{\n  "version": 3,\n  "sources": []\n}\n',
      'src/folder.mjs.map/mine': 'mine',
      'src/listed-chunks/bundle.json': '{"my":"own"}',
      'src/linked.d.mts': { link: '../nowhere' },
      'src/locked-chunks/bundle.lock': 'GEM\n  remote: https://rubygems.org\n',
      'src/shut-chunks/bundle.lock/mine': 'mine',
    }
    const { root } = codeProject(tree)
    utimesSync(join(root, 'src/locked-chunks/bundle.lock'), 1e9, 1e9)
    const before = snapshot(root)
    const refused = await failure(compile({ cwd: root, paths: ['skills'], bundle, sourcemap: true }))
    expect(refused).toMatchObject({ code: 'BUNDLE_PLACE', message: expect.stringContaining(why) })
    expect(snapshot(root)).toEqual(before)
  })

  it('may lie below a directory that is compiled where patterns leave it out', async () => {
    const { root } = codeProject({ 'a/SKILL.md': skill('a') })
    const paths = [{ ignore: 'dist' }, '.']
    await compile({ cwd: root, paths, bundle: 'dist/agent.mjs' })
    const { runtime } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
    expect(await runtime.invoke('a')).toBe('Do a.\n')
    expect(await failure(compile({ cwd: root, paths: ['.'], bundle: 'dist/agent.mjs' }))).toMatchObject({
      code: 'BUNDLE_PLACE',
    })
  })

  it('follows no link out, into a directory that is compiled', async () => {
    const { root } = codeProject(one)
    symlinkSync(join(root, 'skills'), join(root, 'dist'))
    expect(await failure(compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }))).toMatchObject({
      code: 'BUNDLE_PLACE',
    })
  })

  it.each(['agent.txt', 'dist/', 'a b.mjs', '.mjs'])('cannot be named %j', async bundle => {
    const { root } = codeProject(one)
    expect(await failure(compile({ cwd: root, paths: ['skills'], bundle }))).toMatchObject({
      code: 'OPTIONS_INVALID',
    })
  })

  it('says so where it cannot be written', async () => {
    const { root } = codeProject({ ...one, dist: 'a file' })
    expect(await failure(compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }))).toMatchObject({
      code: 'BUNDLE_NOT_WRITABLE',
    })
  })

  it('says with `check` whether it is up to date, and writes nothing', async () => {
    const { root } = codeProject(one)
    const options = { cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }
    const outdated = async () => (await compile({ ...options, check: true })).outdated
    expect(await outdated()).toEqual(['skills/.agent-apps.json', 'dist/agent.mjs'])
    expect(existsSync(join(root, 'dist'))).toBe(false)
    await compile({ cwd: root, paths: ['skills'] })
    expect(await outdated()).toContain('dist/agent.mjs')
    await compile(options)
    expect(await outdated()).toEqual([])
    writeFileSync(
      join(root, 'dist/agent.d.mts'),
      readFileSync(join(root, 'dist/agent.d.mts'), 'utf8').replace('"a"', '"b"'),
    )
    expect(await outdated()).toEqual(['dist/agent.d.mts'])
  })

  it('writes the list of its files again where that is gone, so that none stays for good', async () => {
    const { root } = codeProject({ ...one, 'skills/b/SKILL.md': skill('b') })
    const options = { cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }
    await compile(options)
    const list = join(root, 'dist/agent-chunks/bundle.json')
    const text = readFileSync(list, 'utf8')
    for (const spoil of [() => rmSync(list), () => writeFileSync(list, '{')]) {
      spoil()
      expect((await compile({ ...options, check: true })).outdated).toEqual(['dist/agent-chunks/bundle.json'])
      expect((await compile(options)).bundled).toEqual(['dist/agent-chunks/bundle.json'])
      expect(readFileSync(list, 'utf8')).toBe(text)
    }
    rmSync(join(root, 'skills/b'), { recursive: true })
    await compile(options)
    const after = Object.keys(filesOf(join(root, 'dist')))
    rmSync(join(root, 'dist'), { recursive: true })
    await compile(options)
    expect(after).toEqual(Object.keys(filesOf(join(root, 'dist'))))
  })

  it('removes what one that was killed left, and nothing that only looks so', async () => {
    const { root } = codeProject(one)
    const options = { cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }
    await compile(options)
    const foreign: Tree = {
      'other.mjs.4194000.tmp': 'x',
      'agent.mjs.tmp': 'x',
      'agent.mjs.bak.4194000.tmp': 'x',
      'agent.mjs.4194001.tmp/mine': 'x',
      'agent-chunks/mine.mjs.4194000.tmp': 'x',
      'agent-chunks/bundle.lock.mine': 'x',
      // Of names that such files have, and none of them.
      'agent.mjs.4194002.tmp': 'mine',
      'agent.d.mts.4194002.tmp': 'mine',
      'agent.mjs.map.4194002.tmp': 'mine',
      'agent-chunks/bundle.json.4194002.tmp': '{"mine":1}',
      'agent-chunks/chunk-ABCDEFGH.mjs.4194002.tmp': 'mine',
      'agent-chunks/chunk-ABCDEFGH.mjs.map.4194002.tmp': 'mine',
      'agent-chunks/notes-ABCDEFGH.md.7.tmp': '',
      [`agent-chunks/bundle.lock.${'1'.repeat(16)}`]: 'mine',
      [`agent-chunks/bundle.lock.${'2'.repeat(16)}/mine`]: 'x',
    }
    writeTree(join(root, 'dist'), foreign)
    for (const name of Object.keys(foreign)) utimesSync(join(root, 'dist', name), 1e9, 1e9)
    for (const digit of '12')
      utimesSync(join(root, `dist/agent-chunks/bundle.lock.${digit.repeat(16)}`), 1e9, 1e9)
    const before = snapshot(join(root, 'dist'))
    const held = `4194000 ${hostname()} 1\n`
    const entry = readFileSync(join(root, 'dist/agent.mjs'), 'utf8')
    const list = readFileSync(join(root, 'dist/agent-chunks/bundle.json'), 'utf8')
    const map = '{\n  "version": 3,\n  "sources": ["a'
    for (const [left, whole] of [
      ['agent.mjs.4194000.tmp', entry],
      ['agent.mjs.map.4194000.tmp', map],
      ['agent.d.mts.4194000.tmp', entry],
      ['agent-chunks/bundle.json.4194000.tmp', list],
      ['agent-chunks/chunk-ABCDEFGH.mjs.4194000.tmp', entry],
      ['agent-chunks/chunk-ABCDEFGH.mjs.map.4194000.tmp', map],
      ['agent-chunks/asset-0123ABCD.txt.4194000.tmp', 'whatever'],
      ['agent-chunks/bundle.lock', held],
      [`agent-chunks/bundle.lock.${'0'.repeat(16)}`, held],
    ] as const) {
      // Whatever was written of it when it was cut off.
      for (const text of whole === held ? [held] : ['', whole.slice(0, 5), whole]) {
        writeTree(join(root, 'dist'), { [left]: text })
        expect((await compile(options)).bundled).toEqual([])
        expect(snapshot(join(root, 'dist')), left).toEqual(before)
      }
    }
  })

  it.each(['EROFS', 'EACCES'] as const)(
    'writes nothing where skills lie that are compiled, nor where it lies itself and is up to date: %s',
    async code => {
      // Of a checkout there is no cache, so that code which has to be run to know it is run again.
      const { root } = codeProject({
        ...one,
        ...TREE,
        'skills/run.skill.js':
          "export const frontmatter = { name: 'run', description: ['D.'].join() }\nexport default () => 1\n",
      })
      await compile({ cwd: root, paths: ['skills'] })
      rmSync(join(root, 'skills/.agent-apps/cache.json'))
      const before = snapshot(join(root, 'skills'))
      const bundling = (readOnly: string) =>
        withReadOnly(join(root, readOnly), code, () =>
          compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }),
        )
      expect((await bundling('skills')).bundled.length).toBeGreaterThan(10)
      expect(snapshot(join(root, 'skills'))).toEqual(before)
      expect((await bundling('dist')).bundled).toEqual([])
      const { tools } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
      expect(await tools.a()).toBe('Do a.\n')
      const index = { code: 'INDEX_NOT_WRITABLE', file: join(root, 'skills') }
      const bundle = { code: 'BUNDLE_NOT_WRITABLE', file: join(root, 'dist/agent.mjs') }
      writeTree(root, { 'skills/a/SKILL.md': skill('a', 'Do other.\n') })
      await expect(bundling('skills')).rejects.toMatchObject(index)
      await expect(bundling('dist')).rejects.toMatchObject(bundle)
    },
  )

  it('waits for another project that writes to its place', async () => {
    const { root } = codeProject(one)
    const lock = join(root, 'dist/agent-chunks/bundle.lock')
    writeTree(root, { 'dist/agent-chunks/bundle.lock': `${process.ppid} ${hostname()} ${Date.now()}\n` })
    let isFree = false
    setTimeout(() => {
      isFree = true
      rmSync(lock)
    }, 2_000)
    const options = { cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }
    const bundled = await compile(options).then(result => ({ ...result, isFree }))
    expect(bundled.isFree).toBe(true)
    expect(existsSync(lock)).toBe(false)
  })

  it('is written by one process at a time', async () => {
    const { root } = codeProject({ ...one, ...TREE })
    const compiling = (keep: string) =>
      startCode(
        `import { compile } from 'agent-apps/compiler'; for (let i = 0; i < 4; i++) await compile({ cwd: ${JSON.stringify(root)}, paths: ['skills'], bundle: 'dist/agent.mjs', keep: ['a', '${keep}'] })`,
      )
    await Promise.all(['count', 'review', 'count'].map(compiling))
    const left = filesOf(join(root, 'dist'))
    const { tools } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
    expect(await tools.a()).toBe('Do a.\n')
    expect(Object.keys(left).filter(name => name.endsWith('.tmp'))).toEqual([])
    for (const [name, text] of Object.entries(left)) {
      if (!name.endsWith('.mjs')) continue
      for (const [, to = ''] of text.matchAll(/["']\.\/([\w./-]+\.mjs)["']/g))
        expect(Object.keys(left), name).toContain(name === 'agent.mjs' ? to : `agent-chunks/${to}`)
    }
  })
})
