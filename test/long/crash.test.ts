import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { startCompileProcess } from '../support/compile-process.js'
import { killBundles } from '../support/kill-bundles.js'
import { killCompiles } from '../support/kill-compiles.js'
import { times } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { compiled, makeTree, writeTree } from '../support/tree.js'
import { expectWhole, versionTree } from '../support/versions.js'

const KILLS = times(8, 10_000)
const BUNDLE_KILLS = times(4, 1_000)
const FAULTS = times(4, 300)
/** The most room that a full disk still has (bytes). */
const ROOM = 256 * 1024
const HOUR = 3_600_000
/** A compile without any fault comes to what it does in a new directory. */
async function expectLikeNew(dir: string, round: number, kind = {}): Promise<void> {
  await compile({ paths: [dir] })
  const fresh = makeTree(versionTree(round, kind))
  await compile({ paths: [fresh] })
  expect(compiled(dir)).toEqual(compiled(fresh))
  rmSync(fresh, { recursive: true })
}

/** Spreads any number of rounds evenly over all calls. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

describe('compiles that are killed before a call that writes', () => {
  it(
    `leave the old index or the new one, and nothing for good, ${KILLS} times`,
    () =>
      killCompiles(KILLS, (round, { calls }) => {
        expect(calls).toBeGreaterThan(300)
        // One that takes up what a killed one left has some more calls.
        return { at: 1 + Math.floor(((round * GOLDEN) % 1) * calls * 1.05) }
      }),
    24 * HOUR,
  )
})

describe('compiles with a bundle that are killed before a call that writes', () => {
  it(
    `leave the old bundle or the new one, which runs, and nothing for good, ${BUNDLE_KILLS} times`,
    () =>
      killBundles(BUNDLE_KILLS, (round, { calls }) => {
        expect(calls).toBeGreaterThan(50)
        return { at: 1 + Math.floor(((round * GOLDEN) % 1) * calls * 1.05) }
      }),
    24 * HOUR,
  )
})

describe('a compile that cannot write', () => {
  it.each([
    { code: 'ENOSPC', isRun: false },
    { code: 'EROFS', isRun: false },
    { code: 'EIO', isRun: false },
    { code: 'ENOSPC', isRun: true },
  ])(
    'because of $code, from any of its calls on, leaves the old index and says so; code is run: $isRun',
    async ({ code, isRun }) => {
      const version = (number: number) => versionTree(number, { isRun })
      const dir = makeTree(version(0))
      await compile({ paths: [dir] })
      const before = readFileSync(join(dir, '.agent-apps.json'))
      writeTree(dir, version(1))
      const scratch = makeTree(version(0))
      await compile({ paths: [scratch] })
      writeTree(scratch, version(1))
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
          writeTree(dir, version(0))
          await compile({ paths: [dir] })
          writeTree(dir, version(1))
        }
      }
      await child.end()
      await expectLikeNew(dir, 1, { isRun })
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
        const step = Math.floor(ROOM / 4096 / times(4, 64)) * 4096
        for (let room = 0; room <= ROOM; room += step) {
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
