import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The lines of a `.gitignore` for what `compile` writes, each with a path that it matches. */
const WRITTEN = [
  ['.agent-apps.json', '.agent-apps.json'],
  ['.agent-apps/', '.agent-apps/module.mjs'],
] as const

/** The lines that a folder's `.gitignore` lacks; none outside of a repository. */
export function notIgnored(folder: string): string[] {
  const paths = WRITTEN.map(([, path]) => path)
  const { status, stdout } = spawnSync('git', ['check-ignore', '--no-index', ...paths], {
    cwd: folder,
    encoding: 'utf8',
  })
  // 0 and 1 say whether git ignores any of them; otherwise there is no repository or no git.
  if (status !== 0 && status !== 1) return []
  const ignored = stdout.split('\n')
  return WRITTEN.filter(([, path]) => !ignored.includes(path)).map(([line]) => line)
}

/** Appends lines to a folder's `.gitignore`, with its line endings. */
export function addIgnored(folder: string, lines: readonly string[]): void {
  const file = join(folder, '.gitignore')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const before = text === '' || text.endsWith('\n') ? text : `${text}${end}`
  writeFileSync(file, before + lines.map(line => `${line}${end}`).join(''))
}
