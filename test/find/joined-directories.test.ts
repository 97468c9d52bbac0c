import fs, { cpSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { compile, verify } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { isLong } from '../support/long.js'
import { kept } from '../support/temporary.js'
import { skill, writeTree } from '../support/tree.js'

const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, number) => `${name}-${number}`)

const COUNT = isLong ? 20 : 4
const DIRECTORIES = numbered('team', COUNT)
const LAST = `team-${COUNT - 1}`
/** More records than an index keeps in one file. */
const skillsOf = (directory: string): string[] => numbered(directory, 130)

describe('directories that were compiled elsewhere, each by itself', () => {
  let root: string
  const runtime = () => {
    const paths = DIRECTORIES.map(dir => ({ dir, external: true }))
    return createRuntime({ cwd: root, paths, freshness: 'trust', library: false })
  }

  beforeAll(async () => {
    const built = kept()
    for (const directory of DIRECTORIES) {
      for (const name of skillsOf(directory))
        writeTree(built, { [`${directory}/${name}/SKILL.md`]: skill(name) })
      await compile({ cwd: built, paths: [directory] })
    }
    // As a build engine restores outputs: without the compiler's cache.
    root = join(kept(), 'restored')
    cpSync(built, root, { recursive: true, filter: path => !path.includes('.agent-apps/cache') })
  })

  it('are as they were compiled', async () => {
    const { outdated } = await compile({ cwd: root, paths: DIRECTORIES.slice(-1), check: true })
    expect(outdated).toEqual([])
    const { counts, deviations } = await verify({ cwd: root, paths: DIRECTORIES })
    expect(deviations).toEqual([])
    expect(counts.directories).toBe(DIRECTORIES.length)
  })

  it('are one project, which no file but the indexes is read for', async () => {
    const joined = runtime()
    expect((await joined.listTools()).map(({ name }) => name).sort()).toEqual(
      DIRECTORIES.flatMap(skillsOf).sort(),
    )
    expect(await joined.invoke('team-0-7')).toBe('Do team-0-7.\n')
    expect(await joined.invoke(`${LAST}-129`)).toBe(`Do ${LAST}-129.\n`)
    expect(joined.stats()).toMatchObject({ via: { disk: 0 }, parser: 'unused' })
  })

  it.each([`${LAST}-7`, 'no-such-skill'])('have %s looked up in a shard of each', async name => {
    const read = vi.spyOn(fs, 'readSync')
    const found = await runtime().findTool(name)
    const bytes = read.mock.results.reduce((sum, { value }) => sum + value, 0)
    read.mockRestore()
    expect(found?.name ?? 'no-such-skill').toBe(name)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(0.4 * shardBytes(root))
  })
})

function shardBytes(root: string): number {
  const sizes = DIRECTORIES.flatMap(directory => {
    const folder = join(root, directory, '.agent-apps')
    const shards = readdirSync(folder).filter(name => name.startsWith('index-'))
    return shards.map(name => statSync(join(folder, name)).size)
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}
