import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { goodSkills, makeTree, writeTree } from '../support/tree.js'

const CODE = "export const frontmatter = { name: 'code', description: 'd' }; export default () => 1\n"

/** Compiled, with records in the index and in shards. */
const projects = { small: '', large: '' }

beforeAll(async () => {
  for (const [size, count] of [
    ['small', 2],
    ['large', 300],
  ] as const) {
    const cwd = makeTree({ 'package.json': '{"type":"module"}' })
    writeTree(join(cwd, 'skills'), { ...goodSkills(count), 'code.skill.js': CODE })
    await compile({ cwd, paths: ['./skills'], bundle: 'dist/agent.mjs' })
    projects[size] = cwd
  }
})

const runtime = (freshness: string): string[] => [
  '--input-type=module',
  '-e',
  `import { createRuntime } from ${JSON.stringify(new URL('../../dist/runtime/index.js', import.meta.url).href)}
  const runtime = createRuntime({ paths: ['skills'], freshness: '${freshness}' })
  if (!(await runtime.findTool('good-1'))) throw new Error('not found')
  if ((await runtime.listTools()).length < 3) throw new Error('not listed')`,
]
const command = (...args: string[]): string[] => [join(ROOT, 'dist/cli/main.js'), ...args]

/** What reads a file of ours. */
const READERS: Record<string, string[]> = {
  'a runtime that checks': runtime('check'),
  'a runtime that trusts': runtime('trust'),
  compile: command('compile', 'skills', '--bundle', 'dist/agent.mjs'),
  'compile --check': command('compile', 'skills', '--check', '--bundle', 'dist/agent.mjs'),
  verify: command('verify', 'skills'),
  clean: command('clean', 'skills'),
}
const ALL = Object.keys(READERS)

/** Runs a reader where a file became something else right after it was looked at. */
function read(size: keyof typeof projects, name: RegExp, become: (path: string) => void, reader: string) {
  const cwd = temporary()
  cpSync(projects[size], cwd, { recursive: true, preserveTimestamps: true })
  const path = readdirSync(cwd, { recursive: true, encoding: 'utf8' }).find(one => name.test(one)) ?? ''
  const [swapped, before] = [join(cwd, path), join(cwd, 'before')]
  renameSync(swapped, before)
  become(swapped)
  return spawnSync(
    process.execPath,
    ['--import', join(ROOT, 'test/support/seen-as-before.mjs'), ...(READERS[reader] ?? [])],
    { cwd, encoding: 'utf8', timeout: 20_000, env: { ...process.env, SWAPPED: swapped, BEFORE: before } },
  )
}

/** A hang is ended by a signal; a failure that nobody foresaw has a stack. */
function expectAnswer({ signal, stderr }: ReturnType<typeof read>): void {
  expect(signal).toBe(null)
  expect(stderr).not.toMatch(/^\s+at /m)
}

const INDEX = /^skills\/\.agent-apps\.json$/
const pipe = (path: string): void => void execFileSync('mkfifo', [path])

describe.skipIf(process.platform === 'win32')(
  'a file of ours that is not a file any more once it was looked at',
  () => {
    const files: [what: string, size: keyof typeof projects, name: RegExp, readers: string[]][] = [
      ['the index', 'small', INDEX, ALL],
      ['a shard', 'large', /^skills\/\.agent-apps\/index-.*\.json$/, ALL],
      ['the cache', 'small', /^skills\/\.agent-apps\/cache\.json$/, ['compile', 'clean']],
      ['a module', 'small', /^skills\/\.agent-apps\/module-.*\.mjs$/, ['compile', 'verify', 'clean']],
      ['a bundle', 'small', /^dist\/agent\.mjs$/, ['compile', 'compile --check']],
      ['a bundle’s list', 'small', /^dist\/agent-chunks\/bundle\.json$/, ['compile', 'compile --check']],
    ]
    it.each(
      files.flatMap(([what, size, name, readers]) => readers.map(reader => ({ what, size, name, reader }))),
    )('$reader does not wait for a pipe in place of $what', ({ size, name, reader }) =>
      expectAnswer(read(size, name, pipe, reader)),
    )

    it.each(ALL)('%s ends where the index leads to a device that does not', reader => {
      expectAnswer(read('small', INDEX, path => symlinkSync('/dev/zero', path), reader))
    })

    // Regular to the system, of no size, and of hundreds of gigabytes.
    const ENDLESS = '/proc/self/pagemap'
    it.skipIf(!existsSync(ENDLESS)).each(ALL)(
      '%s ends where the index leads to a file that does not',
      reader => {
        expectAnswer(read('small', INDEX, path => symlinkSync(ENDLESS, path), reader))
      },
    )
  },
)
