import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { around, main, text, worker } from '../support/cascade-project.js'
import { shown } from '../support/code-project.js'
import { times } from '../support/long.js'
import { temporary } from '../support/temporary.js'
import { compiled, goodSkills, makeTree, setTimes, snapshot, type Tree, writeTree } from '../support/tree.js'

const PATHS = ['a', 'b']

const TREE: Tree = {
  'a/SKILL.md': main({ $local: { m: 1 } }, 'main-a'),
  'a/m.skill.js': around('m', { n: 2 }),
  'a/t.skill.md': text('t', { $inherit: 'u' }),
  'b/n.skill.js': around('n'),
  'b/u/SKILL.md': text('u', { n: { x: 1 } }),
  'b/v.skill.md': text('v'),
}

function everything(cwd: string): Record<string, Record<string, string>> {
  return Object.fromEntries(PATHS.map(path => [path, compiled(join(cwd, path))]))
}

/** What a first compile of the same files elsewhere writes. */
async function fresh(cwd: string): Promise<Record<string, Record<string, string>>> {
  const copy = temporary()
  cpSync(cwd, copy, { recursive: true, filter: source => !/\/\.agent-apps(\.json|$|\/)/.test(source) })
  await compile({ cwd: copy, paths: PATHS })
  const made = everything(copy)
  rmSync(copy, { recursive: true })
  return made
}

const FILES = [
  'a/one.skill.md',
  'a/two.skill.md',
  'a/deep/three.skill.md',
  'b/four.skill.md',
  'b/SKILL.md',
  'a/SKILL.md',
]
const NAMES = ['one', 'two', 'three', 'm', 'n']

const value = fc.constantFrom<unknown>(1, 2, null, true, [1], [2], { x: 1 }, { y: '${args.z}' })
const values = fc.dictionary(
  fc.constantFrom('m', 'n', 'k', '$inherit', '$order', '$hook', '$static', '$remove', '$merge'),
  value,
  { maxKeys: 3 },
)
/** Mostly what an author would write, with a fault now and then. */
const authored = fc.record({
  plain: values,
  inherit: fc.option(fc.subarray([...NAMES, 'nobody', '../b/four.skill.md'], { maxLength: 2 }), {
    nil: undefined,
  }),
  local: fc.option(fc.dictionary(fc.constantFrom('m', 'n', 'k'), value, { maxKeys: 2 }), { nil: undefined }),
  role: fc.constantFrom(undefined, 'main', 'middleware'),
})
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      file: fc.constantFrom(...FILES),
      name: fc.constantFrom(...NAMES),
      authored,
      lines: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ file: fc.constantFrom(...FILES), name: fc.constant(null) }) },
)

function written({
  name,
  authored: { plain, inherit, local, role },
  lines,
}: {
  name: string
  authored: {
    plain: object
    inherit?: string[] | undefined
    local?: object | undefined
    role?: string | undefined
  }
  lines: number
}): string {
  const all = {
    ...plain,
    ...(inherit && { $inherit: inherit }),
    ...(local && { $local: local, $global: local }),
    ...(role && { role }),
  }
  return text(name, all).replace('metadata:', `${'# a line\n'.repeat(lines)}metadata:`)
}

describe('compiling on top of the last compile', () => {
  it.each([
    ['in one file', 0],
    ['split', 200],
  ] as const)(
    'gives the bytes and the diagnostics of a first one, whatever metadata became, %s',
    async (_, count) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 8 }),
          async rounds => {
            const many = Object.fromEntries(
              Object.entries(goodSkills(count)).map(([path, item]) => [`a/${path}`, item]),
            )
            const cwd = makeTree({ ...TREE, ...many })
            setTimes(cwd)
            await compile({ cwd, paths: PATHS })
            for (const steps of rounds) {
              for (const one of steps) {
                if (one.name === null) rmSync(join(cwd, one.file), { force: true })
                else writeTree(cwd, { [one.file]: written(one) })
              }
              const { diagnostics } = await compile({ cwd, paths: PATHS })
              const after = everything(cwd)
              expect(after).toEqual(await fresh(cwd))
              const again = await compile({ cwd, paths: PATHS })
              expect(again.written).toEqual([])
              expect(again.diagnostics.map(shown)).toEqual(diagnostics.map(shown))
              const checked = await compile({ cwd, paths: PATHS, check: true })
              expect(checked).toMatchObject({ outdated: [], stale: [] })
              expect(checked.diagnostics.map(shown)).toEqual(diagnostics.map(shown))
            }
            rmSync(cwd, { recursive: true })
          },
        ),
        { numRuns: times(count === 0 ? 3 : 1, 200) },
      )
    },
  )

  async function project(more: Tree = {}): Promise<string> {
    const cwd = makeTree({ ...TREE, ...more })
    setTimes(cwd)
    await compile({ cwd, paths: PATHS })
    return cwd
  }

  it('writes the index of another directory whose cascades changed, and nothing else', async () => {
    const cwd = await project()
    writeTree(cwd, { 'a/SKILL.md': main({ $local: { m: 1 }, $global: { n: 'all' } }, 'main-a') })
    const checked = await compile({ cwd, paths: PATHS, check: true })
    expect(checked.outdated).toEqual(['a/.agent-apps.json', 'b/.agent-apps.json'])
    expect(checked.stale).toEqual(['m', 'main-a', 't', 'n', 'u', 'v'])
    const { written: files, reused } = await compile({ cwd, paths: PATHS })
    expect(files).toEqual(['a/.agent-apps.json', 'b/.agent-apps.json'])
    expect(reused).toBe(5)
    expect(everything(cwd)).toEqual(await fresh(cwd))
  })

  it('writes only its own index where a text changed', async () => {
    const cwd = await project()
    const before = readFileSync(join(cwd, 'b/.agent-apps.json'), 'utf8')
    writeTree(cwd, { 'a/t.skill.md': text('t', { $inherit: 'u' }, 'Another text.\n') })
    expect((await compile({ cwd, paths: PATHS })).written).toEqual(['a/.agent-apps.json'])
    expect(readFileSync(join(cwd, 'b/.agent-apps.json'), 'utf8')).toBe(before)
    writeTree(cwd, { 'a/t.skill.md': text('t', { $inherit: 'u', data: 1 }, 'Another text.\n') })
    // What others inherit may be of it.
    expect((await compile({ cwd, paths: PATHS })).written).toEqual([
      'a/.agent-apps.json',
      'b/.agent-apps.json',
    ])
  })

  it('says again what is wrong, in the line where it is by then', async () => {
    const fault = { m: 1, $inherti: 1 }
    const cwd = await project({ 'b/fault.skill.md': text('fault', fault) })
    const said = async (check = false) => (await compile({ cwd, paths: PATHS, check })).diagnostics.map(shown)
    expect(await said()).toEqual(['b/fault.skill.md:4:18 annotation-unknown error'])
    const first = await said()
    expect(await said(true)).toEqual(first)
    writeTree(cwd, { 'b/fault.skill.md': text('fault', fault).replace('metadata', '# one\n# two\nmetadata') })
    const moved = await said()
    expect(moved).toEqual(first.map(line => line.replace(':4:', ':6:')))
    expect(await said()).toEqual(moved)
    // Another directory's edit that mends it, or does not.
    writeTree(cwd, { 'a/t.skill.md': text('t', { k: 1 }) })
    expect(await said()).toEqual(moved)
    expect(await said()).toEqual(moved)
    writeTree(cwd, { 'b/fault.skill.md': text('fault', { m: 1 }) })
    expect(await said()).toEqual([])
    expect(everything(cwd)).toEqual(await fresh(cwd))
  })

  it('says what is wrong since another file changed, and no longer once that is back', async () => {
    const cwd = await project()
    rmSync(join(cwd, 'b/u/SKILL.md'))
    const { diagnostics } = await compile({ cwd, paths: PATHS })
    expect(diagnostics.map(shown)).toEqual(['a/t.skill.md:4:12 inherit-missing error'])
    expect((await compile({ cwd, paths: PATHS })).diagnostics.map(shown)).toEqual(diagnostics.map(shown))
    writeTree(cwd, { 'b/u/SKILL.md': text('u', { n: 1 }) })
    expect((await compile({ cwd, paths: PATHS })).diagnostics).toEqual([])
  })

  it('sees that a base by its path has lost its name to another file, and has it back', async () => {
    const cwd = await project({
      'a/t.skill.md': text('t', { $inherit: './z.skill.md' }),
      'a/z.skill.md': text('z'),
    })
    const said = async () =>
      (await compile({ cwd, paths: PATHS })).diagnostics.map(({ ruleId }) => ruleId).sort()
    expect(await said()).toEqual([])
    writeTree(cwd, { 'a/a.skill.md': text('z', { n: 1 }) })
    expect(await said()).toEqual(['duplicate-name', 'inherit-broken'])
    expect(everything(cwd)).toEqual(await fresh(cwd))
    rmSync(join(cwd, 'a/z.skill.md'))
    expect(await said()).toEqual(['inherit-missing'])
    writeTree(cwd, { 'a/z.skill.md': text('z') })
    expect(await said()).toEqual(['duplicate-name', 'inherit-broken'])
    writeTree(cwd, { 'a/a.skill.md': text('y') })
    expect(await said()).toEqual([])
    expect(everything(cwd)).toEqual(await fresh(cwd))
  })

  it('sees that another one’s directory is searched now, in which a base may lie', async () => {
    const cwd = await project({
      'a/x.skill.md': text('x', { $inherit: 'theirs' }),
      'them/theirs.skill.md': text('theirs', { m: 1 }),
    })
    expect((await compile({ cwd, paths: PATHS })).diagnostics.map(({ ruleId }) => ruleId)).toEqual([
      'inherit-missing',
    ])
    const paths = [...PATHS, { dir: 'them', external: true }]
    expect((await compile({ cwd, paths })).diagnostics).toEqual([])
    expect((await compile({ cwd, paths })).written).toEqual([])
    expect((await compile({ cwd, paths: PATHS })).diagnostics.map(({ ruleId }) => ruleId)).toEqual([
      'inherit-missing',
    ])
  })

  it('--check sees a cascade that another directory made stale', async () => {
    const cwd = await project()
    const before = snapshot(cwd, { times: true })
    expect(await compile({ cwd, paths: PATHS, check: true })).toMatchObject({ outdated: [], stale: [] })
    // Compiled alone, the second directory knows nothing of the first.
    await compile({ cwd, paths: ['b'] })
    expect((await compile({ cwd, paths: PATHS, check: true })).outdated).toContain('b/.agent-apps.json')
    await compile({ cwd, paths: PATHS })
    expect(Object.keys(snapshot(cwd, { times: true }))).toEqual(Object.keys(before))
    expect(await compile({ cwd, paths: PATHS, check: true })).toMatchObject({ outdated: [] })
  })
})

describe('cascades', () => {
  it('are the same bytes in another root and order of creation', async () => {
    const more: Tree = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `${'ab'[index % 2]}/skill-${(index * 37) % 60}.skill.md`,
        text(`skill-${(index * 37) % 60}`, {
          m: { index },
          $inherit: index > 3 ? [`skill-${((index - 1) * 37) % 60}`] : [],
          $merge: { m: 'deep' },
        }),
      ]),
    )
    const entries = Object.entries({ ...TREE, ...more, 'b/w.skill.js': worker('w', { n: 1, m: 1 }) })
    const orders = [
      entries,
      [...entries].reverse(),
      [...entries].sort(([a], [b]) => (a.slice(-9) < b.slice(-9) ? -1 : 1)),
    ]
    const made = []
    for (const [index, order] of orders.entries()) {
      const cwd = join(temporary(), 'x'.repeat(index * 9 + 1))
      for (const [path, item] of order) writeTree(cwd, { [path]: item })
      await compile({ cwd, paths: PATHS })
      made.push(everything(cwd))
    }
    expect(made[1]).toEqual(made[0])
    expect(made[2]).toEqual(made[0])
    expect(JSON.stringify(made[0])).toContain('\\"sources\\"')
  })
})
