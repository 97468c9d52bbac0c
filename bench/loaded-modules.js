import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/**
 * The files of code that a command loads, with their sizes. V8 tells: it keeps a record of each script for coverage,
 * whichever way it was loaded, in threads too.
 *
 * @param args what follows `agent-apps`
 * @param cwd where it runs
 * @returns records with `file`, absolute, and `bytes`
 */
export function loadedModules(args, cwd) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-apps-loaded-'))
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: folder }
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { cwd, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`agent-apps ${args.join(' ')} ended with ${status}:\n${stderr}`)
    return filesOf(readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function filesOf(reports) {
  const urls = reports.flatMap(report => JSON.parse(report).result.map(({ url }) => url))
  return [...new Set(urls)]
    .filter(url => url.startsWith('file:'))
    .map(url => fileURLToPath(url))
    .map(file => ({ file, bytes: statSync(file).size }))
}
