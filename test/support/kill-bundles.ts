import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compile } from 'agent-apps/compiler'
import { expect } from 'vitest'
import { type Answer, type Fate, startCompileProcess } from './compile-process.js'
import { progress } from './long.js'
import { startCode } from './processes.js'
import { compiled, makeTree, skill, snapshot, type Tree, writeTree } from './tree.js'

/** Projects that a process compiles at once, so that its death is that of as many compiles; in a short run, fewer. */
const AT_ONCE = 16
/** Versions come again after so many. */
const VERSIONS = 12
/** Relative to the skills. */
const BUNDLE = '../dist/agent.mjs'

/**
 * Kills so many compiles with a bundle, each on what those before it left, and runs the bundle that it leaves: the old one or
 * the new one. One project after the other is then compiled, after which nothing of it all is left.
 *
 * @param fateOf how the process of a round is to die, told what the last one that did not die came to
 */
export async function killBundles(
  kills: number,
  fateOf: (round: number, known: NonNullable<Answer['done']>) => Fate,
): Promise<void> {
  const atOnce = Math.min(AT_ONCE, Math.ceil(kills / 2))
  const projects = Array.from({ length: atOnce }, () => ({ dir: makeProject(0), version: 0 }))
  const fresh = freshBundles()
  let killed = 0
  let known: Answer['done'] = null
  let child = startCompileProcess()
  for (let round = 0; killed < kills; round++) {
    const version = round % VERSIONS
    for (const { dir } of projects) writeTree(dir, versionTree(version))
    // The first two are not disturbed: what a bundle after a bundle comes to is known from then on.
    const fate = known && round > 1 ? fateOf(round, known) : null
    const { ended, done }: Answer = await child.ask({
      directories: projects.map(({ dir }) => dir),
      bundle: BUNDLE,
      fate,
    })
    known = done ?? known
    if (done === null) {
      killed += atOnce - ended.length
      await child.end()
      child = startCompileProcess()
    }
    const told = await runBundles(projects.map(({ dir }) => dir))
    for (const [number, project] of projects.entries()) {
      const { versions, wrong } = told[number] ?? { versions: [], wrong: ['nothing told'] }
      expect(wrong).toEqual([])
      expect(new Set(versions).size).toBe(1)
      expect([project.version, version]).toContain(versions[0])
      project.version = versions[0] as number
    }
    const chosen = projects[round % atOnce] as (typeof projects)[number]
    await mend(chosen, round % 3 === 0 ? chosen.version : version)
    progress(round, `${killed} killed in ${round} processes`)
    expect(round).toBeLessThan(10 + kills)
  }
  await child.end()
  for (const project of projects) await mend(project, 0)

  /** A compile comes to what it does where nothing was compiled before. */
  async function mend(project: { dir: string; version: number }, version: number): Promise<void> {
    const { dir } = project
    writeTree(dir, versionTree(version))
    await compile({ cwd: dir, paths: [dir], bundle: BUNDLE })
    project.version = version
    const { index, bundle } = await fresh(version)
    // One that was killed while it took over a lock left an empty file, which may be somebody's for two seconds.
    if (Object.keys(snapshot(distOf(dir))).some(name => name.includes('.lock'))) {
      await new Promise(done => setTimeout(done, 2_500))
      await compile({ cwd: dir, paths: [dir], bundle: BUNDLE })
    }
    expect(snapshot(distOf(dir))).toEqual(bundle)
    expect(compiled(dir)).toEqual(index)
  }
}

const distOf = (dir: string): string => join(dirname(dir), 'dist')

function makeProject(version: number): string {
  const dir = join(makeTree({ 'package.json': '{}\n' }), 'skills')
  writeTree(dir, versionTree(version))
  return dir
}

/** A content, a resource, code and a schema, which tell their version when they are called, or are not of a bundle's other chunks. */
function versionTree(version: number): Tree {
  return {
    'told/SKILL.md': skill('told', `${version}`, `license: v${version}\n`),
    'told/references/more.md': `${version}`,
    'one.skill.js': code('one', version),
    'two.skill.js': code('two', version),
    'shared.js': `export const version = ${version}\n`,
  }
}

function code(name: string, version: number): string {
  return `import { version } from './shared.js'
export const frontmatter = { name: '${name}', description: 'D.', metadata: { params: { maxProperties: ${version + 5} } } }
export default () => version
`
}

/** What a version comes to in a new directory. */
function freshBundles(): (
  version: number,
) => Promise<{ index: Record<string, string>; bundle: Record<string, string> }> {
  const made = new Map<number, ReturnType<typeof make>>()
  const make = async (version: number) => {
    const dir = makeProject(version)
    await compile({ cwd: dir, paths: [dir], bundle: BUNDLE })
    const fresh = { index: compiled(dir), bundle: snapshot(distOf(dir)) }
    rmSync(dirname(dir), { recursive: true })
    return fresh
  }
  return version => {
    const known = made.get(version) ?? make(version)
    made.set(version, known)
    return known
  }
}

/** What all that is in bundles says of its version, in a process that has loaded nothing of them before. */
async function runBundles(dirs: readonly string[]): Promise<{ versions: number[]; wrong: string[] }[]> {
  const entries = dirs.map(dir => pathToFileURL(join(distOf(dir), 'agent.mjs')).href)
  const told = await startCode(`
    const told = []
    for (const entry of ${JSON.stringify(entries)}) {
      try {
        const { runtime } = await import(entry)
        const texts = [
          await runtime.invoke('told'),
          new TextDecoder().decode(await runtime.readResource('told', 'references/more.md')),
          (await runtime.findTool('told')).frontmatter.license.slice(1),
          await runtime.invoke('one'),
          await runtime.invoke('two', { a: 1 }),
        ]
        told.push({ versions: texts.map(Number), wrong: runtime.diagnostics().map(String) })
      } catch (error) {
        told.push({ versions: [], wrong: [String(error.stack)] })
      }
    }
    console.log(JSON.stringify(told))`)
  return JSON.parse(told)
}
