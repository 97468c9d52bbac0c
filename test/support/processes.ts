import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporary } from './temporary.js'

/** The package's own directory. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs ES module code in a Node process of its own, where `agent-apps` is this package; gives what it printed. */
export function runCode(code: string, env: Record<string, string> = {}): string {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', code],
    {
      timeout: 60_000,
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, ...env },
      maxBuffer: 256 * 1024 * 1024,
    },
  )
  if (status !== 0) throw new Error(`exit ${status ?? signal}: ${stderr}`)
  return stdout
}

/** Runs code in a process of its own, alongside others. */
export function startCode(code: string): Promise<string> {
  return new Promise((done, fail) => {
    execFile(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT }, (error, stdout, stderr) =>
      error ? fail(new Error(stderr || error.message)) : done(stdout),
    )
  })
}

/** A process's answer to a JSON question on its standard input. */
export function ask<Answer>(script: string, question: unknown): Answer {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    input: JSON.stringify(question),
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
    maxBuffer: 256 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`)
  return JSON.parse(stdout) as Answer
}

/** A deployment of this package and its library, without its compiler and any npm package, with a script of ours beside it. */
export function deployRuntime(script: string, app: string = temporary()): string {
  const home = join(app, 'node_modules', 'agent-apps')
  mkdirSync(join(home, 'dist'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(home, 'package.json'))
  for (const part of ['src', 'runtime'])
    cpSync(join(ROOT, 'dist', part), join(home, 'dist', part), { recursive: true })
  cpSync(join(ROOT, 'skills'), join(home, 'skills'), { recursive: true })
  const deployed = join(app, 'script.mjs')
  cpSync(script, deployed)
  return deployed
}
