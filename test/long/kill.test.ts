import { clean, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { type Fate, startCompileProcess } from '../support/compile-process.js'
import { progress, times } from '../support/long.js'
import { startReaderProcess } from '../support/reader-process.js'
import { compiled, makeTree, snapshot, writeTree } from '../support/tree.js'
import { expectWhole, freshVersions, versionTree } from '../support/versions.js'

const KILLS = times(64, 10_000)
const ROUNDS = times(5, 1_000)
const DAY = 86_400_000
/** Directories that a process compiles at once, so that its death is that of as many compiles. */
const AT_ONCE = 16
const COMPILERS = 8
const READERS = 4

describe('compiles that are killed at a random moment', () => {
  it(
    `leave the old index or the new one, and nothing for good, ${KILLS} times`,
    async () => {
      const kinds = Array.from({ length: AT_ONCE }, (_, number) => ({ isRun: number % 8 === 0 }))
      const directories = kinds.map(kind => makeTree(versionTree(0, kind)))
      for (const dir of directories) await compile({ paths: [dir] })
      const fresh = [freshVersions(), freshVersions({ isRun: true })] as const

      let child = startCompileProcess()
      let known = { took: 0, wrote: 0 }
      let killed = 0
      let round = 0
      while (killed < KILLS) {
        round++
        for (const [number, dir] of directories.entries()) writeTree(dir, versionTree(round, kinds[number]))
        // Half of them anywhere, half while something is written. Who is not killed tells how long that takes.
        const fate: Fate =
          round % 2 === 0
            ? { from: 'start', after: Math.random() * known.took }
            : { from: 'writing', after: Math.random() * known.wrote }
        const { ended, done } = await child.ask({ directories, ...(known.took > 0 && { fate }) })
        if (done) known = done
        else killed += AT_ONCE - ended.length
        // The next one gets ready while what this one leaves is looked at.
        await child.end()
        child = startCompileProcess()
        for (const dir of directories) await expectWhole(dir)

        // One after the other becomes like new: with the next version, or with the one before, of which there may be an index; or is cleaned.
        const chosen = round % AT_ONCE
        const [dir = '', kind] = [directories[chosen], kinds[chosen]]
        const back = round % 3 === 0 ? round - 1 : round
        writeTree(dir, versionTree(back, kind))
        if (round % 5 === 0) {
          await clean({ paths: [dir] })
          expect(snapshot(dir)).toEqual(snapshot(makeTree(versionTree(back, kind))))
        }
        await compile({ paths: [dir] })
        expect(compiled(dir)).toEqual(compiled(await fresh[kind?.isRun ? 1 : 0](back)))
        progress(round, `${killed} killed in ${round} processes`)
      }
      await child.end()
      for (const [number, dir] of directories.entries()) {
        writeTree(dir, versionTree(round, kinds[number]))
        await compile({ paths: [dir] })
        expect(compiled(dir)).toEqual(compiled(await fresh[kinds[number]?.isRun ? 1 : 0](round)))
        await clean({ paths: [dir] })
        expect(snapshot(dir)).toEqual(snapshot(makeTree(versionTree(round, kinds[number]))))
      }
    },
    DAY,
  )
})

describe('compiles at the same time', () => {
  it(
    `end in one valid index, the one that a single compile makes, and readers see nothing else, ${ROUNDS} times`,
    async () => {
      const dir = makeTree(versionTree(0))
      await compile({ paths: [dir] })
      const fresh = [freshVersions(), freshVersions({ isRun: true })] as const
      const compilers = Array.from({ length: COMPILERS }, () => startCompileProcess())
      const readers = Array.from({ length: READERS }, () => startReaderProcess(dir))
      let reads = 0
      for (let round = 1; round <= ROUNDS; round++) {
        const isRun = round % 4 === 0
        writeTree(dir, versionTree(round, { isRun }))
        const reading = readers.map(reader => reader.read())
        const answers = await Promise.all(
          compilers.map(one => one.ask({ directories: [dir], force: Math.random() < 0.5 })),
        )
        expect(answers.map(({ done }) => done?.outcomes)).toEqual(compilers.map(() => [null]))
        for (const [number, reader] of readers.entries()) {
          reader.stop()
          const { seen, wrong } = (await reading[number]) ?? { seen: 0, wrong: ['gone'] }
          expect(wrong).toEqual([])
          reads += seen
        }
        await expectWhole(dir)
        expect(compiled(dir)).toEqual(compiled(await fresh[isRun ? 1 : 0](round)))
        progress(round, `${round} rounds, ${reads} reads`)
      }
      expect(reads).toBeGreaterThan(ROUNDS * READERS)
      await Promise.all([...compilers, ...readers].map(one => one.end()))
    },
    DAY,
  )
})
