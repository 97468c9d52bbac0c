import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { clean, compile } from 'agent-apps/compiler'
import { afterEach, expect, it, vi } from 'vitest'
import { processOwner } from '../../compiler/files/process-owner.js'
import { withDirectoryLock } from '../../compiler/index/index-directory.js'
import { builtSource } from '../support/built-source.js'
import { times } from '../support/long.js'
import { startCode } from '../support/processes.js'
import { makeTree, skill, snapshot, type Tree } from '../support/tree.js'

/** When a process was started, as the system counts; as far as it tells. */
const startOf = (pid: number): string =>
  process.platform === 'linux'
    ? (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '')
    : '0'

/** No process has this number. */
const GONE = 4_194_000

afterEach(() => {
  vi.restoreAllMocks()
})

it('a lock that came with a checkout is not waited for', async () => {
  const made = Date.now() - 3_600_000
  const dir = makeTree({
    'a.skill.md': skill('a'),
    '.agent-apps/cache.lock': `1 another-machine ${made}\n`,
  })
  const started = Date.now()
  expect((await compile({ paths: [dir] })).counts.found).toBe(1)
  expect(Date.now() - started).toBeLessThan(30_000)
  expect(readdirSync(join(dir, '.agent-apps')).filter(name => name.startsWith('cache.lock'))).toEqual([])
})

it.each([
  ['of our own number', `${process.pid} ${hostname()} ${Date.now()}\n`],
  ['of our own number, and of another start', `${process.pid} ${hostname()} ${Date.now()} 1\n`],
  [
    'of our own number and start, from before we were started',
    processOwner().replace(/ \d+( \d+)$/, ' 1000$1\n'),
  ],
])('a lock %s is one that a killed compile left, and is taken over', async (_, text) => {
  const dir = makeTree({ 'a.skill.md': skill('a'), '.agent-apps/cache.lock': text })
  const started = Date.now()
  expect((await compile({ paths: [dir] })).counts.found).toBe(1)
  expect(Date.now() - started).toBeLessThan(30_000)
  expect(existsSync(join(dir, '.agent-apps/cache.lock'))).toBe(false)
})

it.skipIf(process.platform !== 'linux')(
  'a lock of a number that another process has by now is taken over',
  async () => {
    const text = `${process.ppid} ${hostname()} ${Date.now()} 1\n`
    const dir = makeTree({ 'a.skill.md': skill('a'), '.agent-apps/cache.lock': text })
    expect((await compile({ paths: [dir] })).counts.found).toBe(1)
  },
)

it.each([
  ['of another machine, made just now', `1 another-machine ${Date.now()}\n`],
  ['of a process that runs', `${process.ppid} ${hostname()} 1\n`],
  ['of a process that runs since then', `${process.ppid} ${hostname()} 1 ${startOf(process.ppid)}\n`],
  ['of another thread of ours', `${processOwner()}\n`],
])('a lock %s is waited for', async (_, text) => {
  const dir = makeTree({ '.agent-apps/cache.lock': text })
  const lock = join(dir, '.agent-apps/cache.lock')
  setTimeout(() => {
    expect(readFileSync(lock, 'utf8')).toBe(text)
    rmSync(lock)
  }, 60)
  const started = Date.now()
  await withDirectoryLock(dir, () => {})
  expect(Date.now() - started).toBeGreaterThan(50)
})

it.each<[string, Tree]>([
  ['a file', { '.agent-apps/cache.lock': 'GEM\n  remote: https://rubygems.org\n' }],
  ['an old file that begins as one', { '.agent-apps/cache.lock': `${GONE} ${hostname()} 1 and more\n` }],
  ['a folder', { '.agent-apps/cache.lock/mine': 'x' }],
])('what is not a lock is neither waited for nor removed: %s', async (_, tree) => {
  const dir = makeTree({ ...tree, 'a.skill.md': skill('a') })
  const lock = join(dir, '.agent-apps/cache.lock')
  utimesSync(lock, 1e9, 1e9)
  const before = snapshot(dir)
  const started = Date.now()
  await expect(compile({ paths: [dir] })).rejects.toMatchObject({ code: 'INDEX_NOT_WRITABLE', file: lock })
  await clean({ paths: [dir] })
  expect(Date.now() - started).toBeLessThan(30_000)
  expect(snapshot(dir)).toEqual(before)
})

it('what is not a takeover is neither an obstacle nor removed', async () => {
  const folder = `.agent-apps/cache.lock.${'1'.repeat(16)}`
  const file = `.agent-apps/cache.lock.${'2'.repeat(16)}`
  const dir = makeTree({ 'a.skill.md': skill('a'), [`${folder}/mine`]: 'x', [file]: 'mine' })
  for (const path of [folder, file]) utimesSync(join(dir, path), 1e9, 1e9)
  const before = snapshot(dir)
  await compile({ paths: [dir] })
  await clean({ paths: [dir] })
  expect(snapshot(dir)).toEqual(before)
})

it('of two that see one abandoned lock, only one takes it over', async () => {
  const dir = makeTree({ '.agent-apps/cache.lock': `${GONE} ${hostname()} 1\n` })
  const lock = join(dir, '.agent-apps/cache.lock')
  const other = `${process.ppid} ${hostname()} ${Date.now()}\n`
  const kill = process.kill.bind(process)
  // At the moment at which this one learns that the holder is gone, another has taken the lock over.
  vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    if (pid === GONE && existsSync(lock)) {
      rmSync(lock)
      writeFileSync(lock, other)
      setTimeout(() => rmSync(lock), 80)
    }
    return kill(pid, signal)
  })
  const started = Date.now()
  await withDirectoryLock(dir, () => {
    expect(readFileSync(lock, 'utf8')).not.toBe(other)
  })
  expect(Date.now() - started).toBeGreaterThan(70)
  expect(readdirSync(join(dir, '.agent-apps'))).toEqual([])
})

it('one that was killed while it took a lock over does not keep others from it for good', async () => {
  const dir = makeTree({ '.agent-apps/cache.lock': `${GONE} ${hostname()} 1\n` })
  const folder = join(dir, '.agent-apps')
  const { hash } = await import('node:crypto')
  const { ino, mtimeMs } = (await import('node:fs')).statSync(join(folder, 'cache.lock'))
  const digest = hash('sha256', `${ino} ${mtimeMs} ${GONE} ${hostname()} 1\n`).slice(0, 16)
  const takeover = join(folder, `cache.lock.${digest}`)
  writeFileSync(takeover, '')
  utimesSync(takeover, 0, 0)
  await withDirectoryLock(dir, () => {})
  expect(readdirSync(folder)).toEqual([])
})

it('many processes that find abandoned locks work one at a time', { tags: 'long' }, async () => {
  const dir = makeTree({ 'working/none': '' })
  const module = await builtSource('compiler/index/index-directory.ts')
  const worker = `
    import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
    const { withDirectoryLock } = await import('${module}')
    for (let round = 0; round < ${times(10, 40)}; round++) {
      await withDirectoryLock('${dir}', () => {
        mkdirSync('${dir}/working/one')
        const until = Date.now() + 2
        while (Date.now() < until);
        rmdirSync('${dir}/working/one')
        // Ends as if it were killed: the lock stays, of a process that is gone.
        if (round % 4 === 0) setImmediate(() => {
          try { writeFileSync('${dir}/.agent-apps/cache.lock', '${GONE} ${hostname()} 1', { flag: 'wx' }) } catch (error) {
            // Another one's lock lies there.
            if (error.code !== 'EEXIST') throw error
          }
        })
      })
    }
    console.log('done')`
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => startCode(worker)))
  expect(outcomes).toEqual(Array(4).fill('done\n'))
})
