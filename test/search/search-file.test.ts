import { hash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentOptions, createRuntime, type Hit, type Runtime } from 'agent-apps'
import { clean, compile, verify } from 'agent-apps/compiler'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INDEX_FILE } from '../../src/index/index-format.js'
import {
  encodeSearch,
  SearchFile,
  searchFile,
  TABLE_BYTES,
  wholeSearch,
} from '../../src/search/search-file.js'
import { TermStore } from '../../src/search/term-store.js'
import { termsOfText } from '../../src/search/tool-terms.js'
import { isLong, oneIn } from '../support/long.js'
import { runCode } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { makeTree, type Tree, writeTree } from '../support/tree.js'

const WORDS =
  'alpha beta gamma delta epsilon zeta deployment rollback release archive kubernetes 部署指南 straße'.split(
    ' ',
  )

function skillText(name: string, number: number, more = ''): string {
  const words = Array.from({ length: 6 }, (_, at) => WORDS[(number * (at + 3) + at) % WORDS.length])
  const [one, two, ...others] = words
  return `---\nname: ${name}\ndescription: Does ${one} and ${two}.\nmetadata: { tags: [tag-${number % 7}]${more} }\n---\n# ${others[0]}\n\n${others.join(' ')}\n`
}

const COUNT = 150
const TREE: Tree = {
  ...Object.fromEntries(
    Array.from({ length: COUNT }, (_, number) => [
      `skills/skill-${number}/SKILL.md`,
      skillText(`skill-${number}`, number),
    ]),
  ),
  'skills/gated.skill.md': skillText('gated', 3, ', gated: true').replace('# ', '# vault '),
  'skills/broken.skill.md': '---\nname: skill-7\nmetadata: {\n---\nalpha\n',
  'skills/secret.skill.md': skillText('secret', 4, ', visibility: hidden'),
  'more/skill-3/SKILL.md': skillText('skill-3', 90),
  'more/other.skill.md': skillText('other', 5),
}
const PATHS = ['skills', 'more']
const QUERIES = [
  'alpha delta deployment',
  'releases',
  'kube',
  '部署',
  'vault',
  'strasse straße',
  'tag 3',
  'the how',
  'skill-12',
]

let compiled: string
let fromDisk: string
beforeAll(async () => {
  compiled = makeTree(TREE)
  fromDisk = makeTree(TREE)
  await compile({ cwd: compiled, paths: PATHS })
})

const runtimes: Runtime[] = []
afterAll(() => Promise.all(runtimes.map(one => one.close())))

function open(cwd: string): Runtime {
  const runtime = createRuntime({ cwd, paths: PATHS, freshness: 'trust' })
  runtimes.push(runtime)
  return runtime
}

const shown = (hits: readonly Hit[]) => hits.map(({ tool, score, matched }) => [tool.name, score, ...matched])

const names = (hits: readonly Hit[]) => hits.map(({ name }) => name)

async function answers(runtime: Runtime, options?: AgentOptions): Promise<unknown[]> {
  const searching = options ? runtime.forAgent(options) : runtime
  return Promise.all(QUERIES.map(async query => shown(await searching.search(query))))
}

/** The search file of a directory of skills, relative to it. */
function fileOf(dir: string): string {
  const { search } = JSON.parse(readFileSync(join(dir, INDEX_FILE), 'utf8'))
  return searchFile(search)
}

/** A copy of the compiled project. */
function copyOf(): string {
  const copy = temporary()
  cpSync(compiled, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

/** Opens a project in this process, and returns the answers of its runtime and an agent. */
async function answersHere(cwd: string): Promise<unknown> {
  const runtime = open(cwd)
  return [...(await answers(runtime)), ...(await answers(runtime, { deny: 'skill-1*' }))]
}

/** Opens a project or a bundle in another process, and returns the answers of its runtime and an agent. */
function answersApart(from: string): unknown {
  const opened = from.endsWith('.mjs')
    ? `const { runtime } = await import(${JSON.stringify(from)})`
    : `const { createRuntime } = await import('agent-apps')
       const runtime = createRuntime({ cwd: ${JSON.stringify(from)}, paths: ${JSON.stringify(PATHS)}, freshness: 'trust' })`
  return JSON.parse(
    runCode(`${opened}
      const found = []
      for (const searching of [runtime, runtime.forAgent({ deny: 'skill-1*' })])
        for (const query of ${JSON.stringify(QUERIES)})
          found.push((await searching.search(query)).map(({ tool, score, matched }) => [tool.name, score, ...matched]))
      console.log(JSON.stringify(found))`),
  )
}

describe('the search file of an index', () => {
  it('gives the hits and scores that the skill files give', async () => {
    const expected = await answersHere(fromDisk)
    expect(JSON.stringify(expected)).toContain('"skill-1')
    expect(await answersHere(compiled)).toEqual(expected)
    if (isLong) expect(answersApart(compiled)).toEqual(expected)
  })

  it('gives the recorded hits and scores, which do not depend on the version of Node', async () => {
    const recorded = readFileSync(join(import.meta.dirname, 'hits.jsonl'), 'utf8')
    const found = await answers(open(compiled))
    expect(QUERIES.map((query, at) => `${JSON.stringify([query, found[at]])}\n`).join('')).toBe(recorded)
  })

  it('is in a bundle', { tags: 'long' }, async () => {
    const dir = makeTree(TREE)
    const { written } = await compile({ cwd: dir, paths: PATHS, bundle: 'dist/agent.mjs' })
    expect(written).toContain(`skills/${fileOf(join(dir, 'skills'))}`)
    expect(answersApart(join(dir, 'dist/agent.mjs'))).toEqual(await answersHere(fromDisk))
  })

  it('is the same after an edit, an addition and a removal as if all were compiled at once', {
    tags: 'long',
  }, async () => {
    const dir = copyOf()
    writeTree(dir, {
      'skills/skill-20/SKILL.md': skillText('skill-20', 60),
      'skills/aaa/SKILL.md': skillText('aaa', 8).replace('# ', '# unheard '),
      'skills/skill-5/SKILL.md': `${skillText('skill-5', 5)}unheard\n`,
    })
    rmSync(join(dir, 'skills/skill-30'), { recursive: true })
    await compile({ cwd: dir, paths: PATHS })
    writeTree(dir, { 'skills/skill-21/SKILL.md': skillText('skill-21', 61) })
    const { reused } = await compile({ cwd: dir, paths: PATHS })
    expect(reused).toBeGreaterThan(COUNT)
    const made = readFileSync(join(dir, 'skills', fileOf(join(dir, 'skills'))))
    expect(shown(await open(dir).search('unheard')).map(([name]) => name)).toEqual(['aaa', 'skill-5'])
    const again = await answersHere(dir)
    await compile({ cwd: dir, paths: PATHS, force: true })
    expect(readFileSync(join(dir, 'skills', fileOf(join(dir, 'skills')))).equals(made)).toBe(true)
    expect(await answersHere(dir)).toEqual(again)
    expect((await verify({ cwd: dir, paths: PATHS })).deviations).toEqual([])
  })

  it('is read in place of the skills', async () => {
    const dir = copyOf()
    const expected = await answers(open(dir))
    for (const name of readdirSync(join(dir, 'skills')).filter(name => !name.startsWith('.')))
      rmSync(join(dir, 'skills', name), { recursive: true })
    expect(await answers(open(dir))).toEqual(expected)
  })

  it('is all that code reads to name hits in its only directory, and gives what a list gives', async () => {
    const one = makeTree({})
    cpSync(join(compiled, 'skills'), join(one, 'skills'), { recursive: true, preserveTimestamps: true })
    const runtime = (options = {}) => {
      const made = createRuntime({ cwd: one, paths: ['skills'], freshness: 'trust', ...options })
      runtimes.push(made)
      return made
    }
    const listing = runtime()
    listing.register({ name: 'unrelated', description: 'Unrelated.', execute: () => 1 })
    expect(await answers(runtime())).toEqual(await answers(runtime({ freshness: 'check' })))
    expect(names(await listing.search('unrelated alpha')).slice(0, 1)).toEqual(['unrelated'])
    const [hit] = await runtime().search('alpha deployment')
    const found = runtime()
    expect((await found.search('alpha deployment'))[0]?.tool).toBe(await found.findTool(hit?.name ?? ''))
    for (const file of readdirSync(join(one, 'skills/.agent-apps')).filter(
      name => !name.startsWith('search-'),
    ))
      rmSync(join(one, 'skills/.agent-apps', file))
    expect(names(await runtime().search('alpha deployment'))).toEqual(
      names(await open(compiled).search('alpha deployment')),
    )
  })

  it('has nothing of the text of a gated skill', async () => {
    expect(shown(await open(compiled).search('vault'))).toEqual([])
    const whole = wholeSearchOf(join(compiled, 'skills'))
    expect(Buffer.concat(whole.blocks).includes('vault')).toBe(false)
    expect(Buffer.concat(whole.blocks).includes('rollback')).toBe(true)
  })

  it('tells an agent nothing of a skill that it may not call', async () => {
    const without = copyOf()
    rmSync(join(without, 'skills/skill-40'), { recursive: true })
    await compile({ cwd: without, paths: PATHS })
    const options = { deny: 'skill-40' }
    expect(await answers(open(compiled), options)).toEqual(await answers(open(without), options))
    expect(await answers(open(compiled))).not.toEqual(await answers(open(without)))
  })

  it('is left out for few skills, and where the configuration says so', async () => {
    expect(JSON.parse(readFileSync(join(compiled, 'more', INDEX_FILE), 'utf8')).search).toBeUndefined()
    const dir = copyOf()
    const made = join(dir, 'skills', fileOf(join(dir, 'skills')))
    writeFileSync(join(dir, 'agent-apps.config.json'), JSON.stringify({ paths: PATHS, search: false }))
    await compile({ cwd: dir })
    expect(existsSync(made)).toBe(false)
    expect(await answers(open(dir))).toEqual(await answers(open(compiled)))
    writeFileSync(join(dir, 'agent-apps.config.json'), JSON.stringify({ paths: PATHS }))
    await compile({ cwd: dir })
    expect(
      readFileSync(made).equals(readFileSync(join(compiled, 'skills', fileOf(join(compiled, 'skills'))))),
    ).toBe(true)
  })

  it('is removed by clean, and by a compile if no index names it', async () => {
    const dir = copyOf()
    const stale = join(dir, 'skills', fileOf(join(dir, 'skills')))
    const bytes = readFileSync(stale)
    writeTree(dir, { 'skills/skill-20/SKILL.md': skillText('skill-20', 60) })
    await compile({ cwd: dir, paths: PATHS })
    expect(existsSync(stale)).toBe(false)
    writeFileSync(stale, bytes)
    writeFileSync(join(dir, 'skills/.agent-apps/search-mine.bin'), 'mine')
    const { removed } = await clean({ cwd: dir, paths: PATHS })
    expect(removed.filter(file => file.includes('search-'))).toHaveLength(2)
    expect(readdirSync(join(dir, 'skills/.agent-apps'))).toEqual(['search-mine.bin'])
  })
})

describe('a search file that was changed', () => {
  const damages: Record<string, (bytes: Buffer) => Buffer> = {
    'in its table': bytes => Buffer.concat([bytes.subarray(0, 100), Buffer.from('f'), bytes.subarray(101)]),
    'by being cut off': bytes => bytes.subarray(0, -1),
    'in its blocks': bytes => Buffer.from(bytes.toString('latin1').replaceAll('delta', 'gelta'), 'latin1'),
    'by being emptied': () => Buffer.alloc(0),
  }
  it.each(oneIn(4, Object.entries(damages)))(
    '%s refuses the index, and the skills are read',
    async (_, damage) => {
      const dir = copyOf()
      const file = join(dir, 'skills', fileOf(join(dir, 'skills')))
      writeFileSync(file, damage(readFileSync(file)))
      const runtime = open(dir)
      expect(await answers(runtime)).toEqual(await answers(open(compiled)))
      expect(runtime.diagnostics().map(({ rule }) => rule)).toContain('index-refused')
      expect((await verify({ cwd: dir, paths: PATHS })).deviations).toMatchObject([
        { file: expect.stringContaining('/search-'), reason: 'does not have the terms of the skills' },
      ])
      await compile({ cwd: dir, paths: PATHS })
      expect((await verify({ cwd: dir, paths: PATHS })).deviations).toEqual([])
    },
  )

  it('by a compiler of somebody else refuses the index, wherever a number is wrong', async () => {
    const bytes = readFileSync(join(compiled, 'skills', fileOf(join(compiled, 'skills'))))
    let refused = 0
    for (let at = TABLE_BYTES; at < bytes.length - 1; at += isLong ? 7 : 21) {
      const other = Buffer.from(bytes)
      other[at] = (at * 31) & 0xff
      const found = await readAll(other).catch((error: Error) => error)
      if (found instanceof Error) {
        expect(found.message).toMatch(/search file/)
        refused++
      }
    }
    expect(refused).toBeGreaterThan(100)
  })
})

it('refuses a file whose names are not in order, by which the next compile would lose terms', () => {
  const rows = ['b', 'a'].map(name => ({ name, isBroken: false }))
  const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes)
  const { bytes, digest } = encodeSearch(rows, new TermStore().index([]), null, digestOf)
  expect(() => wholeSearch(bytes, digest, digestOf)).toThrow('its search file was changed')
})

/** Reads terms of a file whose digests are all right: somebody who writes an index can make them so. */
async function readAll(bytes: Buffer): Promise<void> {
  const table = bytes.toString('latin1', 0, TABLE_BYTES)
  let digest = ''
  const read = async (start: number, end: number) => {
    digest = entries.get(start) ?? ''
    return bytes.subarray(start, end)
  }
  const entries = new Map<number, string>()
  let start = TABLE_BYTES
  for (let at = 16; at < TABLE_BYTES; at += 40) {
    entries.set(start, entries.get(start) ?? table.slice(at, at + 32))
    start += Number.parseInt(table.slice(at + 32, at + 40), 16)
  }
  const file = await SearchFile.open(read, bytes.length, '', () => digest)
  await file.load(WORDS.flatMap(termsOfText))
  const index = file.index(new Int32Array(file.rows))
  for (const term of WORDS.flatMap(termsOfText)) index.postings(term)
}

function wholeSearchOf(dir: string) {
  const file = fileOf(dir)
  return wholeSearch(readFileSync(join(dir, file)), file.slice(-36, -4), bytes => hash('sha256', bytes))
}

describe('hostile skills', () => {
  it('take a bounded share of the file', async () => {
    const hostile: Tree = {
      'skills/distinct.skill.md': `---\nname: distinct\ndescription: x\n---\n${Array.from({ length: 100_000 }, (_, n) => `w${n}`).join(' ')}`,
      'skills/same.skill.md': `---\nname: same\ndescription: x\n---\n${'same '.repeat(100_000)}`,
      'skills/marks.skill.md': `---\nname: marks\ndescription: x\n---\na${'\u0301'.repeat(200_000)}`,
    }
    const dir = makeTree({ ...TREE, ...hostile })
    await compile({ cwd: dir, paths: PATHS })
    const size = (project: string) =>
      readFileSync(join(project, 'skills', fileOf(join(project, 'skills')))).length
    expect(size(dir) - size(compiled)).toBeLessThan(3 * 128 * 12)
  })
})
