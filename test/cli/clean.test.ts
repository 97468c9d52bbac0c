import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { clean, compile } from 'agent-apps/compiler'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLong, some, times } from '../support/long.js'
import { withReadOnly } from '../support/read-only.js'
import { temporary } from '../support/temporary.js'
import { goodSkills, makeTree, skill, snapshot, type Tree, writeTree } from '../support/tree.js'

const RUNS = times(2, 10_000)
/** So many that their index is split. */
const MANY = goodSkills(140)

describe('compiling and cleaning', () => {
  it('leaves a tree as it was', async () => {
    for (const count of [0, 3, 140]) {
      const dir = makeTree({ ...goodSkills(count), 'readme.md': 'x' })
      const before = snapshot(dir)
      const { written } = await compile({ cwd: dir, paths: ['.'] })
      const { removed } = await clean({ cwd: dir, paths: ['.'] })
      expect(removed).toEqual(expect.arrayContaining(written))
      expect(snapshot(dir)).toEqual(before)
      expect((await clean({ cwd: dir, paths: ['.'] })).removed).toEqual([])
    }
  })

  it('leaves random trees as they were, whatever lies where it writes', async () => {
    const name = fc.constantFrom('a', 'b', '.hidden', '.agent-apps', 'node_modules', 'references', 'good-1')
    const file = fc.constantFrom(
      'SKILL.md',
      'x.skill.md',
      'notes.txt',
      '.gitignore',
      'index-mine.json',
      `index-${'0'.repeat(32)}.json`,
      'cache',
      'cached.json',
      'foreign.tmp',
      '.agent-apps.json.bak',
      'module.mjs',
    )
    const path = fc
      .tuple(fc.array(name, { maxLength: 3 }), file)
      .map(([folders, last]) => [...folders, last].join('/'))
    const text = fc.constantFrom('x\n', skill('one'), skill('two'), '---\nname: "\n---\n', 'cache*\n')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(path, text), { maxLength: 12 }),
        fc.boolean(),
        async (files, twice) => {
          const dir = makeTree({ 'own/SKILL.md': skill('own') })
          for (const [file, content] of files) writeTree(dir, { [file]: content })
          const before = snapshot(dir)
          await compile({ paths: [dir] })
          if (twice) {
            writeTree(dir, { 'own/SKILL.md': skill('own', 'Other.\n') })
            await compile({ paths: [dir] })
            writeTree(dir, { 'own/SKILL.md': skill('own') })
          }
          await clean({ paths: [dir] })
          expect(snapshot(dir)).toEqual(before)
          rmSync(dir, { recursive: true })
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('only says what it would remove, with dryRun', async () => {
    const dir = makeTree(MANY)
    await compile({ cwd: dir, paths: ['.'] })
    const before = snapshot(dir, { times: true })
    const { removed } = await clean({ cwd: dir, paths: ['.'], dryRun: true })
    expect(snapshot(dir, { times: true })).toEqual(before)
    expect((await clean({ cwd: dir, paths: ['.'] })).removed).toEqual(removed)
  })

  it('works where the index is broken, by the form of the names alone', async () => {
    for (const text of some(['', 'null', '{', '{"shards":["../../x"]}', '[]'], 2)) {
      const dir = makeTree(MANY)
      const before = snapshot(dir)
      await compile({ paths: [dir] })
      writeFileSync(join(dir, '.agent-apps.json'), text)
      await clean({ paths: [dir] })
      expect(snapshot(dir)).toEqual(before)
    }
  })

  it('removes modules whose index is gone, as the next compile does', async () => {
    const code = (number: number): string =>
      `export const frontmatter = { name: 'one', description: 'D.' }\nexport default () => ${number}\n`
    const tree = { 'one.skill.js': code(1) }
    const dir = makeTree(tree)
    const modules = (): string[] =>
      readdirSync(join(dir, '.agent-apps')).filter(name => name.startsWith('module-'))
    await compile({ paths: [dir] })
    const mine = '.agent-apps/module-ABCDEFGH.mjs'
    writeTree(dir, { 'one.skill.js': code(2), [mine]: 'mine' })
    const before = modules()
    rmSync(join(dir, '.agent-apps.json'))
    await compile({ paths: [dir] })
    expect(modules().filter(name => before.includes(name))).toEqual([mine.slice(12)])
    rmSync(join(dir, '.agent-apps.json'))
    const [changed = ''] = modules().filter(name => !mine.endsWith(name) && name.endsWith('.mjs'))
    await clean({ paths: [dir] })
    expect(modules()).toEqual([mine.slice(12)])
    await compile({ paths: [dir] })
    rmSync(join(dir, '.agent-apps.json'))
    writeTree(dir, { [`.agent-apps/${changed}`]: 'mine by now' })
    await clean({ paths: [dir] })
    expect(modules().sort()).toEqual([changed, mine.slice(12)].sort())
  })

  it.each(['EROFS', 'EACCES'] as const)(
    'says which file of a directory that is read-only cannot be removed: %s',
    async code => {
      const dir = makeTree(goodSkills(2))
      const bare = snapshot(dir)
      const cleaned = () => withReadOnly(dir, code, () => clean({ paths: [dir] }))
      expect((await cleaned()).removed).toEqual([])
      await compile({ paths: [dir] })
      const before = snapshot(dir)
      const file = join(dir, '.agent-apps.json')
      await expect(cleaned()).rejects.toMatchObject({
        code: 'INDEX_NOT_WRITABLE',
        message: expect.stringContaining(`${file} cannot be removed: ${code}`),
        hint: expect.stringContaining('Make the directory writable'),
        file,
        cause: { code },
      })
      expect(snapshot(dir)).toEqual(before)
      await clean({ paths: [dir] })
      mkdirSync(join(dir, '.agent-apps'))
      await expect(cleaned()).rejects.toMatchObject({
        code: 'INDEX_NOT_WRITABLE',
        file: join(dir, '.agent-apps'),
      })
      await clean({ paths: [dir] })
      expect(snapshot(dir)).toEqual(bare)
    },
  )

  it('can be done again after it was killed at any file', { tags: 'long' }, async () => {
    const tree = {
      ...MANY,
      'one.skill.js':
        "export const frontmatter = { name: 'one', description: 'D.' }\nexport default () => 1\n",
    }
    const dir = makeTree(tree)
    const before = snapshot(dir)
    await compile({ paths: [dir] })
    const { removed } = await clean({ cwd: dir, paths: ['.'], dryRun: true })
    expect(removed.length).toBeGreaterThan(4)
    for (let killedAt = 1; killedAt < removed.length; killedAt += isLong ? 1 : 2) {
      await compile({ paths: [dir] })
      for (const file of removed.slice(0, killedAt)) rmSync(join(dir, file))
      await clean({ paths: [dir] })
      expect(snapshot(dir)).toEqual(before)
    }
  })

  it('keeps files of others in its folder, also such as look like its own', async () => {
    const dir = makeTree(MANY)
    await compile({ paths: [dir] })
    const foreign: Tree = {
      '.agent-apps/mine.txt': 'x',
      [`.agent-apps/index-${'a'.repeat(32)}.json`]: 'not what the name says',
      '.agent-apps/index-short.json': 'x',
      '.agent-apps/sub/index-1.json': 'x',
      [`.agent-apps/index-${'b'.repeat(32)}.json/inner.txt`]: 'a folder',
      [`.agent-apps/index-${'c'.repeat(32)}.json`]: { link: 'nowhere' },
      [`.agent-apps/index-${'d'.repeat(32)}.json.1.tmp/inner.txt`]: 'a folder',
      '.agent-apps/cache.d/x': 'x',
    }
    writeTree(dir, foreign)
    writeTree(dir, { 'good-1/SKILL.md': skill('good-1', 'Compiled again.\n') })
    await compile({ paths: [dir] })
    await clean({ paths: [dir] })
    for (const path of Object.keys(foreign)) expect(Object.keys(snapshot(dir))).toContain(path)
    expect(
      Object.keys(snapshot(join(dir, '.agent-apps'))).filter(name => /cache\.json|gitignore/.test(name)),
    ).toEqual([])
  })

  it('keeps a .gitignore that is not its own', async () => {
    const dir = makeTree({ ...goodSkills(1), '.agent-apps/.gitignore': 'mine\n' })
    const before = snapshot(dir)
    await compile({ paths: [dir] })
    await clean({ paths: [dir] })
    expect(snapshot(dir)).toEqual(before)
  })

  it('removes what a compile that was killed left behind', async () => {
    const dir = makeTree(MANY)
    const before = snapshot(dir)
    await compile({ paths: [dir] })
    writeTree(dir, {
      '.agent-apps.json.4194000.tmp': 'half',
      [`.agent-apps/index-${'0'.repeat(32)}.json.4194000.tmp`]: 'half',
      '.agent-apps/cache.json.4194000.tmp': 'half',
      '.agent-apps/.gitignore.4194000.tmp': 'half',
      '.agent-apps/cache.lock': `4194000 ${(await import('node:os')).hostname()} 1\n`,
      [`.agent-apps/cache.lock.${'0'.repeat(16)}`]: `4194000 ${(await import('node:os')).hostname()} 1\n`,
    })
    await clean({ paths: [dir] })
    expect(snapshot(dir)).toEqual(before)
  })

  it('neither follows nor replaces a folder that is a link', async () => {
    const dir = makeTree(goodSkills(1))
    const elsewhere = makeTree({ 'cache.json': 'x', '.gitignore': 'cache*\n*.tmp\n' })
    const before = snapshot(elsewhere)
    symlinkSync(elsewhere, join(dir, '.agent-apps'))
    await expect(compile({ paths: [dir] })).rejects.toMatchObject({ code: 'INDEX_NOT_WRITABLE' })
    await clean({ paths: [dir] })
    expect(snapshot(elsewhere)).toEqual(before)
    expect(existsSync(join(dir, '.agent-apps'))).toBe(true)
    expect(existsSync(join(dir, '.agent-apps.json'))).toBe(false)
  })

  it('replaces an index that is a link, and not what it leads to', async () => {
    const dir = makeTree(goodSkills(1))
    const target = join(temporary(), 'target.json')
    writeFileSync(target, 'precious')
    symlinkSync(target, join(dir, '.agent-apps.json'))
    await compile({ paths: [dir] })
    expect(readFileSync(target, 'utf8')).toBe('precious')
    await clean({ paths: [dir] })
    expect(readFileSync(target, 'utf8')).toBe('precious')
  })

  it('touches no entry that is not the project’s own', async () => {
    const cwd = makeTree({
      'own/a/SKILL.md': skill('a'),
      'other/b/SKILL.md': skill('b'),
      'home/c/SKILL.md': skill('c'),
    })
    const paths = ['own', { dir: 'other', external: true }, { dir: 'home', layer: 'global' as const }]
    const before = snapshot(cwd)
    const { written } = await compile({ cwd, paths })
    expect(written).toEqual(['own/.agent-apps.json'])
    await compile({ cwd, paths: ['other'] })
    const compiledOther = snapshot(join(cwd, 'other'))
    await clean({ cwd, paths })
    expect(snapshot(join(cwd, 'other'))).toEqual(compiledOther)
    await clean({ cwd, paths: ['other'] })
    expect(snapshot(cwd)).toEqual(before)
  })
})

describe('compile({ check: true })', () => {
  it('writes nothing, and says what a compile would write', async () => {
    const dir = makeTree(MANY)
    const before = snapshot(dir, { times: true })
    const first = await compile({ cwd: dir, paths: ['.'], check: true })
    expect([first.written, first.outdated.at(-1)]).toEqual([[], '.agent-apps.json'])
    expect(snapshot(dir, { times: true })).toEqual(before)

    const { written } = await compile({ cwd: dir, paths: ['.'] })
    expect(first.outdated).toEqual(written)
    expect((await compile({ cwd: dir, paths: ['.'], check: true })).outdated).toEqual([])

    writeTree(dir, { 'good-7/SKILL.md': skill('good-7', 'Changed.\n') })
    const changed = snapshot(dir, { times: true })
    expect((await compile({ cwd: dir, paths: ['.'], check: true })).outdated.length).toBeGreaterThan(1)
    expect(snapshot(dir, { times: true })).toEqual(changed)
  })

  it.each([
    [
      'content of the same size',
      (dir: string) => writeTree(dir, { 'good-1/SKILL.md': skill('good-1', 'Be good-1.\n') }),
    ],
    ['a resource', (dir: string) => writeTree(dir, { 'good-1/a.txt': 'b' })],
    ['a skill more', (dir: string) => writeTree(dir, { 'deep/er/SKILL.md': skill('er') })],
    ['a skill less', (dir: string) => rmSync(join(dir, 'good-2'), { recursive: true })],
    [
      'an index that was edited',
      (dir: string) =>
        writeFileSync(
          join(dir, '.agent-apps.json'),
          readFileSync(join(dir, '.agent-apps.json'), 'utf8').replace('does.', 'did. '),
        ),
    ],
    ['a folder that was renamed', (dir: string) => renameSync(join(dir, 'good-2'), join(dir, 'better-2'))],
    ['a name that was changed', (dir: string) => writeTree(dir, { 'good-3/SKILL.md': skill('bood-3') })],
    [
      'the cascade of a main skill above',
      (dir: string) =>
        writeTree(dir, {
          'SKILL.md': skill(
            'top',
            'Do top.\n',
            'metadata: { role: main, $promote: { $skills: { a: 2 } } }\n',
          ),
        }),
    ],
    [
      'an index that another library went into',
      (dir: string) =>
        writeFileSync(
          join(dir, '.agent-apps.json'),
          readFileSync(join(dir, '.agent-apps.json'), 'utf8').replace(/"cascadeKey":"../, '"cascadeKey":"00'),
        ),
    ],
    ['no index', (dir: string) => rmSync(join(dir, '.agent-apps.json'))],
  ])('sees %s', async (_, change) => {
    const dir = makeTree({ ...goodSkills(4), 'good-1/a.txt': 'a' })
    await compile({ paths: [dir] })
    change(dir)
    expect((await compile({ cwd: dir, paths: ['.'], check: true })).outdated).toEqual(['.agent-apps.json'])
  })
})

describe('what cannot be compiled', () => {
  it.each([
    ['a directory that does not exist', 'nowhere', 'DIRECTORY_NOT_FOUND'],
    ['a file', 'file.txt', 'DIRECTORY_NOT_FOUND'],
  ])('%s', async (_, path, code) => {
    const cwd = makeTree({ 'file.txt': 'x' })
    await expect(compile({ cwd, paths: [path] })).rejects.toMatchObject({ code })
    await expect(clean({ cwd, paths: [path] })).rejects.toMatchObject({ code })
  })

  it('no entry of the project’s own', async () => {
    const cwd = makeTree({ 'a/SKILL.md': skill('a') })
    for (const paths of [[], [{ dir: 'a', external: true }], [{ ignore: 'x' }]]) {
      await expect(compile({ cwd, paths })).rejects.toMatchObject({ code: 'NO_SKILL_PATHS' })
    }
  })

  it('an index in whose place a directory lies', async () => {
    const dir = makeTree({ ...goodSkills(2), '.agent-apps.json/x': 'x' })
    await expect(compile({ paths: [dir] })).rejects.toMatchObject({ code: 'INDEX_NOT_WRITABLE' })
    mkdirSync(dirname(join(dir, 'x')), { recursive: true })
    expect(readFileSync(join(dir, '.agent-apps.json/x'), 'utf8')).toBe('x')
  })

  it('an aborted compile leaves everything as it was', async () => {
    const dir = makeTree(goodSkills(20))
    const before = snapshot(dir)
    const controller = new AbortController()
    const onProgress = ({ done }: { done: number }): void => {
      if (done === 10) controller.abort(new Error('enough'))
    }
    await expect(compile({ paths: [dir], signal: controller.signal, onProgress })).rejects.toMatchObject({
      code: 'COMPILE_ABORTED',
      cause: { message: 'enough' },
    })
    expect(snapshot(dir)).toEqual(before)
  })

  it('reports progress up to the last file', async () => {
    const dir = makeTree(goodSkills(20))
    const seen: [number, number][] = []
    await compile({ paths: [dir], onProgress: ({ done, total }) => seen.push([done, total]) })
    expect(seen.at(-1)).toEqual([20, 20])
  })
})
