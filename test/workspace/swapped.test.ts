import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { times } from '../support/long.js'
import { openWorkspace } from '../support/open-workspace.js'
import { ROOT } from '../support/processes.js'

const TREE = {
  // What is walked between the listing of the root and the entering of the folder.
  ...Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`before/${index % 10}/${index}`, ''])),
  'swapped/deep/a.txt': 'inside',
  'kept/deep/a.txt': 'inside',
  '../outside/deep/a.txt': 'SECRET',
  '../outside/deep/SECRET.txt': 'SECRET',
}
/** Swaps a folder for a link to another one and back, as fast as it can. */
const SWAP = `
const { renameSync, rmSync, symlinkSync } = require('node:fs')
const { workerData: { folder, away, outside, stop } } = require('node:worker_threads')
const ended = new Int32Array(stop)
const tried = work => {
  try {
    work()
    return true
  } catch {
    return false
  }
}
const remove = () => {
  // A call may make the folder anew, and write into it, at any moment.
  while (!tried(() => rmSync(folder, { recursive: true, force: true }))) {}
}
while (Atomics.load(ended, 0) === 0) {
  if (!tried(() => renameSync(folder, away))) remove()
  tried(() => symlinkSync(outside, folder))
  remove()
  tried(() => renameSync(away, folder))
}
`

describe.runIf(process.platform === 'linux')('a folder that is swapped for a link while a tool runs', () => {
  it.each<[tool: string, args: object, options?: { also: string[] }]>([
    ['read', { path: 'swapped/deep/a.txt' }],
    ['write', { path: 'swapped/deep/new.txt', content: 'x' }],
    ['glob', { pattern: 'swapped/**' }],
    ['list', { depth: 9 }],
    ['grep', { pattern: '.', mode: 'files' }],
    ['grep', { pattern: '.', mode: 'files' }, { also: [join(ROOT, 'node_modules')] }],
  ])('leads %s nowhere', async (tool, args, options: { also?: string[] } = {}) => {
    const { root, around, call } = openWorkspace(TREE, options)
    const stop = new SharedArrayBuffer(4)
    const [folder, away] = [join(root, 'swapped'), join(around, 'away')]
    const worker = new Worker(SWAP, {
      eval: true,
      workerData: { folder, away, outside: join(around, 'outside'), stop },
    })
    const ended = new Promise<Error | number>(resolve => {
      worker.once('error', resolve)
      worker.once('exit', resolve)
    })
    const said: string[] = []
    // For the race to be there to be lost, calls of these must have had different ends.
    const ends = ['read', 'write'].includes(tool) ? 2 : 1
    try {
      await new Promise(resolve => worker.once('online', resolve))
      const started = performance.now()
      const isOver = (): boolean => {
        const elapsed = performance.now() - started
        return elapsed > 60_000 || (elapsed > times(80, 800) && new Set(said).size >= ends)
      }
      for (let count = 0; !isOver(); count++) {
        const once = tool === 'write' ? { ...args, path: `swapped/deep/new-${count}.txt` } : args
        said.push(
          await call(tool, once).then(
            ({ output }) => String(output),
            ({ code, message }) => code ?? message,
          ),
        )
      }
    } finally {
      Atomics.store(new Int32Array(stop), 0, 1)
      expect(await ended).toBe(0)
    }
    expect(said.filter(one => one.includes('SECRET'))).toEqual([])
    expect(readdirSync(join(around, 'outside/deep'))).toEqual(['SECRET.txt', 'a.txt'])
    expect(readFileSync(join(around, 'outside/deep/a.txt'), 'utf8')).toBe('SECRET')
    const codes = new Set(said.filter(one => /^[A-Z_]+$/.test(one)))
    for (const code of codes)
      expect(['PATH_OUTSIDE', 'FILE_NOT_FOUND', 'FILE_UNUSABLE', 'FILE_CHANGED']).toContain(code)
    expect(new Set(said).size).toBeGreaterThanOrEqual(ends)
  })

  it('is never entered where only the last moment is too late', async () => {
    const { root, around, call, refusal } = openWorkspace(TREE)
    rmSync(join(root, 'swapped'), { recursive: true })
    symlinkSync(join(around, 'outside'), join(root, 'swapped'))
    expect(await refusal('read', { path: 'swapped/deep/a.txt' })).toBe('PATH_OUTSIDE')
    rmSync(join(root, 'swapped'))
    renameSync(join(root, 'kept'), join(root, 'swapped'))
    expect((await call('read', { path: 'swapped/deep/a.txt' })).output).toContain('inside')
    mkdirSync(join(root, 'other'))
    writeFileSync(join(root, 'other/b.txt'), '')
  })
})
