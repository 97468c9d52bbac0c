import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { clean, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { withDirectoryLock } from '../../compiler/index/index-directory.js'
import { makeTree, setTimes, skill, snapshot, type Tree, writeTree } from '../support/tree.js'

/** No process has this number. */
const GONE = `4194000 ${hostname()} ${Date.now()}`
const LOST = '.agent-apps/module-ABCDEFGH.mjs'
const LOST_MAP = '.agent-apps/chunk-01234567.mjs.map'
/** What a compile begins its modules and their source maps with. */
const MARK = '// Made by agent-apps. Do not edit: the next `agent-apps compile` replaces it.\n'
const LOST_FILES: Tree = { [LOST]: `${MARK}lost`, [LOST_MAP]: '{\n  "version": 3,\n' }

const CODE: Tree = {
  'a.skill.md': skill('a'),
  'one.skill.js': "export const frontmatter = { name: 'one', description: 'D.' }\nexport default () => 1\n",
}
/** Only running it tells what it is, so that its module is written before all others are known. */
const RUN = "export const frontmatter = { name: 'run', description: ['D.'].join() }\nexport default () => 2\n"

const modules = (dir: string): string[] =>
  readdirSync(join(dir, '.agent-apps')).filter(name => /^(?:module|chunk)-/.test(name))
const lost = (dir: string): boolean[] => Object.keys(LOST_FILES).map(file => existsSync(join(dir, file)))

/** A compiled directory in which a compile was killed that had written modules. */
async function afterKill(tree: Tree = CODE): Promise<string> {
  const dir = makeTree(tree)
  setTimes(dir)
  await compile({ paths: [dir] })
  writeTree(dir, LOST_FILES)
  return dir
}

describe('modules that a killed compile had written', () => {
  it('are removed by a compile that finds nothing else to do', async () => {
    const dir = await afterKill()
    const { written, reused } = await compile({ paths: [dir] })
    expect([written, reused]).toEqual([[], 2])
    expect(lost(dir)).toEqual([false, false])
    expect(modules(dir)).toHaveLength(2)
  })

  it('are removed by a compile that writes an index', async () => {
    const dir = await afterKill()
    writeTree(dir, { 'one.skill.js': String(CODE['one.skill.js']).replace('=> 1', '=> 3') })
    await compile({ paths: [dir] })
    expect(lost(dir)).toEqual([false, false])
    expect(modules(dir)).toHaveLength(2)
  })

  it('are removed by `clean`, which says so', async () => {
    const dir = await afterKill()
    const { removed } = await clean({ cwd: dir, paths: ['.'] })
    expect(removed).toEqual(expect.arrayContaining([LOST, LOST_MAP]))
    expect(snapshot(dir)).toEqual(snapshot(makeTree(CODE)))
  })

  it('are removed where neither an index nor a cache is left', async () => {
    const dir = await afterKill()
    for (const file of ['.agent-apps.json', '.agent-apps/cache.json']) rmSync(join(dir, file))
    await clean({ paths: [dir] })
    expect(snapshot(dir)).toEqual(snapshot(makeTree(CODE)))
  })

  it('are removed where its lock was left, too', async () => {
    const dir = await afterKill()
    writeTree(dir, { '.agent-apps/cache.lock': `${GONE}\n` })
    await compile({ paths: [dir] })
    expect([...lost(dir), existsSync(join(dir, '.agent-apps/cache.lock'))]).toEqual([false, false, false])
  })

  it('stay where the index names them', async () => {
    const dir = await afterKill()
    const named = modules(dir).filter(name => !(`.agent-apps/${name}` in LOST_FILES))
    expect(readFileSync(join(dir, '.agent-apps', named[0] ?? ''), 'utf8').startsWith(MARK)).toBe(true)
    await compile({ paths: [dir] })
    expect(modules(dir)).toEqual(named)
  })

  it('stay while a process that runs holds the lock: it may be about to name them', async () => {
    const dir = await afterKill()
    await withDirectoryLock(dir, async () => {
      await compile({ paths: [dir] })
      expect(lost(dir)).toEqual([true, true])
      const { removed } = await clean({ cwd: dir, paths: ['.'], dryRun: true })
      expect(removed).toContain('.agent-apps.json')
      expect(removed).not.toContain(LOST)
    })
    await compile({ paths: [dir] })
    expect(lost(dir)).toEqual([false, false])
  })

  it('stay where the index is one that this version cannot read', async () => {
    const dir = await afterKill()
    const aborted = compile({ paths: [dir], force: true, signal: AbortSignal.abort() })
    writeTree(dir, { '.agent-apps.json': '{"version":3}' })
    await expect(aborted).rejects.toThrow()
    expect(lost(dir)).toEqual([true, true])
  })
})

it('what is not ours by its name and its first line is never removed', async () => {
  for (const tidy of [compile, clean]) {
    const dir = makeTree({ 'skills/a.skill.md': skill('a') })
    const skills = join(dir, 'skills')
    await compile({ paths: [skills] })
    const foreign: Tree = {
      'mine.txt': `${MARK}mine`,
      'module-ABCDEFGH.mjs': `${MARK}mine`,
      'skills/module-ABCDEFGH.mjs': `${MARK}mine`,
      'skills/.agent-apps/mine.mjs': `${MARK}mine`,
      'skills/.agent-apps/module-abcdefgh.mjs': `${MARK}mine`,
      'skills/.agent-apps/module-ABCDEFGHI.mjs': `${MARK}mine`,
      'skills/.agent-apps/module-ABCDEFGH.mjs.txt': `${MARK}mine`,
      'skills/.agent-apps/sub/module-ABCDEFGH.mjs': `${MARK}mine`,
      'skills/.agent-apps/module-EDITED00.mjs': 'mine',
      'skills/.agent-apps/module-BELOW000.mjs': `\n${MARK}`,
      'skills/.agent-apps/module-PARTLY00.mjs': MARK.slice(0, -10),
      'skills/.agent-apps/module-EMPTY000.mjs': '',
      'skills/.agent-apps/module-MAPPED00.mjs.map': '{"version":3}',
      'skills/.agent-apps/module-FOLDER00.mjs/mine.txt': `${MARK}mine`,
      'skills/.agent-apps/module-LINK0000.mjs': { link: '../../mine.txt' },
    }
    writeTree(dir, foreign)
    await tidy({ paths: [skills] })
    expect(Object.keys(snapshot(dir))).toEqual(expect.arrayContaining(Object.keys(foreign)))
    expect(existsSync(join(skills, 'a.skill.md'))).toBe(true)
  }
})

describe('the modules of a compile', () => {
  it('are removed where it fails after it wrote one to run it', async () => {
    const dir = makeTree({ ...CODE, 'run.skill.js': RUN, '.agent-apps.json/x': 'in its way' })
    await expect(compile({ paths: [dir] })).rejects.toMatchObject({ code: 'INDEX_NOT_WRITABLE' })
    expect(modules(dir)).toEqual([])
  })

  it('are removed once its index no longer names them', async () => {
    const dir = makeTree({ ...CODE, 'run.skill.js': RUN })
    await compile({ paths: [dir] })
    expect(modules(dir)).toHaveLength(4)
    rmSync(join(dir, 'run.skill.js'))
    await compile({ paths: [dir] })
    expect(modules(dir)).toHaveLength(2)
  })

  it('lie there while they are run, though another compile ends meanwhile', async () => {
    const dir = makeTree({
      ...CODE,
      'run.skill.js': `await new Promise(done => setTimeout(done, 500))\n${RUN}`,
    })
    const one = compile({ paths: [dir] })
    const other = compile({ paths: [dir], force: true })
    for (const { diagnostics } of await Promise.all([one, other])) expect(diagnostics).toEqual([])
    expect(modules(dir)).toHaveLength(4)
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
    '.agent-apps/cache.lock': `${GONE}\n`,
    [`.agent-apps/index-${digest}.json`]: text,
    '.agent-apps.json.4194000.tmp': 'half',
  })
  expect((await compile({ paths: [dir] })).written).toEqual([])
  expect(snapshot(dir)).toEqual(before)
})
