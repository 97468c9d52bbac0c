/**
 * Compiles a directory, and comes to grief at one of its calls that write: the process is killed before it, or the call
 * fails with a code. `node faulty-compile.mjs DIRECTORY NUMBER [CODE]`; prints how many such calls there were, and
 * the error's code.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const [, , directory = '', at, code] = process.argv
const WRITING = ['writeSync', 'renameSync', 'mkdirSync', 'rmSync', 'fsyncSync', 'fsync', 'closeSync']
/** What a full disk or one that is read-only does not keep from working. */
const HARMLESS = ['rmSync', 'closeSync']
let calls = 0

const isFaulty = name =>
  ++calls === Number(at) || (calls > Number(at) && code !== undefined && !HARMLESS.includes(name))

function meet(name, callback) {
  if (!isFaulty(name) || (code !== undefined && HARMLESS.includes(name))) return false
  if (code === undefined) process.kill(process.pid, 'SIGKILL')
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
const { openSync } = fs
fs.openSync = (path, flags, ...rest) => {
  if (flags === 'wx') meet('openSync')
  return openSync(path, flags, ...rest)
}
syncBuiltinESMExports()

const { compile } = await import('agent-apps/compiler')
calls = 0
const outcome = await compile({ paths: [directory] }).then(
  () => null,
  error => error.code ?? String(error),
)
console.log(JSON.stringify({ calls, outcome }))
process.exitCode = outcome === null ? 0 : 1
