import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseReference } from 'agent-apps'
import { clean, compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { oneIn } from '../support/long.js'
import { ask, deployRuntime } from '../support/processes.js'
import { layOut, samples } from '../support/sample.js'
import { makeTree, skill } from '../support/tree.js'

const DUMP = fileURLToPath(new URL('../support/dump-tools.mjs', import.meta.url))

interface Answer {
  listed: { name: string; via?: string }[]
  found: Record<string, unknown>
  vias: string[]
  stats: { via: { index: number; disk: number }; parser: string }
}

/**
 * The design's first promise: compiled or from disk, the same. Every sample is read by one process that has
 * only files, and by another that has only indexes: its deployment holds no parser at all.
 */
describe('the same answer compiled and from disk', () => {
  const cases = oneIn(3, samples())
  const fromDisk = new Map<string, Answer>()
  const fromIndex = new Map<string, Answer>()

  beforeAll(async () => {
    const laidOut = cases.map(layOut)
    // Compiling names every file, and so every name that may resolve; the indexes are taken away for the disk's turn.
    const jobs = await Promise.all(
      laidOut.map(async ({ cwd, paths }) => {
        const { files } = await compile({ cwd, paths })
        return { cwd, paths, freshness: 'trust', names: namesOf(files) }
      }),
    )
    const index = ask<Answer[]>(deployRuntime(DUMP), jobs)
    for (const { cwd, paths } of laidOut) await clean({ cwd, paths })
    const disk = ask<Answer[]>(
      DUMP,
      jobs.map(job => ({ ...job, freshness: 'check' })),
    )
    for (const [number, { id }] of cases.entries()) {
      fromDisk.set(id, disk[number] as Answer)
      fromIndex.set(id, index[number] as Answer)
    }
  })

  it.each(cases.map(({ id }) => id))('%s', id => {
    const disk = fromDisk.get(id)
    const index = fromIndex.get(id)
    expect(index?.listed.map(withoutVia)).toEqual(disk?.listed.map(withoutVia))
    expect(index?.found).toEqual(disk?.found)
    if (disk?.listed.length === 0) return
    expect(disk?.vias).toEqual(['disk'])
    expect(index?.vias).toEqual(['index'])
  })

  it('finds no parser in the deployment that reads indexes, and says so when a name misses', () => {
    const cwd = makeTree({ 'skills/a/SKILL.md': skill('a') })
    const [answer] = ask<Answer[]>(deployRuntime(DUMP), [
      { cwd, paths: ['skills'], freshness: 'trust', names: ['a'] },
    ])
    expect(answer?.listed).toEqual([])
    expect(answer?.stats.parser).toBe('absent')
  })
})

function withoutVia({ via: _, ...rest }: { via?: string }): object {
  return rest
}

/** The names of every file's tools, and those that a broken file would be expected to have. */
function namesOf(files: { file: string; tools: string[] }[]): string[] {
  const guessed = files.flatMap(({ file, tools }) => [
    ...tools,
    basename(dirname(file)),
    basename(file).replace(/\.skill\.md$/, ''),
  ])
  // Bare names of tools of namespaces, too.
  const names = [...guessed, ...guessed.map(name => name.slice(name.indexOf(':') + 1))]
  return [...new Set(names)].filter(name => parseReference(name).kind === 'name').sort()
}
