import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { orNull } from '../../src/base/attempt.js'
import { isOwner, isOwnerGone, isOwnerHere, processOwner } from './process-owner.js'
import { readRegularFile } from './regular-file.js'

const PREFIX = 'agent-apps-'
const FOLDER_NAME = /^agent-apps-[0-9A-Za-z]{6}$/
/** The file in a folder that names the process which made it. */
const OWNER_FILE = 'owner'
/** The names of the modules that code is bundled to. */
const MODULE_NAME = /^(?:module|chunk)-[0-9A-Z]{8}\.mjs$/

/** The most bytes that are read of an owner file, more than any has. */
const OWNER_BYTES = 1_024

const folders: string[] = []

/** Makes a folder that lasts until this process ends, and removes those that killed processes left behind. */
export function temporaryFolder(): string {
  if (folders.length === 0) {
    // The process ends as it does, whether or not a folder can be removed.
    process.once('exit', () => {
      for (const one of folders) orNull(() => rmSync(one, { recursive: true, force: true }))
    })
    removeLeft()
  }
  const folder = mkdtempSync(join(tmpdir(), PREFIX))
  folders.push(folder)
  writeFileSync(join(folder, OWNER_FILE), processOwner())
  return folder
}

/** Removes the folders of processes of this user that were killed. Folders that cannot be removed stay, and do no harm. */
function removeLeft(): void {
  const place = tmpdir()
  for (const name of orNull(() => readdirSync(place)) ?? [])
    if (FOLDER_NAME.test(name)) orNull(() => removeIfLeft(join(place, name)))
}

/** Removes a folder unless it contains files that agent-apps did not write. */
function removeIfLeft(folder: string): void {
  const stat = lstatSync(folder)
  if (!stat.isDirectory() || stat.uid !== (process.getuid?.() ?? stat.uid)) return
  const owner = readRegularFile(join(folder, OWNER_FILE), OWNER_BYTES).toString()
  // Containers may share the place, and cannot ask for the processes of each other.
  if (!isOwner(owner) || !isOwnerHere(owner) || !isOwnerGone(owner)) return
  const modules = readdirSync(folder).filter(name => name !== OWNER_FILE)
  if (!modules.every(name => MODULE_NAME.test(name))) return
  // The owner file is removed last, so that a half-removed folder is still recognized.
  for (const name of [...modules, OWNER_FILE]) unlinkSync(join(folder, name))
  rmdirSync(folder)
}

/** The name of a file that will be renamed to `target`, unique to this process. */
export function temporaryName(target: string, ending: 'tmp' | 'mjs' = 'tmp'): string {
  return `${target}.${process.pid}.${ending}`
}

const TEMPORARY = /^(.+)\.\d+\.(tmp|mjs)$/

/** The final name of a temporary file of any process; null for any other name. */
export function nameToBe(name: string, ending: 'tmp' | 'mjs' = 'tmp'): string | null {
  const [, target = null, found] = TEMPORARY.exec(name) ?? []
  return found === ending ? target : null
}
