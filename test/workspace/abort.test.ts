import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Runtime } from 'agent-apps'
import { beforeAll, describe, expect, it } from 'vitest'
import { times } from '../support/long.js'
import { type OpenedWorkspace, openWorkspace } from '../support/open-workspace.js'
import { ROOT } from '../support/processes.js'
import type { Tree } from '../support/tree.js'

const BIG = 'some line of text that is long enough\n'.repeat(200_000)
const TREE: Tree = {
  'big.txt': BIG,
  ...Object.fromEntries(
    Array.from({ length: 3000 }, (_, index) => [`many/${index % 50}/${index}.txt`, `line ${index}\n`]),
  ),
}

const CALLS: [tool: string, args: object, options?: { also?: string[] }][] = [
  ['read', { path: 'big.txt', offset: 199_999 }],
  ['write', { path: 'big.txt', content: BIG.toUpperCase() }],
  ['edit', { path: 'big.txt', old: 'some', new: 'any', all: true }],
  ['glob', { pattern: '**/*.txt' }],
  ['list', { depth: 9, limit: 100_000 }],
  ['grep', { pattern: '(l|i)+ne.*x$' }],
  ['grep', { pattern: '(l|i)+ne.*x$' }, { also: [join(ROOT, 'node_modules')] }],
]

/** The files that this process has open in a folder, by their paths. */
function openIn(folder: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd').flatMap(number => {
    try {
      const path = readlinkSync(`/proc/self/fd/${number}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      // That of the listing itself is gone by now.
      return []
    }
  })
}

describe.each(CALLS)('%s %j', (tool, args, options: { also?: string[] } = {}) => {
  let opened: OpenedWorkspace
  beforeAll(async () => {
    opened = openWorkspace(TREE, options)
  })

  it('ends within 200 ms of an abort, and leaves nothing open or half done', async () => {
    const { root, runtime, call } = opened
    for (let round = 0; round < times(5, 100); round++) {
      await call('read', { path: 'big.txt', limit: 1 })
      const before = readFileSync(join(root, 'big.txt'), 'utf8')
      const controller = new AbortController()
      const work = runtime.invoke(tool, args, { sessionId: 'test', signal: controller.signal }).then(
        () => null,
        ({ code }) => code,
      )
      // The first is aborted before it can be done.
      if (round > 0) await new Promise(resolve => setTimeout(resolve, Math.random() * 60))
      else await updated(runtime)
      const started = performance.now()
      controller.abort()
      const code = await work
      expect(performance.now() - started).toBeLessThan(200 * SLACK)
      expect(round === 0 ? ['RUN_ABORTED'] : [null, 'RUN_ABORTED']).toContain(code)
      const now = readFileSync(join(root, 'big.txt'), 'utf8')
      if (code !== null) expect(now === before).toBe(true)
      expect(now.length).toBeGreaterThanOrEqual(BIG.length - 200_000)
      expect(readdirSync(root).sort()).toEqual(['.keep', 'big.txt', 'many'])
      expect(openIn(root)).toEqual([])
      if (tool === 'edit') await call('write', { path: 'big.txt', content: BIG })
    }
  })

  it('does nothing when it was aborted before', async () => {
    const { root, runtime } = opened
    const before = readFileSync(join(root, 'big.txt'), 'utf8')
    await expect(runtime.invoke(tool, args, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'RUN_ABORTED',
    })
    expect(readFileSync(join(root, 'big.txt'), 'utf8') === before).toBe(true)
  })
})

/** Resolves once a tool says that it works. */
function updated({ globals: { events } }: Runtime): Promise<void> {
  return new Promise(resolve => {
    const off = events.on('tool:update', () => {
      off()
      resolve()
    })
  })
}

/** Other tests may keep the processors busy. */
const SLACK = 5
