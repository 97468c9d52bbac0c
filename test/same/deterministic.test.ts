import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { oneIn, some, times } from '../support/long.js'
import { runCode } from '../support/processes.js'
import { sealedText } from '../support/sealed-text.js'
import { temporary } from '../support/temporary.js'
import {
  compiled,
  goodSkills,
  makeTree,
  setTimes,
  skill,
  snapshot,
  type Tree,
  writeTree,
} from '../support/tree.js'

const VARIED: Tree = {
  ...goodSkills(140),
  'good-3/references/b.md': 'b\n',
  'good-3/references/a.md': 'a\n',
  'zebra/SKILL.md': skill('zebra', 'Z.\n', 'metadata:\n  z: 1\n  a: 2\n  tags: [Two, one]\n'),
  'ärger/SKILL.md': skill('aerger'),
  '\u{1F600}/SKILL.md': skill('astral'),
  '\uFFFD/SKILL.md': skill('plane-one'),
  'I/SKILL.md': skill('dotless'),
  'pair.skill.md': `${skill('pair-one', 'One.\n\n')}${skill('pair-two')}`,
  'dup/SKILL.md': skill('good-7'),
  'broken/SKILL.md': '---\nname: broken\n---x\n',
}

describe('the same tree gives the same bytes', () => {
  it('under other roots, time zones, locales, umasks and creation orders', async () => {
    const here = makeTree(VARIED)
    await compile({ paths: [here] })
    const expected = compiled(here)
    expect(Object.keys(expected).length).toBeGreaterThan(2)
    const ways = [
      { TZ: 'UTC', LC_ALL: 'C', UMASK: '022', order: 1 },
      { TZ: 'America/St_Johns', LC_ALL: 'sv_SE.UTF-8', UMASK: '000', order: 1 },
      { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8', UMASK: '077', order: -1 },
    ]
    for (const [index, { order, ...env }] of some(ways).entries()) {
      const root = join(temporary(), 'x'.repeat(index * 7 + 1), 'skills')
      const entries = Object.entries(VARIED)
      writeTree(root, Object.fromEntries(order < 0 ? entries.reverse() : entries))
      setTimes(root, new Date(1_600_000_000_000 + index * 86_400_000))
      runCode(COMPILE, { ...env, SKILLS: root })
      expect(compiled(root)).toEqual(expected)
    }
  })

  it('holds nothing of the machine', async () => {
    const dir = makeTree(VARIED)
    await compile({ paths: [dir] })
    const text = Object.values(compiled(dir)).join('\n')
    expect(text).not.toContain(dir)
    expect(text).not.toMatch(/mtime|\d{4}-\d\d-\d\dT/)
  })

  it('has its records in code-point order of their keys', async () => {
    const dir = makeTree({
      'b/SKILL.md': skill('a-one'),
      'a/SKILL.md': skill('b-two'),
      'z.skill.md': skill('a'),
    })
    await compile({ paths: [dir] })
    const { tools, files } = JSON.parse(compiled(dir)['.agent-apps.json'] ?? '') as Record<string, object>
    expect(Object.keys(tools ?? {})).toEqual(['a', 'a-one', 'b-two'])
    expect(Object.keys(files ?? {})).toEqual(['a/SKILL.md', 'b/SKILL.md', 'z.skill.md'])
  })

  it('whether it is compiled by its own path, through a link, or from another directory', async () => {
    const [one, other] = [makeTree(VARIED), makeTree({ ...VARIED })]
    const link = join(temporary(), 'link')
    writeTree(dirname(link), { link: { link: other } })
    await compile({ cwd: dirname(one), paths: [one] })
    await compile({ cwd: '/', paths: [link] })
    expect(compiled(other)).toEqual(compiled(one))
  })
})

const COMPILE = `
  import { compile } from 'agent-apps/compiler'
  process.umask(Number.parseInt(process.env.UMASK, 8))
  await compile({ paths: [process.env.SKILLS] })
`

describe('a compile that changes nothing writes nothing', () => {
  it.each([
    ['small', 20],
    ['split', 140],
  ] as const)('%s', async (_, count) => {
    const dir = makeTree({ ...goodSkills(count), 'good-1/a.txt': 'a\n', 'twin/SKILL.md': skill('good-2') })
    setTimes(dir)
    const first = await compile({ paths: [dir] })
    expect(first.written.length).toBeGreaterThan(0)
    const before = withoutCache(dir)
    const second = await compile({ paths: [dir] })
    expect([second.written, second.reused]).toEqual([[], count + 1])
    expect(withoutCache(dir)).toEqual(before)
    expect(second.diagnostics.map(String)).toEqual(first.diagnostics.map(String))
    expect(second.counts).toEqual(first.counts)
  })

  it('also after every file was touched', { tags: 'long' }, async () => {
    const dir = makeTree({ ...goodSkills(150), 'good-1/a.txt': 'a\n' })
    await compile({ paths: [dir] })
    for (const path of Object.keys(snapshot(dir))) {
      const now = new Date()
      if (/\.(md|txt)$/.test(path)) utimesSync(join(dir, path), now, now)
    }
    const before = withoutCache(dir)
    const { written, reused } = await compile({ paths: [dir] })
    expect([written, reused]).toEqual([[], 150])
    expect(withoutCache(dir)).toEqual(before)
  })

  it('also without the cache, but for the cache', async () => {
    const dir = makeTree(goodSkills(150))
    await compile({ paths: [dir] })
    const before = compiled(dir)
    rmSync(join(dir, '.agent-apps/cache.json'))
    expect((await compile({ paths: [dir] })).written).toEqual([])
    expect(compiled(dir)).toEqual(before)
  })

  it('with a cache that is cut off, foreign or of nonsense', { tags: 'long' }, async () => {
    const dir = makeTree(goodSkills(20))
    await compile({ paths: [dir] })
    const cache = join(dir, '.agent-apps/cache.json')
    const text = readFileSync(cache, 'utf8')
    for (const bad of [
      text.slice(0, 99),
      'null',
      '[]',
      '{}',
      text.replace('"version":"', '"version":"9'),
      '',
      ...['null', '[]', '{}', text.slice(65).replace('"version":"', '"version":"9')].map(sealedText),
    ]) {
      writeFileSync(cache, bad)
      writeTree(dir, { 'good-3/SKILL.md': skill('good-3', `Anew ${bad.length}.\n`) })
      await compile({ paths: [dir] })
      expect(compiled(dir)).toEqual(await fresh(dir))
    }
  })

  it('with a cache in which any value was changed', { tags: 'long' }, async () => {
    const dir = makeTree({
      ...goodSkills(5),
      'SKILL.md': skill('boss', '', 'metadata:\n  role: main\n  $global:\n    guard: true\n'),
      'guard.skill.js':
        "export const frontmatter = { name: 'guard', description: 'Guards.', metadata: { role: 'middleware' } }\nexport default () => { throw new Error('guarded') }\n",
    })
    await compile({ paths: [dir] })
    const file = join(dir, '.agent-apps/cache.json')
    const text = readFileSync(file, 'utf8')
    const kept = compiled(dir)
    const places = pathsIn(JSON.parse(text.slice(65)))
    expect(places.length).toBeGreaterThan(150)
    const step = Math.ceil(places.length / times(10, places.length))
    for (let number = 0; number < places.length; number += step) {
      const path = places[number] ?? []
      const cache = JSON.parse(text.slice(65))
      const holder = path.slice(0, -1).reduce((value, key) => value[key], cache)
      holder[path.at(-1) ?? ''] = [null, 0, 'x', [], {}, [[]], 'a\0b'][number % 7]
      writeFileSync(file, text.slice(0, 65) + JSON.stringify(cache))
      await compile({ paths: [dir] })
      expect(compiled(dir), path.join('.')).toEqual(kept)
    }
  })

  it('writes only what changed', async () => {
    const dir = makeTree(goodSkills(300))
    await compile({ paths: [dir] })
    writeTree(dir, { 'good-3/SKILL.md': skill('good-3', 'Anew.\n') })
    const { written, reused } = await compile({ cwd: dir, paths: ['.'] })
    expect(reused).toBe(299)
    // At most two shards, the list of tools, the search file, and the header.
    expect(written.filter(path => path.includes('/index-')).length).toBeLessThanOrEqual(2)
    expect(written.filter(path => !path.includes('/index-'))).toEqual([
      expect.stringMatching(/\/list-\w+\.json$/),
      expect.stringMatching(/\/search-\w+\.bin$/),
      '.agent-apps.json',
    ])
    expect(written.at(-1)).toBe('.agent-apps.json')
  })
})

/** A directory with its times. The cache is left out, and its folder, which may learn the times of files that are the same. */
function withoutCache(dir: string): Record<string, string> {
  const { '.agent-apps': _, '.agent-apps/cache.json': __, ...others } = snapshot(dir, { times: true })
  return others
}

/** The paths of all values within one. */
function pathsIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [[key], ...pathsIn(item).map(path => [key, ...path])])
}

/** What a first compile of the same tree elsewhere gives. */
async function fresh(dir: string): Promise<Record<string, string>> {
  const copy = temporary()
  cpSync(dir, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: source => !/\/\.agent-apps(\.json|$|\/)/.test(source),
  })
  await compile({ paths: [copy] })
  return compiled(copy)
}

type Change =
  | { kind: 'write'; at: number; name: number; body: number }
  | { kind: 'remove'; at: number }
  | { kind: 'rename'; at: number; to: number }
  | { kind: 'resource'; at: number; file: number; body: number }
  | { kind: 'break'; at: number }
  | { kind: 'pair'; at: number; name: number }
  | { kind: 'hide'; at: number }

const FOLDERS = 6
const number = (max: number): fc.Arbitrary<number> => fc.nat({ max: max - 1 })
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), at: number(FOLDERS), name: number(3), body: number(3) }),
  fc.record({ kind: fc.constant('remove' as const), at: number(FOLDERS) }),
  fc.record({ kind: fc.constant('rename' as const), at: number(FOLDERS), to: number(FOLDERS) }),
  fc.record({
    kind: fc.constant('resource' as const),
    at: number(FOLDERS),
    file: number(3),
    body: number(3),
  }),
  fc.record({ kind: fc.constant('break' as const), at: number(FOLDERS) }),
  fc.record({ kind: fc.constant('pair' as const), at: number(FOLDERS), name: number(3) }),
  fc.record({ kind: fc.constant('hide' as const), at: number(FOLDERS) }),
)

/** Few names for many folders, so that the same name comes and goes in several of them. */
function apply(dir: string, step: Change): void {
  const folder = (at: number): string => join(dir, `folder-${at}`)
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const file = join(folder(step.at), 'SKILL.md')
  if (step.kind === 'write') write(file, skill(`name-${step.name}`, `Body ${step.body}.\n`))
  else if (step.kind === 'remove') rmSync(folder(step.at), { recursive: true, force: true })
  else if (step.kind === 'rename') {
    if (existsSync(folder(step.at)) && !existsSync(folder(step.to)))
      renameSync(folder(step.at), folder(step.to))
  } else if (step.kind === 'resource') {
    write(join(folder(step.at), `file-${step.file}.txt`), `Text ${step.body}.\n`)
  } else if (step.kind === 'break') write(file, '---\nname: name-1\n---x\n')
  else if (step.kind === 'pair') {
    const pair = `${skill(`name-${step.name}`, 'One.\n\n')}${skill(`name-${step.name + 1}`)}`
    write(join(folder(step.at), 'pair.skill.md'), pair)
  } else write(join(dir, `sub-${step.at}`, '.hidden', 'skills', 'SKILL.md'), skill('hidden'))
}

describe('compiling on top of the last compile gives the bytes of a first one', () => {
  it.each(
    oneIn(3, [
      ['in one file', 0],
      ['around the size at which it is split', 120],
      ['split', 200],
    ] as const),
  )('%s', async (_, count) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 8 }), {
          minLength: times(2, 4),
          maxLength: times(4, 8),
        }),
        async rounds => {
          const dir = makeTree(goodSkills(count))
          setTimes(dir)
          await compile({ paths: [dir] })
          for (const steps of rounds) {
            for (const step of steps) apply(dir, step)
            await compile({ paths: [dir] })
            expect(compiled(dir)).toEqual(await fresh(dir))
          }
          rmSync(dir, { recursive: true })
        },
      ),
      { numRuns: times(1, 500) },
    )
  })

  it('where a name passes from one file to another', async () => {
    const dir = makeTree({ 'a/SKILL.md': skill('same', 'A.\n'), 'b/SKILL.md': skill('same', 'B.\n') })
    setTimes(dir)
    await compile({ paths: [dir] })
    rmSync(join(dir, 'a'), { recursive: true })
    await compile({ paths: [dir] })
    expect(compiled(dir)).toEqual(await fresh(dir))
    writeTree(dir, { 'a/SKILL.md': skill('same', 'A.\n') })
    await compile({ paths: [dir] })
    expect(compiled(dir)).toEqual(await fresh(dir))
  })
})
