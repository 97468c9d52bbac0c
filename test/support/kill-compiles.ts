import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { clean } from 'agent-apps/compiler'
import { expect } from 'vitest'
import { type Answer, type Fate, startCompileProcess } from './compile-process.js'
import { progress } from './long.js'
import { compiled, makeTree, snapshot, writeTree } from './tree.js'
import { compileVersion, expectWhole, freshVersions, type VersionKind, versionTree } from './versions.js'

/** Directories that a process compiles at once, so that its death is that of as many compiles; in a short run, fewer. */
const AT_ONCE = 16
const PLAIN: VersionKind = {}
/** The kinds of the directories, in turns. */
const KINDS = [{ isRun: true }, { isSearched: true }, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN]

/**
 * Kills so many compiles, each on what those before it left, and looks at what it leaves: the old index or the new one.
 * One directory after the other is then compiled or cleaned, after which nothing of it all is left.
 *
 * @param fateOf how the process of a round is to die, told what the last one that did not die came to
 */
export async function killCompiles(
  kills: number,
  fateOf: (round: number, known: NonNullable<Answer['done']>) => Fate,
): Promise<void> {
  const atOnce = Math.min(AT_ONCE, Math.ceil(kills / 2))
  const kinds = Array.from({ length: atOnce }, (_, number) => KINDS[number % KINDS.length])
  const fresh = new Map(KINDS.map(kind => [kind, freshVersions(kind)]))
  const directories = kinds.map(kind => makeTree(versionTree(0, kind)))
  let killed = 0
  let known: Answer['done'] = null
  let child = startCompileProcess()
  for (let round = 0; killed < kills; round++) {
    for (const [number, dir] of directories.entries()) writeTree(dir, versionTree(round, kinds[number]))
    // The first two are not disturbed: what a compile after a compile comes to is known from then on.
    const fate = known && round > 1 ? fateOf(round, known) : null
    const { ended, done }: Answer = await child.ask({ directories, fate })
    known = done ?? known
    if (done === null) {
      killed += atOnce - ended.length
      await child.end()
      // The next one gets ready while what this one left is looked at.
      child = startCompileProcess()
    }
    for (const dir of directories) await expectWhole(dir)

    const chosen = round % atOnce
    // The version that comes next, or the one before: of either there may be an index already.
    const version = Math.max(0, round % 3 === 0 ? round - 1 : round)
    await mend(chosen, version, round % 5 === 0)
    progress(round, `${killed} killed in ${round} processes`)
    expect(round).toBeLessThan(10 + kills)
  }
  await child.end()
  for (const number of directories.keys()) await mend(number, 0, number % 2 === 0)

  /** A compile comes to what it does in a new directory, and `clean` to one in which nothing was compiled. */
  async function mend(number: number, version: number, isCleaned: boolean): Promise<void> {
    const [dir = '', kind] = [directories[number], kinds[number]]
    const tree = versionTree(version, kind)
    writeTree(dir, tree)
    if (isCleaned) {
      removeProject(dir)
      await clean({ paths: [dir] })
      // One that was killed while it made its lock left an empty one, which may be somebody's for two seconds.
      if (readdirSync(dir).includes('.agent-apps')) {
        await new Promise(done => setTimeout(done, 2_500))
        await clean({ paths: [dir] })
      }
      const bare = makeTree(tree)
      expect(snapshot(dir)).toEqual(snapshot(bare))
      rmSync(bare, { recursive: true })
    }
    await compileVersion(dir)
    expect(compiled(dir)).toEqual(compiled((await fresh.get(kind as VersionKind)?.(version)) as string))
  }
}

/** Removes the project's file, which `clean` finds only by a configuration that it need not run. */
function removeProject(dir: string): void {
  for (const name of readdirSync(dir).includes('.agent-apps') ? readdirSync(join(dir, '.agent-apps')) : [])
    if (name.startsWith('project.json')) rmSync(join(dir, '.agent-apps', name))
}
