import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateSkills } from './generate-skills.js'

/** The compiler believes a file's times only when it was left alone for a while before the walk. */
export const SETTLE = 100

const base = mkdtempSync(join(tmpdir(), 'agent-apps-bench-'))
const trees = new Map()
process.on('exit', () => rmSync(base, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

/** A new, empty folder that is removed when the bench ends. */
export function temporaryFolder(name) {
  const folder = join(base, name)
  mkdirSync(folder)
  return folder
}

/**
 * The generated tree of so many skills, made when it is first asked for.
 *
 * @returns its directory of skills, an index of it as `floor-index` reads one, and the name and file of a skill in its middle
 */
export async function tree(count) {
  const known = trees.get(count)
  if (known) return known
  const folder = temporaryFolder(String(count))
  const skills = join(folder, 'skills')
  const records = generateSkills(skills, count)
  const index = join(folder, 'floor-index.json')
  writeFileSync(index, JSON.stringify(records))
  await sleep(SETTLE)
  const { name, file } = records[count >> 1]
  const made = { count, folder, skills, index, name, file: join(skills, file) }
  trees.set(count, made)
  return made
}

/** Removes a tree before the end, where it is large and no longer needed. */
export function dropTree({ count, folder }) {
  trees.delete(count)
  rmSync(folder, { recursive: true, force: true })
}
