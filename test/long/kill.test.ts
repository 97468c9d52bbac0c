import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { clean, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { times } from '../support/long.js'
import { ROOT, startCode } from '../support/processes.js'
import { compiled, goodSkills, makeTree, skill, snapshot, type Tree, writeTree } from '../support/tree.js'

const KILLS = times(20, 10_000)
const SKILLS = 400
const ROUNDS = times(3, 1_000)
const DAY = 86_400_000

const version = (number: number): Tree =>
  Object.fromEntries(
    Array.from({ length: SKILLS }, (_, index) => [
      `good-${index}/SKILL.md`,
      skill(`good-${index}`, `Version ${number}.\n`, `license: v${number}\n`),
    ]),
  )

/** Sees that an index is whole: every part that it names is there and is what its name says. */
function expectWhole(dir: string): void {
  const header = JSON.parse(readFileSync(join(dir, '.agent-apps.json'), 'utf8')) as { shards: string[] }
  expect(header.shards.length).toBeGreaterThan(1)
  for (const shard of header.shards) {
    const text = readFileSync(join(dir, '.agent-apps', `index-${shard}.json`))
    expect(createHash('sha256').update(text).digest('hex').slice(0, 32)).toBe(shard)
  }
}

function compileLater(dir: string): ChildProcess {
  const code = `process.send('ready')
    const { compile } = await import('agent-apps/compiler')
    process.send('go')
    await compile({ paths: [${JSON.stringify(dir)}], force: true })`
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** Kills a compile a random while after it began; says whether it had ended before. */
async function kill(dir: string, patience: number): Promise<boolean> {
  const child = compileLater(dir)
  const ended = new Promise<void>(done => child.once('exit', () => done()))
  await new Promise<void>(done => child.on('message', message => message === 'go' && done()))
  const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * patience)
  await ended
  clearTimeout(timer)
  return child.exitCode === 0
}

describe('a compile that is killed', () => {
  it(
    `leaves the old index or the new one, ${KILLS} times`,
    async () => {
      const dir = makeTree(version(0))
      await compile({ paths: [dir] })
      const started = performance.now()
      await kill(dir, 1_000_000)
      const patience = (performance.now() - started) * 1.1
      let killed = 0
      for (let round = 1; round <= KILLS; round++) {
        writeTree(dir, version(round))
        if (!(await kill(dir, patience))) killed++
        expectWhole(dir)
        const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
        const licenses = new Set<string | undefined>()
        for (let index = 0; index < SKILLS; index++) {
          const tool = await runtime.findTool(`good-${index}`)
          expect(tool?.origin.via).toBe('index')
          licenses.add(tool?.frontmatter.license)
        }
        // One version, and no mixture of two.
        expect(licenses.size).toBe(1)
        expect(runtime.diagnostics()).toEqual([])
      }
      expect(killed).toBeGreaterThan(KILLS / 4)

      await compile({ paths: [dir] })
      const fresh = makeTree(version(KILLS))
      await compile({ paths: [fresh] })
      expect(compiled(dir)).toEqual(compiled(fresh))
      await clean({ paths: [dir] })
      expect(snapshot(dir)).toEqual(snapshot(makeTree(version(KILLS))))
    },
    DAY,
  )
})

describe('compiles at the same time', () => {
  it(
    'end in one valid index, the one that a single compile makes, and readers see nothing else',
    async () => {
      const dir = makeTree(version(0))
      await compile({ paths: [dir] })
      for (let round = 1; round <= ROUNDS; round++) {
        writeTree(dir, version(round))
        const work = `import { compile } from 'agent-apps/compiler'
        await compile({ paths: [${JSON.stringify(dir)}], force: Math.random() < 0.5 })`
        const read = `import { createRuntime } from 'agent-apps/runtime'
        for (let turn = 0; turn < 20; turn++) {
          const runtime = createRuntime({ paths: [${JSON.stringify(dir)}], freshness: 'trust' })
          for (let index = 0; index < ${SKILLS}; index += 13) {
            const tool = await runtime.findTool('good-' + index)
            if (tool?.origin.via !== 'index') throw new Error('good-' + index + ' via ' + tool?.origin.via + JSON.stringify(runtime.diagnostics()))
          }
          await new Promise(done => setTimeout(done, 5))
        }`
        await Promise.all([
          ...Array.from({ length: 8 }, () => startCode(work)),
          ...Array.from({ length: 4 }, () => startCode(read)),
        ])
        expectWhole(dir)
        const serial = makeTree(version(round))
        await compile({ paths: [serial] })
        expect(compiled(dir)).toEqual(compiled(serial))
      }
    },
    DAY,
  )

  it('a lock of a process that is gone is taken over', async () => {
    const dir = makeTree(goodSkills(3))
    const { hostname } = await import('node:os')
    for (const text of [`4194000 ${hostname()}\n`]) {
      writeTree(dir, { '.agent-apps/cache.lock': text })
      await compile({ paths: [dir], force: true })
      writeTree(dir, { 'good-1/SKILL.md': skill('good-1', 'Changed.\n') })
    }
  })
})
