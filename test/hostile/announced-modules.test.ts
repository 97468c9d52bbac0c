import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { clean, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { makeTree, setTimes, skill, snapshot, type Tree, writeTree } from '../support/tree.js'

/** No process has this number. */
const GONE = `4194000 ${hostname()} ${Date.now()} a`
const HELD = `${process.ppid} ${hostname()} ${Date.now()} another-compile`
const LIST = '.agent-apps/cache.modules'
const LOST = '.agent-apps/module-ABCDEFGH.mjs'
const OTHER = '.agent-apps/chunk-01234567.mjs.map'

const CODE: Tree = {
  'a.skill.md': skill('a'),
  'one.skill.js': "export const frontmatter = { name: 'one', description: 'D.' }\nexport default () => 1\n",
}
/** Only running it tells what it is, so that its module is written before all others are known. */
const RUN = "export const frontmatter = { name: 'run', description: ['D.'].join() }\nexport default () => 2\n"

const line = (file: string, contents: string, owner: string): string =>
  `${file} ${createHash('sha256').update(contents).digest('hex')} ${owner}\n`
const modules = (dir: string): string[] =>
  readdirSync(join(dir, '.agent-apps')).filter(name => /^(?:module|chunk)-/.test(name))

/** A compiled directory in which a compile was killed that had written a module. */
async function afterKill(tree: Tree = CODE): Promise<string> {
  const dir = makeTree(tree)
  setTimes(dir)
  await compile({ paths: [dir] })
  writeTree(dir, { [LOST]: 'lost', [LIST]: line(LOST, 'lost', GONE) + line(OTHER, 'never written', GONE) })
  return dir
}

describe('modules that a killed compile had announced', () => {
  it('are removed by a compile that finds nothing else to do', async () => {
    const dir = await afterKill()
    const { written, reused } = await compile({ paths: [dir] })
    expect([written, reused]).toEqual([[], 2])
    expect([existsSync(join(dir, LOST)), existsSync(join(dir, LIST))]).toEqual([false, false])
    expect(modules(dir)).toHaveLength(2)
  })

  it('are removed by a compile that writes an index', async () => {
    const dir = await afterKill()
    writeTree(dir, { 'one.skill.js': String(CODE['one.skill.js']).replace('=> 1', '=> 3') })
    await compile({ paths: [dir] })
    expect([existsSync(join(dir, LOST)), existsSync(join(dir, LIST))]).toEqual([false, false])
    expect(modules(dir)).toHaveLength(2)
  })

  it('are removed by `clean`, which says so', async () => {
    const dir = await afterKill()
    const { removed } = await clean({ cwd: dir, paths: ['.'] })
    expect(removed).toEqual(expect.arrayContaining([LOST, LIST]))
    expect(snapshot(dir)).toEqual(snapshot(makeTree(CODE)))
  })

  it('are read once, however often a list names them, and not at all where it is too long', async () => {
    const dir = await afterKill()
    const many = (count: number) => line(LOST, 'other', GONE).repeat(count)
    writeTree(dir, { [LOST]: 'x'.repeat(4 * 1024 * 1024), [LIST]: many(20_000) })
    await compile({ paths: [dir] })
    expect([existsSync(join(dir, LOST)), existsSync(join(dir, LIST))]).toEqual([true, false])
    writeTree(dir, { [LOST]: 'lost', [LIST]: line(LOST, 'lost', GONE) + many(80_000) })
    await compile({ paths: [dir] })
    expect([existsSync(join(dir, LOST)), existsSync(join(dir, LIST))]).toEqual([true, false])
  }, 20_000)

  it.each([
    `0 ${hostname()} ${Date.now()} a`,
    `-1 ${hostname()} ${Date.now()} a`,
    `${process.pid} ${hostname()} 9e15 a`,
  ])('are nobody’s who %s names', async owner => {
    const dir = await afterKill()
    writeTree(dir, { [LIST]: line(LOST, 'lost', owner) })
    await clean({ paths: [dir] })
    expect([existsSync(join(dir, LOST)), existsSync(join(dir, LIST))]).toEqual([false, false])
  })

  it('stay where the index names them', async () => {
    const dir = await afterKill()
    const name = modules(dir).find(one => !LOST.endsWith(one)) ?? ''
    const file = `.agent-apps/${name}`
    writeTree(dir, { [LIST]: line(file, readFileSync(join(dir, file), 'utf8'), GONE) })
    await compile({ paths: [dir] })
    expect([existsSync(join(dir, file)), existsSync(join(dir, LIST))]).toEqual([true, false])
  })

  it('stay, and so does the list, while the process that announced them runs', async () => {
    const dir = await afterKill()
    writeTree(dir, { [OTHER]: 'held', [LIST]: line(LOST, 'lost', GONE) + line(OTHER, 'held', HELD) })
    await compile({ paths: [dir] })
    expect([existsSync(join(dir, LOST)), existsSync(join(dir, OTHER))]).toEqual([false, true])
    expect(readFileSync(join(dir, LIST), 'utf8')).toBe(line(OTHER, 'held', HELD))
    await clean({ paths: [dir] })
    expect([existsSync(join(dir, OTHER)), existsSync(join(dir, LIST))]).toEqual([true, true])
  })

  it('are removed from a compile of this process that failed long ago', async () => {
    const dir = await afterKill()
    writeTree(dir, { [LIST]: line(LOST, 'lost', `${process.pid} ${hostname()} 1 a`) })
    await compile({ paths: [dir] })
    expect([existsSync(join(dir, LOST)), existsSync(join(dir, LIST))]).toEqual([false, false])
  })
})

describe('a list that names what is not ours', () => {
  it('has nothing of it removed', async () => {
    for (const tidy of [compile, clean]) {
      const dir = makeTree({ 'skills/a.skill.md': skill('a'), 'mine.txt': 'mine' })
      const skills = join(dir, 'skills')
      await compile({ paths: [skills] })
      const foreign: Tree = {
        'mine.txt': 'mine',
        'skills/notes.txt': 'mine',
        'skills/module-ABCDEFGH.mjs': 'mine',
        'skills/.agent-apps/mine.mjs': 'mine',
        'skills/.agent-apps/sub/module-ABCDEFGH.mjs': 'mine',
        [`skills/${LOST}`]: 'edited',
        'skills/.agent-apps/module-FOLDER00.mjs/mine.txt': 'mine',
        'skills/.agent-apps/module-LINK0000.mjs': { link: '../notes.txt' },
      }
      writeTree(dir, foreign)
      const poisoned = [
        '../mine.txt',
        '/mine.txt',
        join(dir, 'mine.txt'),
        'notes.txt',
        'module-ABCDEFGH.mjs',
        'a.skill.md',
        '.agent-apps.json',
        '.agent-apps/../mine.txt',
        '.agent-apps/../module-ABCDEFGH.mjs',
        '.agent-apps/../../mine.txt',
        '.agent-apps\\..\\mine.txt',
        '.agent-apps/mine.mjs',
        '.agent-apps/sub/module-ABCDEFGH.mjs',
        '.agent-apps/module-FOLDER00.mjs',
        '.agent-apps/module-FOLDER00.mjs/mine.txt',
        '.agent-apps/module-LINK0000.mjs',
        LOST,
        '',
        '\0',
      ]
      const texts = poisoned.flatMap(file => [line(file, 'mine', GONE), line(file, skill('a'), GONE), file])
      writeFileSync(join(skills, LIST), `${texts.join('')}\n\n{}\n[null]\n${'x'.repeat(100_000)}`)
      await tidy({ paths: [skills] })
      expect(Object.keys(snapshot(dir))).toEqual(expect.arrayContaining(Object.keys(foreign)))
      expect(existsSync(join(skills, 'a.skill.md'))).toBe(true)
      expect(existsSync(join(skills, LIST))).toBe(false)
    }
  })

  it('is left alone where it is no file', async () => {
    for (const item of [{ [`${LIST}/mine.txt`]: 'mine' }, { [LIST]: { link: '../notes.txt' } }] as Tree[]) {
      const dir = makeTree({ ...CODE, ...item, 'notes.txt': line(LOST, 'lost', GONE), [LOST]: 'lost' })
      const change = compile({ paths: [dir] })
      if (`${LIST}/mine.txt` in item)
        await expect(change).rejects.toMatchObject({ code: 'INDEX_NOT_WRITABLE' })
      else await change
      await clean({ paths: [dir] })
      expect([existsSync(join(dir, LOST)), existsSync(join(dir, 'notes.txt'))]).toEqual([true, true])
    }
  })
})

describe('the list of a compile', () => {
  it('is not made where no module comes or goes', async () => {
    const dir = makeTree(CODE)
    await compile({ paths: [dir] })
    writeTree(dir, { 'a.skill.md': skill('a', 'Changed.\n') })
    writeTree(dir, { [`${LIST}/in-its-way.txt`]: 'x' })
    const { written } = await compile({ cwd: dir, paths: ['.'] })
    expect(written).toEqual(['.agent-apps.json'])
  })

  it('is settled where it fails after it wrote a module to run it', async () => {
    const dir = makeTree({ ...CODE, 'run.skill.js': RUN, '.agent-apps.json/x': 'in its way' })
    await expect(compile({ paths: [dir] })).rejects.toMatchObject({ code: 'INDEX_NOT_WRITABLE' })
    expect([modules(dir), existsSync(join(dir, LIST))]).toEqual([[], false])
  })

  it('has what an index no longer names removed', async () => {
    const dir = makeTree({ ...CODE, 'run.skill.js': RUN })
    await compile({ paths: [dir] })
    expect(modules(dir)).toHaveLength(4)
    rmSync(join(dir, 'run.skill.js'))
    await compile({ paths: [dir] })
    expect([modules(dir).length, existsSync(join(dir, LIST))]).toEqual([2, false])
  })
})

it('what a compile that was killed under its lock left goes with the next one that finds nothing to do', async () => {
  const dir = makeTree(CODE)
  setTimes(dir)
  await compile({ paths: [dir] })
  const before = snapshot(dir)
  const text = 'half'
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32)
  writeTree(dir, {
    // A lock names the process alone.
    '.agent-apps/cache.lock': `${GONE.slice(0, -2)}\n`,
    [`.agent-apps/index-${digest}.json`]: text,
    '.agent-apps.json.4194000.tmp': 'half',
  })
  expect((await compile({ paths: [dir] })).written).toEqual([])
  expect(snapshot(dir)).toEqual(before)
})
