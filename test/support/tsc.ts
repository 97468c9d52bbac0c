import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './processes.js'

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/**
 * What `tsc` says of a program. It checks all declarations that this leads to, except the standard library's, which are most of them.
 *
 * @param args files, and options that count before the ones here
 */
export function tsc(root: string, args: readonly string[]): string {
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--skipDefaultLibCheck', '--types', '']
  // Each of several checkers would check the declarations that its files lead to, most of them once more.
  options.push('--singleThreaded')
  const said = spawnSync(process.execPath, [TSC, ...options, ...args], { cwd: root, encoding: 'utf8' })
  // It says what it finds by 1 and 2. Without this, one that the system ended would have found nothing.
  if (said.error || said.status === null || said.status > 2)
    throw new Error(`tsc ended with ${said.signal ?? said.status}: ${said.stderr}`, { cause: said.error })
  return said.stdout
}
