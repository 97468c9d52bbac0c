import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { times } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { compiled, goodSkills, setTimes, skill, type Tree, writeTree } from '../support/tree.js'

const RUNS = times(2, 100)

/** Other Node binaries to take in turn with this one, by their paths: `NODES=/opt/node-24/bin/node`. */
const NODES = [process.execPath, ...(process.env.NODES?.split(':') ?? [])]

const TREE: Tree = {
  ...goodSkills(140),
  'zebra/SKILL.md': skill(
    'zebra',
    '::include[notes.md]\n',
    'metadata: { z: 1, timeout: 5, tags: [Two, one] }\n',
  ),
  'zebra/notes.md': 'Notes.\n',
  'ärger/SKILL.md': skill('aerger'),
  'I/SKILL.md': skill('dotless'),
  'broken/SKILL.md': '---\nname: broken\n---x\n',
  'one.skill.js': code('one'),
  'two.skill.js': code('two'),
  'told.skill.js':
    "const name = 'told'\nexport const frontmatter = { name, description: [1, 2].map(String).join() }\nexport default () => 1\n",
  'shared.js': 'export const shared = []\n',
}

function code(name: string): string {
  return `import { shared } from './shared.js'
export const frontmatter = { name: '${name}', description: 'D.', metadata: { params: { type: 'object' } } }
export default () => shared
`
}

const ZONES = ['UTC', 'Pacific/Kiritimati', 'America/St_Johns', 'Asia/Kathmandu']
const LOCALES = ['C', 'tr_TR.UTF-8', 'sv_SE.UTF-8', 'de_DE.UTF-8', 'ja_JP.UTF-8']
const UMASKS = [0o022, 0o077, 0, 0o002]

const pick = <Item>(items: readonly Item[], number: number): Item => items[number % items.length] as Item

/** Compiles alone, or eight of the same directory at once. */
const COMPILE = `
  process.umask(Number(process.env.UMASK))
  const { compile } = await import('agent-apps/compiler')
  const jobs = Array.from({ length: Number(process.env.JOBS) }, () => compile({ paths: [process.env.SKILLS], force: true }))
  await Promise.all(jobs)`

it(`the same skills give the same bytes, ${RUNS} times`, () => {
  const hashes = new Set<string>()
  for (let run = 0; run < RUNS; run++) {
    const home = temporary()
    const root = join(home, 'ü '.repeat(run % 4) + 'x'.repeat((run * 7) % 40), 'skills')
    const entries = Object.entries(TREE)
    for (let last = entries.length - 1; last > 0; last--) {
      const other = Math.floor(Math.random() * (last + 1))
      ;[entries[last], entries[other]] = [entries[other] as never, entries[last] as never]
    }
    writeTree(root, Object.fromEntries(entries))
    setTimes(root, new Date(1_600_000_000_000 + run * 86_400_000))
    execFileSync(pick(NODES, run), ['--input-type=module', '-e', COMPILE], {
      cwd: pick([ROOT, join(ROOT, 'docs')], run),
      env: {
        ...process.env,
        TZ: pick(ZONES, run),
        LC_ALL: pick(LOCALES, run),
        LANG: pick(LOCALES, run),
        UMASK: String(pick(UMASKS, run)),
        UV_THREADPOOL_SIZE: pick(['1', '8'], run),
        JOBS: pick(['1', '8'], run >> 1),
        SKILLS: root,
      },
    })
    hashes.add(
      createHash('sha256')
        .update(JSON.stringify(compiled(root)))
        .digest('hex'),
    )
    rmSync(home, { recursive: true })
  }
  expect(hashes.size).toBe(1)
}, 3_600_000)
