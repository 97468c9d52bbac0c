import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, type Runtime, type ToolResult } from 'agent-apps'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { isLong, oneIn, times } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { makeTree } from '../support/tree.js'
import { processesIn } from '../support/workspace-tools.js'

const LINES = isLong ? 200_000 : 50_000
const BIG = 'some line of text that is long enough\n'.repeat(LINES)
const TREE = Object.fromEntries([
  ['big.txt', BIG],
  ...Array.from({ length: isLong ? 3000 : 1000 }, (_, index) => [
    `many/${index % 50}/${index}.txt`,
    `line ${index}\n`,
  ]),
])
const TODOS = Array.from({ length: 200 }, (_, index) => ({ content: `Do ${index}`, status: 'pending' }))

interface Row {
  tool: string
  args: Record<string, unknown>
  also?: string[]
  /** Whether it goes on until it is aborted. */
  endless?: boolean
  /** Whether it is done before anybody can abort it. */
  instant?: boolean
}

const ROWS: Row[] = [
  { tool: 'write', args: { path: 'big.txt', content: BIG.toUpperCase() } },
  { tool: 'read', args: { path: 'big.txt', offset: LINES - 1 } },
  { tool: 'edit', args: { path: 'big.txt', old: 'some', new: 'any', all: true } },
  { tool: 'glob', args: { pattern: '**/*.txt' } },
  { tool: 'list', args: { depth: 9, limit: 100_000 } },
  { tool: 'grep', args: { pattern: '(l|i)+ne.*x$' } },
  { tool: 'grep', args: { pattern: '(l|i)+ne.*x$' }, also: [join(ROOT, 'node_modules')] },
  { tool: 'bash', args: { command: 'cat big.txt big.txt; sleep 60 & sleep 60 | sleep 60' }, endless: true },
  { tool: 'webfetch', args: { url: '{SERVER}/' } },
  { tool: 'webfetch', args: { url: '{SERVER}/endless' }, endless: true },
  { tool: 'todowrite', args: { todos: TODOS }, instant: true },
  { tool: 'todoread', args: {}, instant: true },
]

let server = ''
/** One tree for all: each test sees that it leaves it as it was. */
let root = ''
const web = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).write('<h1>A page</h1>'.repeat(500))
  if (request.url !== '/endless') response.end()
})
beforeAll(async () => {
  root = makeTree(TREE)
  await new Promise<void>(resolve => {
    web.listen(0, '127.0.0.1', resolve)
  })
  server = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
})
afterEach(() => void vi.unstubAllEnvs())
afterAll(() => {
  web.closeAllConnections()
  web.close()
})

describe.each(oneIn(3, ROWS))('$tool $args', row => {
  it('leaves nothing running, open or half done when it is aborted', async () => {
    const { runtime, call, work } = opened(row)
    vi.stubEnv('TMPDIR', temporary())
    await call('read', { path: 'big.txt' })
    const most = row.endless ? 300 : isLong ? Math.min(1000, 1.2 * (await taken(work))) : 60
    if (contents() !== BIG) await call('write', { path: 'big.txt', content: BIG })
    const waited: number[] = []
    for (let round = 0; round < times(2, 100); round++) {
      const before = contents()
      const controller = new AbortController()
      const ended = work(controller.signal)
      // The first is aborted while it is on its way.
      await (round > 0 ? new Promise(resolve => setTimeout(resolve, Math.random() * most)) : updated(runtime))
      const started = performance.now()
      controller.abort()
      const code = await ended
      if (code !== null) waited.push(performance.now() - started)
      expect(round > 0 || row.instant ? [null, 'RUN_ABORTED'] : ['RUN_ABORTED']).toContain(code)
      if (row.endless) expect(code).toBe('RUN_ABORTED')
      expect(code === null || contents() === before).toBe(true)
      expect(readdirSync(root).sort()).toEqual(['big.txt', 'many'])
      expect(openIn(root)).toEqual([])
      await expect.poll(() => processesIn(root), { timeout: DEADLINE }).toEqual([])
      if (contents() !== BIG) await call('write', { path: 'big.txt', content: BIG })
    }
    // What is slow once may be the machine.
    if (isLong && waited.length > 0) expect(median(waited)).toBeLessThan(1000)
    const { metadata = {} } = await call('todoread', {})
    // All of the list was written, or nothing of it.
    expect([0, TODOS.length]).toContain((metadata.todos as unknown[]).length)
    await runtime.endSession('test')
    await expect.poll(() => readdirSync(tmpdir()), { timeout: DEADLINE }).toEqual([])
    await expect.poll(connections, { timeout: DEADLINE }).toBe(0)
  })

  it('does nothing when it was aborted before', async () => {
    const { work } = opened(row)
    const before = contents()
    expect(await work(AbortSignal.abort())).toBe('RUN_ABORTED')
    expect(contents() === before).toBe(true)
    expect(processesIn(root)).toEqual([])
  })
})

/** A workspace, and a function that makes the row's call in it and gives the code of the error it ends with, or null. */
function opened({ tool, args, also = [] }: Row) {
  const config = { tools: { webfetch: { allow: ['127.0.0.1'] } } }
  const runtime = createRuntime({ cwd: root, paths: [], workspace: { root, also }, config })
  const filled = JSON.parse(JSON.stringify(args).replace('{SERVER}', server))
  return {
    runtime,
    call: async (name: string, given: unknown) =>
      (await runtime.invoke(name, given, { sessionId: 'test' })) as ToolResult,
    work: (signal?: AbortSignal): Promise<string | null> =>
      runtime.invoke(tool, filled, { sessionId: 'test', signal }).then(
        () => null,
        ({ code }) => code,
      ),
  }
}

const contents = (): string => readFileSync(join(root, 'big.txt'), 'utf8')

/** Milliseconds that a call takes that nobody aborts. */
async function taken(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

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

const connections = (): Promise<number> =>
  new Promise(resolve => {
    web.getConnections((_, count) => resolve(count))
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

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0
}

const DEADLINE = 30_000
