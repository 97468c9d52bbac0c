import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, type Hit, type Runtime, type RuntimeOptions, type SearchFunctions } from 'agent-apps'
import { clean, compile, verify } from 'agent-apps/compiler'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INDEX_FILE } from '../../src/index/index-format.js'
import { oneIn } from '../support/long.js'
import { temporary } from '../support/temporary.js'
import { makeTree, type Tree, writeTree } from '../support/tree.js'

/** Words that mean the same, by the place of their number in a vector. */
const MEANINGS = [
  /deploy|ship|launch|production/g,
  /poem|verse|rhyme/g,
  /invoice|bill|payment/g,
  /vault|secret/g,
]

/** An embedder that counts words by their meaning. It notes the texts that it gets. */
function embedder(seen: string[] = []) {
  return (texts: string[]) => {
    seen.push(...texts)
    return texts.map(text => MEANINGS.map(meaning => text.match(meaning)?.length ?? 0))
  }
}

const CONFIG = `
import { appendFileSync } from 'node:fs'
const meanings = [${MEANINGS.join(', ')}]
const embed = texts => {
  appendFileSync(new URL('./embedded.txt', import.meta.url), texts.map(text => text.split('\\n')[0] + '\\n').join(''))
  return texts.map(text => meanings.map(meaning => text.match(meaning)?.length ?? 0))
}
export default { paths: ['skills', 'more'], search: { embed, model: 'meanings' } }
`

const skill = (name: string, description: string, more = '') =>
  `---\nname: ${name}\ndescription: ${description}\nmetadata: { tags: []${more} }\n---\nSteps.\n`

const TREE: Tree = {
  'package.json': '{}\n',
  'agent-apps.config.mjs': CONFIG,
  'skills/deploy.skill.md': skill('deploy', 'Deploys to production.'),
  'skills/poem.skill.md': skill('poem', 'Writes a poem.'),
  'skills/broken.skill.md': '---\nname: broken\nmetadata: {\n---\n',
  'skills/gated.skill.md': skill('gated', 'Opens the vault.', ', gated: true'),
  ...Object.fromEntries(
    Array.from({ length: 140 }, (_, number) => [
      `skills/other-${number}/SKILL.md`,
      skill(`other-${number}`, `Does the thing of number ${number}.`),
    ]),
  ),
  'more/invoice.skill.md': skill('invoice', 'Writes an invoice.'),
}
/** Without what only makes it large. */
const FEW = Object.fromEntries(Object.entries(TREE).filter(([path]) => !path.includes('/other-')))
const PATHS = ['skills', 'more']
const QUERIES = ['ship it', 'a rhyme', 'bill them', 'the secret thing', 'number 7 launch', 'nothing at all']

const runtimes: Runtime[] = []
afterAll(() => Promise.all(runtimes.map(one => one.close())))

function open(cwd: string, search: SearchFunctions, more: RuntimeOptions = {}): Runtime {
  const runtime = createRuntime({ cwd, paths: PATHS, freshness: 'trust', search, ...more })
  runtimes.push(runtime)
  return runtime
}

const shown = (hits: readonly Hit[]) => hits.map(({ tool, score, matched }) => [tool.name, score, ...matched])
const names = (hits: readonly Hit[]) => hits.map(({ name }) => name)

async function answers(searching: Pick<Runtime, 'search'>): Promise<unknown[]> {
  return Promise.all(QUERIES.map(async query => shown(await searching.search(query))))
}

/** Compiled, and not: tests that change them make copies. */
let shared: string
let sources: string
let few: string
beforeAll(async () => {
  sources = makeTree(TREE)
  few = makeTree(FEW)
  shared = makeTree(TREE)
  await compile({ cwd: shared })
})

/** A project of few skills, compiled. */
async function compiledFew(): Promise<string> {
  const cwd = makeTree(FEW)
  await compile({ cwd })
  return cwd
}

function compiledTree(): string {
  const copy = temporary()
  cpSync(shared, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

/** The names of the tools whose texts the configuration's embedder got since the last time. */
function embedded(cwd: string): string[] {
  const file = join(cwd, 'embedded.txt')
  const found = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  rmSync(file, { force: true })
  return found
}

function vectorFiles(cwd: string): string[] {
  return readdirSync(join(cwd, 'skills/.agent-apps')).filter(name => name.startsWith('vectors-'))
}

describe('an embedder', () => {
  it('finds what shares no word with the query, and the same from an index as from disk', async () => {
    const seen: string[] = []
    const compiled = open(shared, { embed: embedder(seen), model: 'meanings' })
    const expected = await answers(compiled)
    expect(names(await compiled.search('ship it'))).toEqual(['deploy'])
    expect(seen).toEqual([...QUERIES, 'ship it'])
    expect(await answers(open(sources, { embed: embedder(), model: 'meanings' }))).toEqual(expected)
    expect(await answers(open(shared, {}))).not.toEqual(expected)
  })

  it('has the texts of tools without a vector embedded once', async () => {
    const seen: string[] = []
    const runtime = open(sources, { embed: embedder(seen) })
    runtime.register({ name: 'launch', description: 'Launches.', execute: () => 1 })
    const [found] = await Promise.all([runtime.search('ship it'), runtime.search('ship it')])
    expect(names(found)).toEqual(['launch', 'deploy'])
    expect(seen.length).toBeGreaterThan(140)
    expect(seen.filter(text => text.startsWith('launch'))).toHaveLength(1)
    seen.length = 0
    await runtime.search('verses')
    expect(seen).toEqual(['verses'])
  })

  it('tells an agent nothing of a skill that it may not call', async () => {
    const { 'skills/deploy.skill.md': _, ...without } = FEW
    const [seen, expected] = [[] as string[], [] as string[]]
    const agent = (cwd: string, noted: string[]) =>
      open(cwd, { embed: embedder(noted) }).forAgent({ deny: 'deploy' })
    expect(await answers(agent(few, seen))).toEqual(await answers(agent(makeTree(without), expected)))
    expect(seen.toSorted()).toEqual(expected.toSorted())
    expect(seen.join()).toContain('vault')
  })

  it('filters before it ranks, and counts no more than it finds', async () => {
    const runtime = open(shared, { embed: embedder(), model: 'meanings' })
    expect(names(await runtime.search('ship a rhyme', { pattern: 'po*' }))).toEqual(['poem'])
    expect(names(await runtime.search('thing', { limit: 300 })).length).toBe(100)
    expect(names(await runtime.search('', { limit: 2 }))).toEqual(
      ['broken', 'deploy'].slice(1).concat('gated'),
    )
  })

  it.each<[string, unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no quota')
      },
      /threw: no quota/,
    ],
    ['gives too few', () => [[1]], /gave 1 vectors for \d+ texts/],
    ['gives none', () => undefined, /gave no array of vectors/],
    [
      'gives unequal ones',
      (texts: string[]) => texts.map((_, at) => (at ? [1] : [1, 2])),
      /of 2 and of 1 numbers/,
    ],
    [
      'gives no numbers',
      (texts: string[]) => texts.map(() => [Number.NaN]),
      /not an array of finite numbers/,
    ],
    ['gives null', (texts: string[]) => texts.map(() => null), /not an array of finite numbers/],
  ])('that %s is refused', async (_, embed, message) => {
    await expect(open(few, { embed } as SearchFunctions).search('ship it')).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringMatching(message),
    })
  })

  it('of another model, or with vectors of another length, is refused', async () => {
    const failed = (message: RegExp) => ({ code: 'EMBEDDER_FAILED', message: expect.stringMatching(message) })
    await expect(open(shared, { embed: embedder() }).search('ship')).rejects.toMatchObject(failed(/model ""/))
    const other = open(shared, { embed: texts => texts.map(() => [1]), model: 'meanings' })
    await expect(other.search('ship')).rejects.toMatchObject(failed(/of 4 and of 1/))
  })
})

describe('a reranker', () => {
  it('puts hits in another order before the limit cuts them', async () => {
    const given: number[] = []
    const rerank = (_: string, hits: Hit[]) => {
      given.push(hits.length)
      return hits.toReversed()
    }
    const best = names(await open(shared, {}).search('thing 7', { limit: 50 }))
    expect(names(await open(shared, { rerank }).search('thing 7', { limit: 2 }))).toEqual(
      best.toReversed().slice(0, 2),
    )
    expect(given).toEqual([50])
  })

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('down')
      },
    ],
    ['gives no array', () => 1],
    ['gives a hit twice', (_: string, hits: Hit[]) => [hits[0], hits[0]]],
    ['makes hits up', (_: string, hits: Hit[]) => [{ ...hits[0] }]],
  ])('that %s is refused', async (_, rerank) => {
    const runtime = open(few, { rerank } as SearchFunctions)
    await expect(runtime.search('writes')).rejects.toMatchObject({ code: 'RERANKER_FAILED' })
  })
})

describe('the vectors of an index', () => {
  it('are made anew of changed texts alone, even where no cache is left', async () => {
    const cwd = await compiledFew()
    expect(embedded(cwd)).toHaveLength(4)
    writeTree(cwd, { 'skills/poem.skill.md': skill('poem', 'Writes verses.') })
    await compile({ cwd })
    expect(embedded(cwd)).toEqual(['poem'])
    const [file = ''] = vectorFiles(cwd)
    const bytes = readFileSync(join(cwd, 'skills/.agent-apps', file))
    rmSync(join(cwd, 'skills/.agent-apps/cache.json'))
    await compile({ cwd })
    expect(embedded(cwd)).toEqual([])
    expect((await compile({ cwd, paths: PATHS, check: true })).outdated).toEqual([])
    await compile({ cwd, force: true })
    expect(embedded(cwd)).toHaveLength(4)
    expect(vectorFiles(cwd)).toEqual([file])
    expect(readFileSync(join(cwd, 'skills/.agent-apps', file)).equals(bytes)).toBe(true)
    expect((await verify({ cwd, paths: PATHS })).deviations).toEqual([])
  })

  it('go with the embedder, and change with its model', async () => {
    const cwd = compiledTree()
    const [before] = vectorFiles(cwd)
    embedded(cwd)
    writeFileSync(join(cwd, 'agent-apps.config.mjs'), CONFIG.replace("'meanings'", "'other'"))
    await compile({ cwd })
    expect(embedded(cwd)).toHaveLength(144)
    expect(vectorFiles(cwd)).toHaveLength(1)
    expect(vectorFiles(cwd)).not.toEqual([before])
    rmSync(join(cwd, 'agent-apps.config.mjs'))
    await compile({ cwd, paths: PATHS })
    expect(vectorFiles(cwd)).toEqual([])
    expect(JSON.parse(readFileSync(join(cwd, 'skills', INDEX_FILE), 'utf8')).vectors).toBeUndefined()
  })

  it('are removed by clean, which leaves what somebody else named so', async () => {
    const cwd = compiledTree()
    writeFileSync(join(cwd, 'skills/.agent-apps', `vectors-${'0'.repeat(32)}.bin`), 'mine')
    const { removed } = await clean({ cwd, paths: PATHS })
    expect(removed.filter(file => file.includes('vectors-'))).toHaveLength(2)
    expect(vectorFiles(cwd)).toEqual([`vectors-${'0'.repeat(32)}.bin`])
  })

  const DAMAGES: [string, (bytes: Buffer) => Buffer | null][] = [
    ['were changed', bytes => Buffer.concat([bytes.subarray(0, -1), Buffer.from([7])])],
    ['were cut off', bytes => bytes.subarray(0, -1)],
    ['are gone', () => null],
  ]
  it.each(oneIn(3, DAMAGES))('that %s are refused, and made again', async (_, damage) => {
    const cwd = await compiledFew()
    const expected = await answers(open(cwd, { embed: embedder(), model: 'meanings' }))
    const file = join(cwd, 'skills/.agent-apps', vectorFiles(cwd)[0] as string)
    const damaged = damage(readFileSync(file))
    if (damaged) writeFileSync(file, damaged)
    else rmSync(file)
    const runtime = open(cwd, { embed: embedder(), model: 'meanings' })
    expect(await answers(runtime)).toEqual(expected)
    expect(runtime.diagnostics().map(({ rule }) => rule)).toContain('index-refused')
    expect((await verify({ cwd, paths: PATHS })).deviations).toMatchObject([
      { file: expect.stringContaining('/vectors-') },
    ])
    await compile({ cwd })
    expect((await verify({ cwd, paths: PATHS })).deviations).toEqual([])
  })

  it('that the embedder cannot make leave the index as it was', async () => {
    const cwd = compiledTree()
    const before = readFileSync(join(cwd, 'skills', INDEX_FILE))
    writeFileSync(
      join(cwd, 'agent-apps.config.mjs'),
      CONFIG.replace('return texts', 'if (texts.length < 3) return []; return texts'),
    )
    writeTree(cwd, { 'skills/poem.skill.md': skill('poem', 'Writes verses.') })
    await expect(compile({ cwd })).rejects.toMatchObject({ code: 'EMBEDDER_FAILED' })
    expect(readFileSync(join(cwd, 'skills', INDEX_FILE)).equals(before)).toBe(true)
  })
})
