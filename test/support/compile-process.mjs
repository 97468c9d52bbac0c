/**
 * Compiles directories at once, as often as it is asked, and comes to grief where it is told to: the process is killed
 * before one of its calls that write, or after a while; or such a call fails with a code, and all that follow it.
 * Asked by IPC. Answers with lines on standard output, which stay readable after its death: one for each directory that
 * ended, then what it came to.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Worker } from 'node:worker_threads'

const WRITING = ['writeSync', 'renameSync', 'mkdirSync', 'rmSync', 'fsyncSync', 'fsync', 'closeSync']
/** What a full disk or one that is read-only does not keep from working. */
const HARMLESS = ['rmSync', 'closeSync']
const { writeSync, openSync } = fs
const say = answer => writeSync(1, `${JSON.stringify(answer)}\n`)

/** What becomes of this compile: `at` counts calls from 1, with `code` they fail; `after` ms from `from`, 'start' or 'writing'. */
let fate = {}
let calls = 0
let writingSince = 0

/** Kills this process while its own thread is at whatever it is at. */
const alarm = new Int32Array(new SharedArrayBuffer(8))
const killer = new Worker(
  `const { workerData: alarm } = require('node:worker_threads')
  Atomics.wait(alarm, 0, 0)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Atomics.load(alarm, 1) / 1000)
  process.kill(process.pid, 'SIGKILL')`,
  { eval: true, workerData: alarm },
)
killer.unref()

function reach(moment) {
  if (fate.from !== moment) return
  Atomics.store(alarm, 1, Math.round(fate.after * 1000))
  Atomics.store(alarm, 0, 1)
  Atomics.notify(alarm, 0)
}

function meet(name, callback) {
  if (++calls === 1) {
    writingSince = performance.now()
    reach('writing')
  }
  const { at = Number.POSITIVE_INFINITY, code } = fate
  if (calls < at || (calls > at && (code === undefined || HARMLESS.includes(name)))) return false
  if (code === undefined) process.kill(process.pid, 'SIGKILL')
  if (HARMLESS.includes(name)) return false
  const error = Object.assign(new Error(`${code}: injected, ${name}`), { code })
  if (callback === undefined) throw error
  callback(error)
  return true
}

for (const name of WRITING) {
  const real = fs[name]
  fs[name] = (...given) => {
    const callback = name === 'fsync' ? given.at(-1) : undefined
    return meet(name, callback) ? undefined : real(...given)
  }
}
fs.openSync = (path, flags, ...rest) => {
  if (flags === 'wx') meet('openSync')
  return openSync(path, flags, ...rest)
}
syncBuiltinESMExports()

const { compile } = await import('agent-apps/compiler')

process.on('message', async ({ directories, force, bundle, fate: given }) => {
  fate = given ?? {}
  calls = 0
  const started = performance.now()
  reach('start')
  const outcomes = await Promise.all(
    directories.map(async directory => {
      const isConfigured = fs.existsSync(`${directory}/agent-apps.config.mjs`)
      const project = isConfigured ? { cwd: directory } : { cwd: bundle && directory, paths: [directory] }
      const outcome = await compile({ ...project, force, bundle }).then(
        () => null,
        error => error.code ?? String(error),
      )
      say({ ended: directory })
      return outcome
    }),
  )
  fate = {}
  const ended = performance.now()
  say({ calls, outcomes, took: ended - started, wrote: calls === 0 ? 0 : ended - writingSince })
})
process.on('disconnect', () => process.exit())
