import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { startCompileProcess } from '../support/compile-process.js'
import { killCompiles } from '../support/kill-compiles.js'
import { progress, times } from '../support/long.js'
import { startReaderProcess } from '../support/reader-process.js'
import { compiled, makeTree, writeTree } from '../support/tree.js'
import { expectWhole, freshVersions, versionTree } from '../support/versions.js'

const KILLS = times(96, 10_000)
const ROUNDS = times(5, 1_000)
const DAY = 86_400_000
const COMPILERS = 8
const READERS = 4

describe('compiles that are killed at a random moment', () => {
  it(
    `leave the old index or the new one, and nothing for good, ${KILLS} times`,
    () =>
      // Half of them anywhere, half while something is written.
      killCompiles(KILLS, (round, { took, wrote }) =>
        round % 2 === 0
          ? { from: 'start', after: Math.random() * took }
          : { from: 'writing', after: Math.random() * wrote },
      ),
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
