import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { INDEX_FILE } from '../../src/index/index-format.js'

/** The path of the list of an index. */
export function listFileOf(dir: string): string {
  const folder = join(dir, '.agent-apps')
  const name = readdirSync(folder).find(file => file.startsWith('list-'))
  if (name === undefined) throw new Error(`The index of ${dir} has no list.`)
  return join(folder, name)
}

/** Makes an index one that an older version wrote, which has no list. */
export function forgetList(dir: string): void {
  rmSync(listFileOf(dir))
  const header = join(dir, INDEX_FILE)
  writeFileSync(header, readFileSync(header, 'utf8').replace(/^"list":.*\n/m, ''))
}
