import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ToolDef } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Bundle } from '../support/bundle-project.js'
import { codeProject } from '../support/code-project.js'
import { ask, deployRuntime } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { skill, type Tree } from '../support/tree.js'

const DUMP = fileURLToPath(new URL('../support/dump-tools.mjs', import.meta.url))
/** More records than an index keeps in one file. */
const MANY = 200
const numbered = (name: string): string[] => Array.from({ length: MANY }, (_, number) => `${name}-${number}`)
const filled = (folder: string, names: readonly string[]): Tree =>
  Object.fromEntries(names.map(name => [`${folder}/${name}/SKILL.md`, skill(name)]))

/** Two directories, each with more than one part of an index holds, and a name that stands in both, one that the library has too. */
const TREE: Tree = {
  ...filled('skills', numbered('own')),
  ...filled('theirs', numbered('their')),
  'theirs/own-7/SKILL.md': skill('own-7', 'Theirs.\n'),
  'skills/skill-list/SKILL.md': skill('skill-list', 'Ours.\n'),
  'skills/own-7/notes.md': 'Notes.\n',
  'skills/SKILL.md': skill('top', 'The main one.\n', 'metadata:\n  role: main\n  $global:\n    limit: 90\n'),
  'skills/heir/SKILL.md': skill('heir', 'Of own-8.\n', 'metadata:\n  $inherit: own-8\n'),
  'skills/reader/SKILL.md': skill('reader', 'See :skill[own-9], and [it](../own-10/SKILL.md).\n'),
  'skills/handing/SKILL.md': skill('handing', 'Hands on.\n', 'metadata:\n  delegate: ../own-11/SKILL.md\n'),
}
const PATHS = ['skills', { dir: 'theirs', external: true, layer: 'global' as const }]

/** The bundle of the project, whose sources are gone, and what its indexes said before. */
interface Deployed {
  entry: string
  index: unknown
}

let deployed: Deployed
/** What all the tools are asked by. */
const names = ['own-7', 'own-199', 'their-0', 'heir', 'reader', 'handing', 'top', 'skill-list', 'no-such']
const asked = [
  ...names,
  './skills/own-3/SKILL.md',
  './skills/own-3',
  './theirs/their-5/SKILL.md',
  'layer://global/own-7',
  'layer://bundled/skill-list',
]
let runner: string

beforeAll(async () => {
  const { root } = codeProject(TREE)
  await compile({ cwd: root, paths: ['theirs'] })
  await compile({ cwd: root, paths: PATHS, bundle: 'dist/agent.mjs' })
  runner = deployRuntime(DUMP)
  const [index] = ask<unknown[]>(runner, [{ cwd: root, paths: PATHS, freshness: 'trust', names: asked }])
  const folder = join(temporary(), 'moved')
  cpSync(join(root, 'dist'), folder, { recursive: true })
  deployed = {
    entry: join(folder, 'agent.mjs'),
    index: placeless(index, root),
  }
  rmSync(root, { recursive: true })
})

/** An answer without where the project lay, that it was an index, and the library's tools, which a bundle lacks some of. */
function placeless(answer: unknown, root: string): unknown {
  const library = join(runner, '../node_modules/agent-apps/skills')
  return JSON.parse(
    JSON.stringify(answer)
      .replaceAll(`file://${root}/`, 'bundle:///')
      .replaceAll(`${root}/`, '/')
      .replaceAll(`file://${library}/`, 'bundle:///node_modules/agent-apps/skills/')
      .replaceAll(library, '/node_modules/agent-apps/skills'),
    (key, value) => (['via', 'vias', 'stats', 'library'].includes(key) ? undefined : value),
  )
}

/** The chunks of the bundle that hold parts of indexes. */
function parts(entry: string): string[] {
  const chunks = entry.replace('.mjs', '-chunks')
  return readdirSync(chunks)
    .filter(name => name.startsWith('index-'))
    .map(name => join(chunks, name))
}

/** Copies the bundle to another folder. */
function copied(): string {
  const folder = join(temporary(), 'copy')
  cpSync(join(deployed.entry, '..'), folder, { recursive: true })
  return join(folder, 'agent.mjs')
}

/** The bundle in a copy, whose modules have no state of other tests. */
function opened(entry = copied()): Promise<Bundle> {
  return import(pathToFileURL(entry).href)
}

describe('a bundle of large directories', () => {
  it('has no records of its index in the entry', () => {
    expect(parts(deployed.entry).length).toBeGreaterThan(3)
    expect(readFileSync(deployed.entry, 'utf8')).not.toContain('What own-7 does.')
  })

  it('gives what its index gave', { tags: 'long' }, () => {
    const [bundle] = ask<unknown[]>(runner, [{ bundle: deployed.entry, names: asked }])
    expect(placeless(bundle, '/nowhere')).toEqual(deployed.index)
  })

  it('loads of each directory that part alone in which a name would be', async () => {
    const entry = copied()
    const has = (file: string, name: string): boolean =>
      readFileSync(file, 'utf8').includes(JSON.stringify(`"${name}":{"content"`).slice(1, -1))
    const needed = parts(entry).filter(file => has(file, 'own-7'))
    expect(needed).toHaveLength(2)
    const other = numbered('own').find(name => !needed.some(file => has(file, name))) ?? ''
    for (const file of parts(entry)) if (!needed.includes(file)) rmSync(file)
    const { runtime } = await opened(entry)
    const tool = await runtime.findTool('own-7')
    expect([await tool?.content?.(), tool?.origin.shadows]).toEqual([
      'Do own-7.\n',
      [{ layer: 'global', entry: '/theirs', file: 'own-7/SKILL.md' }],
    ])
    await expect(runtime.findTool(other)).rejects.toMatchObject({ code: 'BUNDLE_REPLACED' })
  })

  it.each<[string, (runtime: Bundle['runtime']) => Promise<ToolDef | null | undefined>]>([
    ['name', runtime => runtime.findTool('own-7')],
    ['folder', runtime => runtime.findTool('./skills/own-7')],
    ['file and fragment', runtime => runtime.findTool('./skills/own-7/SKILL.md#own-7')],
    ['list', runtime => runtime.listTools().then(all => all.find(({ name }) => name === 'own-7'))],
  ])('tells what a tool shadows to whoever found it by its %s', async (_, find) => {
    const { runtime } = await opened()
    expect((await find(runtime))?.origin.shadows).toHaveLength(1)
  })

  it('tells that a tool shadows one of the library', async () => {
    const { runtime } = await opened()
    expect((await runtime.findTool('skill-list'))?.origin.shadows[0]?.layer).toBe('bundled')
  })

  it('knows the nearest name, and runs tools that nobody looked up before', { tags: 'long' }, async () => {
    await expect((await opened()).runtime.invoke('own-77x')).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      hint: expect.stringMatching(/^Did you mean "own-77\d?"\?$/),
    })
    expect(await (await opened()).tools.handing?.()).toBe('Do own-11.\n')
    expect(await (await opened()).runtime.render('reader')).toBe('See own-9, and [it](../own-10/SKILL.md).\n')
  })
})

describe('the tools that a bundle exports', () => {
  it('are an object that nobody can change', async () => {
    const { tools } = await opened()
    for (const change of [
      () => Object.assign(tools, { other: 1 }),
      () => delete tools.top,
      () => Object.defineProperty(tools, 'x', { value: 1 }),
    ])
      expect(change).toThrow(TypeError)
    expect(Object.isFrozen(tools)).toBe(true)
    expect(Object.keys(tools)).toEqual(
      expect.arrayContaining(['heir', 'reader', 'handing', 'top', 'skill-list']),
    )
    expect(['own-7' in tools, 'no-such' in tools, 'toString' in tools]).toEqual([true, false, true])
    expect(Object.hasOwn(tools, 'own-7')).toBe(true)
    expect(tools['own-7']).toBe(tools['own-7'])
    expect([typeof tools['own-7'], typeof tools['no-such']]).toEqual(['function', 'undefined'])
    expect({ ...tools }['own-7']).toBe(tools['own-7'])
  })
})
