import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { compile, verify } from 'agent-apps/compiler'
import { expect } from 'vitest'
import { makeTree, skill, type Tree } from './tree.js'

const FILES = 3
const IN_FILE = 84
/** So many files that an index gets a search file. */
const SEARCHED = { files: 126, inFile: 2 }

/** Versions come again after so many: an import is never forgotten, so there must not be too many. */
const VERSIONS = 40

/**
 * Skills that make shards, modules, a chunk, a compiled schema and a content with a directive, all of them others in each version.
 * Where `isRun`, one is code that has to be run to know it, so that its module is written long before the index. Where `isSearched`,
 * there are a search file and vectors as well.
 */
export function versionTree(round: number, { isRun = false, isSearched = false }: VersionKind = {}): Tree {
  const version = round % VERSIONS
  const { files, inFile } = isSearched ? SEARCHED : { files: FILES, inFile: IN_FILE }
  const many = Array.from({ length: files }, (_, file): [string, string] => [
    `many-${file}.skill.md`,
    Array.from({ length: inFile }, (_, index) =>
      skill(`good-${file * inFile + index}`, `Version ${version}.\n\n`, `license: v${version}\n`).replace(
        /^description: /m,
        `$&Word${version}. `,
      ),
    ).join(''),
  ])
  return {
    ...(isSearched && { 'agent-apps.config.mjs': CONFIG }),
    ...Object.fromEntries(many),
    'told.skill.md': skill('told', '::include[notes.md]\n', `license: v${version}\n`),
    'notes.md': `v${version}`,
    'one.skill.js': code('one', version),
    'two.skill.js': code('two', version, isRun ? "['D.'].join()" : "'D.'"),
    'shared.js': `export const version = ${version}\n`,
  }
}

export interface VersionKind {
  isRun?: boolean
  isSearched?: boolean
}

const CONFIG = `
const embed = texts => texts.map(text => [text.length, text.charCodeAt(text.indexOf('Word') + 4), 1])
export default { paths: ['.'], search: { embed, model: 'lengths' } }
`

/** Compiles a version as its own configuration says, if it has one. */
export async function compileVersion(dir: string): Promise<void> {
  await compile(existsSync(join(dir, 'agent-apps.config.mjs')) ? { cwd: dir } : { paths: [dir] })
}

function code(name: string, version: number, description = "'D.'"): string {
  return `import { version } from './shared.js'
export const frontmatter = { name: '${name}', description: ${description}, license: 'v${version}', metadata: { params: { maxProperties: ${version + 5} } } }
export default () => version
`
}

/** Sees that an index is whole: it is of one version, and everything that it names of what was made is there as it says. */
export async function expectWhole(dir: string): Promise<void> {
  const { deviations } = await verify({ cwd: dir, paths: [dir] })
  // Sources are of the next version already.
  expect(deviations.filter(({ file }) => file.startsWith('.agent-apps'))).toEqual([])
  const runtime = createRuntime({ paths: [dir], library: false, freshness: 'trust' })
  const tools = await runtime.listTools()
  const versions = new Set(tools.map(({ frontmatter }) => frontmatter.license))
  expect([tools.length, versions.size]).toEqual([FILES * IN_FILE + 3, 1])
  const [version = ''] = versions
  for (const name of ['one', 'two']) expect(`v${await runtime.invoke(name)}`).toBe(version)
  expect(runtime.stats().via.disk).toBe(0)
  if (existsSync(join(dir, 'agent-apps.config.mjs')))
    expect((await runtime.search(`Word${version.slice(1)}`, { limit: 300 })).length).toBe(FILES * IN_FILE)
  expect(runtime.diagnostics()).toEqual([])
}

/** What a compile of a version writes into a new directory, by version. */
export function freshVersions(kind: VersionKind = {}): (round: number) => Promise<string> {
  const made = new Map<number, Promise<string>>()
  const make = async (version: number): Promise<string> => {
    const dir = makeTree(versionTree(version, kind))
    await compileVersion(dir)
    return dir
  }
  return round => {
    const version = round % VERSIONS
    if (!made.has(version)) made.set(version, make(version))
    return made.get(version) as Promise<string>
  }
}
