// From a fresh process to one found name, as in development: files are looked at. With `--count` it says how many files of skills and
// indexes, the library's among them, it opened.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const isCounting = process.argv[2] === '--count'
const [name, ...paths] = process.argv.slice(isCounting ? 3 : 2)
const folders = [...paths, fileURLToPath(new URL('../../skills', import.meta.url))]
let opened = 0

if (isCounting) {
  for (const method of ['openSync', 'readFileSync']) {
    const before = fs[method]
    fs[method] = (file, ...rest) => {
      // What is read by its number was opened before.
      if (folders.some(folder => String(file).startsWith(folder + sep))) opened++
      return before(file, ...rest)
    }
  }
  syncBuiltinESMExports()
}

const { createRuntime } = await import('agent-apps/runtime')
const tool = await createRuntime({ paths, freshness: 'check' }).findTool(name)
if (tool === null && name !== 'no-such-skill') throw new Error(`${name} was not found`)
if (isCounting) console.log(opened)
