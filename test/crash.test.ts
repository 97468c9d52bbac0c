import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clean, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { startCompileProcess } from './support/compile-process.js'
import { progress, times } from './support/long.js'
import { ROOT } from './support/processes.js'
import { temporary } from './support/temporary.js'
import { compiled, makeTree, snapshot, writeTree } from './support/tree.js'
import { expectWhole, freshVersions, versionTree } from './support/versions.js'

const KILLS = times(32, 10_000)
const FAULTS = times(6, 300)
const HOUR = 3_600_000
/** Directories that a process compiles at once, so that its death is that of as many compiles. */
const AT_ONCE = 16

/** A compile without any fault comes to what it does in a new directory. */
async function expectLikeNew(dir: string, round: number, options = {}): Promise<void> {
  await compile({ paths: [dir] })
  const fresh = makeTree(versionTree(round, options))
  await compile({ paths: [fresh] })
  expect(compiled(dir)).toEqual(compiled(fresh))
  expect(existsSync(join(dir, '.agent-apps/cache.modules'))).toBe(false)
  rmSync(fresh, { recursive: true })
}

describe('compiles that are killed before a call that writes', () => {
  it(
    `leave the old index or the new one, and nothing for good, ${KILLS} times`,
    async () => {
      const isRun = { isRun: true }
      const kinds = Array.from({ length: AT_ONCE }, (_, number) => (number % 8 === 0 ? isRun : {}))
      const directories = kinds.map(options => makeTree(versionTree(0, options)))
      for (const dir of directories) await compile({ paths: [dir] })
      const [plain, run] = [freshVersions(), freshVersions(isRun)]
      const bare = makeTree(versionTree(0))

      const others = kinds.map(options => makeTree(versionTree(1, options)))
      const probe = startCompileProcess()
      const { calls = 0 } = (await probe.ask({ directories: others })).done ?? {}
      expect(calls).toBeGreaterThan(20 * AT_ONCE)
      await probe.end()
      let child = startCompileProcess()

      const rounds = Math.ceil(KILLS / AT_ONCE)
      let killed = 0
      for (let round = 1; round <= rounds; round++) {
        for (const [number, dir] of directories.entries()) writeTree(dir, versionTree(round, kinds[number]))
        const at = 1 + Math.floor((((round - 1) % calls) * calls) / Math.min(rounds, calls))
        const { ended, done } = await child.ask({ directories, fate: { at } })
        // The next one gets ready while what this one leaves is looked at.
        await child.end()
        child = startCompileProcess()
        if (done === null) killed += AT_ONCE - ended.length
        for (const dir of directories) await expectWhole(dir)

        // One after the other becomes like new: with the next version, or with the one before, of which there may be an index; or is cleaned.
        const chosen = round % AT_ONCE
        const dir = directories[chosen] as string
        const back = round % 3 === 0 ? round - 1 : round
        writeTree(dir, versionTree(back, kinds[chosen]))
        if (round % 5 === 0) {
          await clean({ paths: [dir] })
          writeTree(bare, versionTree(back, kinds[chosen]))
          expect(snapshot(dir)).toEqual(snapshot(bare))
        }
        await compile({ paths: [dir] })
        const fresh = chosen % 8 === 0 ? run : plain
        expect(compiled(dir)).toEqual(compiled(await fresh(back)))
        expect(existsSync(join(dir, '.agent-apps/cache.modules'))).toBe(false)
        progress(round, `${killed} killed in ${round} processes`)
      }
      await child.end()
      expect(killed).toBeGreaterThan(KILLS * 0.7)
      for (const [number, dir] of directories.entries()) {
        const back = number === rounds % AT_ONCE && rounds % 3 === 0 ? rounds - 1 : rounds
        await expectLikeNew(dir, back, kinds[number])
      }
    },
    24 * HOUR,
  )
})

describe('a compile that cannot write', () => {
  it.each(['ENOSPC', 'EROFS', 'EIO'])(
    'because of %s, from any of its calls on, leaves the old index and says so',
    async code => {
      const dir = makeTree(versionTree(0))
      await compile({ paths: [dir] })
      const before = readFileSync(join(dir, '.agent-apps.json'))
      writeTree(dir, versionTree(1))
      const scratch = makeTree(versionTree(0))
      await compile({ paths: [scratch] })
      writeTree(scratch, versionTree(1))
      const child = startCompileProcess()
      const { calls = 0 } = (await child.ask({ directories: [scratch] })).done ?? {}
      for (let round = 0; round < FAULTS; round++) {
        const at = 1 + (FAULTS < calls ? Math.floor((round * calls) / FAULTS) : round % calls)
        const { done } = await child.ask({ directories: [dir], fate: { at, code } })
        await expectWhole(dir)
        const isOld = readFileSync(join(dir, '.agent-apps.json')).equals(before)
        if (isOld) expect(done?.outcomes).toEqual(['INDEX_NOT_WRITABLE'])
        // The index came in its place before the fault: what followed was tidying up.
        else {
          writeTree(dir, versionTree(0))
          await compile({ paths: [dir] })
          writeTree(dir, versionTree(1))
        }
      }
      await child.end()
      await expectLikeNew(dir, 1)
    },
    HOUR,
  )
})

/** Whether this machine lets us have file systems of our own. */
const canMount = ((): boolean => {
  const place = temporary()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place])
  if (status === 0) execFileSync('umount', [place])
  return status === 0
})()

/** Runs work in a directory where a file system was mounted. */
async function mounted(args: string[], work: (place: string) => Promise<void>): Promise<void> {
  const place = temporary()
  execFileSync('mount', [...args, place])
  try {
    await work(place)
  } finally {
    execFileSync('umount', ['-l', place])
  }
}

// Where mounting is not allowed, the faults above are what there is.
describe.runIf(canMount)('a file system', () => {
  it(
    'that is full leaves the old index, at whatever step the room ends',
    () =>
      mounted(['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs'], async place => {
        const dir = join(place, 'skills')
        mkdirSync(dir)
        writeTree(dir, versionTree(0))
        await compile({ paths: [dir] })
        const filler = join(place, 'filler')
        const free = (): number =>
          Number(execFileSync('stat', ['-f', '-c', '%f', place], { encoding: 'utf8' })) * 4096
        const child = startCompileProcess()
        let refused = 0
        let number = 0
        const step = (process.env.LONG === undefined ? 16 : 1) * 4096
        for (let room = 0; room <= 256 * 1024; room += step) {
          number++
          writeTree(dir, versionTree(number))
          const before = readFileSync(join(dir, '.agent-apps.json'))
          writeFileSync(filler, Buffer.alloc(Math.max(0, free() - room)))
          const [outcome] = (await child.ask({ directories: [dir] })).done?.outcomes ?? []
          await expectWhole(dir)
          if (outcome !== null) {
            refused++
            expect(outcome).toBe('INDEX_NOT_WRITABLE')
            expect(readFileSync(join(dir, '.agent-apps.json'))).toEqual(before)
          }
          rmSync(filler)
          if (outcome !== null) await compile({ paths: [dir] })
        }
        expect(refused).toBeGreaterThan(0)
        await child.end()
        await expectLikeNew(dir, number)
      }),
    HOUR,
  )

  it('that is read-only leaves the old index, and the command exits with 1', async () => {
    const dir = makeTree(versionTree(0))
    await compile({ paths: [dir] })
    writeTree(dir, versionTree(1))
    await mounted(['--bind', '-o', 'ro', dir], async place => {
      execFileSync('mount', ['-o', 'remount,ro,bind', place])
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(ROOT, 'dist/cli/main.js'), 'compile', place],
        { encoding: 'utf8' },
      )
      expect([status, stderr]).toEqual([1, expect.stringMatching(/INDEX_NOT_WRITABLE|cannot be written/)])
      await expectWhole(place)
    })
    await expectLikeNew(dir, 1)
  })
})
