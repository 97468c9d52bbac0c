import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRuntime } from 'agent-apps'
import { compile, verify } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { times } from './support/long.js'
import { ROOT } from './support/processes.js'
import { temporary } from './support/temporary.js'
import { compiled, makeTree, skill, type Tree, writeTree } from './support/tree.js'

const KILLS = times(10, 10_000)
const FAULTS = times(3, 300)
const HOUR = 3_600_000

const SCRIPT = fileURLToPath(new URL('support/faulty-compile.mjs', import.meta.url))

/** Skills that make shards, modules, a chunk and a compiled schema, all of them others in each version. */
const version = (number: number): Tree => ({
  ...Object.fromEntries(
    Array.from({ length: 130 }, (_, index) => [
      `good-${index}/SKILL.md`,
      skill(`good-${index}`, `Version ${number}.\n`, `license: v${number}\n`),
    ]),
  ),
  'one.skill.js': code('one', number),
  'two.skill.js': code('two', number),
  'shared.js': `export const version = ${number}\n`,
})

function code(name: string, number: number): string {
  return `import { version } from './shared.js'
export const frontmatter = { name: '${name}', description: 'D.', metadata: { params: { maxProperties: ${number + 5} } } }
export default () => version
`
}

interface Outcome {
  status: number | null
  signal: string | null
  said: { calls: number; outcome: string | null } | null
}

/** Compiles in a process of its own that meets its fate at a call that writes. */
function faulty(dir: string, at: number, fault?: string): Outcome {
  const { status, signal, stdout } = spawnSync(
    process.execPath,
    [SCRIPT, dir, String(at), ...(fault === undefined ? [] : [fault])],
    { cwd: ROOT, encoding: 'utf8' },
  )
  return { status, signal, said: stdout === '' ? null : JSON.parse(stdout) }
}

/** Sees that an index is whole: it is of one version, and everything that it names of what was made is there as it says. */
async function expectWhole(dir: string): Promise<void> {
  const { deviations } = await verify({ cwd: dir, paths: [dir] })
  // Sources are of the next version already.
  expect(deviations.filter(({ file }) => file.startsWith('.agent-apps'))).toEqual([])
  const runtime = createRuntime({ paths: [dir], library: false, freshness: 'trust' })
  const tools = await runtime.listTools()
  const versions = new Set(tools.map(({ frontmatter }) => frontmatter.license).filter(Boolean))
  expect([tools.length, versions.size]).toEqual([132, 1])
  const [one = ''] = versions
  for (const name of ['one', 'two']) expect(`v${await runtime.invoke(name)}`).toBe(one)
  expect(runtime.stats().via.disk).toBe(0)
  expect(runtime.diagnostics()).toEqual([])
}

/** A compile without any fault comes to what it does in a new directory. */
async function expectLikeNew(dir: string, number: number): Promise<void> {
  await compile({ paths: [dir] })
  const fresh = makeTree(version(number))
  await compile({ paths: [fresh] })
  // Modules that a killed compile had not yet put into an index stay beside those that are in it.
  expect(compiled(dir)).toMatchObject(compiled(fresh))
  rmSync(fresh, { recursive: true })
}

describe('a compile that is killed before a call that writes', () => {
  it(
    `leaves the old index or the new one, ${KILLS} times`,
    async () => {
      const dir = makeTree(version(0))
      await compile({ paths: [dir] })
      writeTree(dir, version(1))
      const { said } = faulty(dir, Number.POSITIVE_INFINITY)
      const calls = said?.calls ?? 0
      expect(calls).toBeGreaterThan(20)
      let killed = 0
      for (let round = 0; round < KILLS; round++) {
        writeTree(dir, version(round + 2))
        // Each in turn; the first rounds of a short run are spread over all of them.
        const at = 1 + (KILLS < calls ? Math.floor((round * calls) / KILLS) : round % calls)
        if (faulty(dir, at).signal === 'SIGKILL') killed++
        await expectWhole(dir)
      }
      expect(killed).toBeGreaterThan(KILLS * 0.8)
      await expectLikeNew(dir, KILLS + 1)
    },
    24 * HOUR,
  )
})

describe('a compile that cannot write', () => {
  it.each(['ENOSPC', 'EROFS', 'EIO'])(
    'because of %s, from any of its calls on, leaves the old index and says so',
    async fault => {
      const dir = makeTree(version(0))
      await compile({ paths: [dir] })
      const before = readFileSync(join(dir, '.agent-apps.json'))
      writeTree(dir, version(1))
      const scratch = makeTree(version(0))
      await compile({ paths: [scratch] })
      writeTree(scratch, version(1))
      const calls = faulty(scratch, Number.POSITIVE_INFINITY).said?.calls ?? 0
      for (let round = 0; round < FAULTS; round++) {
        const at = 1 + (FAULTS < calls ? Math.floor((round * calls) / FAULTS) : round % calls)
        const { status, said } = faulty(dir, at, fault)
        await expectWhole(dir)
        const isOld = readFileSync(join(dir, '.agent-apps.json')).equals(before)
        if (isOld) expect([status, said?.outcome]).toEqual([1, 'INDEX_NOT_WRITABLE'])
        // The index came in its place before the fault: what followed was tidying up.
        else {
          writeTree(dir, version(0))
          await compile({ paths: [dir] })
          writeTree(dir, version(1))
        }
      }
      await expectLikeNew(dir, 1)
    },
    HOUR,
  )
})

/** Whether this machine lets us have file systems of our own. */
const canMount = ((): boolean => {
  const place = temporary()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place])
  if (status === 0) execFileSync('umount', [place])
  return status === 0
})()

/** Runs work in a directory where a file system was mounted. */
async function mounted(args: string[], work: (place: string) => Promise<void>): Promise<void> {
  const place = temporary()
  execFileSync('mount', [...args, place])
  try {
    await work(place)
  } finally {
    execFileSync('umount', ['-l', place])
  }
}

// Where mounting is not allowed, the faults above are what there is.
describe.runIf(canMount)('a file system', () => {
  it(
    'that is full leaves the old index, at whatever step the room ends',
    () =>
      mounted(['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs'], async place => {
        const dir = join(place, 'skills')
        mkdirSync(dir)
        writeTree(dir, version(0))
        await compile({ paths: [dir] })
        const filler = join(place, 'filler')
        const free = (): number =>
          Number(execFileSync('stat', ['-f', '-c', '%f', place], { encoding: 'utf8' })) * 4096
        let refused = 0
        let number = 0
        const step = (process.env.LONG === undefined ? 16 : 1) * 4096
        for (let room = 0; room <= 256 * 1024; room += step) {
          number++
          writeTree(dir, version(number))
          const before = readFileSync(join(dir, '.agent-apps.json'))
          writeFileSync(filler, Buffer.alloc(Math.max(0, free() - room)))
          const { status, said } = faulty(dir, Number.POSITIVE_INFINITY)
          await expectWhole(dir)
          if (status !== 0) {
            refused++
            expect(said?.outcome).toBe('INDEX_NOT_WRITABLE')
            expect(readFileSync(join(dir, '.agent-apps.json'))).toEqual(before)
          }
          rmSync(filler)
          if (status !== 0) await compile({ paths: [dir] })
        }
        expect(refused).toBeGreaterThan(0)
        await expectLikeNew(dir, number)
      }),
    HOUR,
  )

  it('that is read-only leaves the old index, and the command exits with 1', async () => {
    const dir = makeTree(version(0))
    await compile({ paths: [dir] })
    writeTree(dir, version(1))
    await mounted(['--bind', '-o', 'ro', dir], async place => {
      execFileSync('mount', ['-o', 'remount,ro,bind', place])
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(ROOT, 'dist/cli/main.js'), 'compile', place],
        { encoding: 'utf8' },
      )
      expect([status, stderr]).toEqual([1, expect.stringMatching(/INDEX_NOT_WRITABLE|cannot be written/)])
      await expectWhole(place)
    })
    await expectLikeNew(dir, 1)
  })
})
