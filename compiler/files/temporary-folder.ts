import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOwnerGone, isOwnerHere, isWholeOwner, processOwner } from './process-owner.js'
import { readRegularFile } from './regular-file.js'

const PREFIX = 'agent-apps-'
/** What `mkdtemp` makes of it. */
const FOLDER_NAME = /^agent-apps-[0-9A-Za-z]{6}$/
/** Says in a folder which process made it. */
const OWNER_FILE = 'owner'
/** What code is bundled to. */
const MODULE_NAME = /^(?:module|chunk)-[0-9A-Z]{8}\.mjs$/

/** As much of a file as is read to know its owner: more than any has. */
const OWNER_BYTES = 1_024

const folders: string[] = []

/** Makes a folder that is there until this process ends. What killed processes left behind is removed. */
export function temporaryFolder(): string {
  if (folders.length === 0) {
    process.once('exit', () => folders.forEach(removeOwn))
    removeLeft()
  }
  const folder = mkdtempSync(join(tmpdir(), PREFIX))
  folders.push(folder)
  writeFileSync(join(folder, OWNER_FILE), processOwner())
  return folder
}

function removeOwn(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // What this process came to does not depend on it.
  }
}

/** Removes the folders of processes of this user that were killed. */
function removeLeft(): void {
  const place = tmpdir()
  try {
    for (const name of readdirSync(place)) if (FOLDER_NAME.test(name)) removeIfLeft(join(place, name))
  } catch {
    // The place cannot be listed: nobody needs them gone.
  }
}

/** Only what a process of ours put into such a folder goes; one that has anything else in it is somebody's. */
function removeIfLeft(folder: string): void {
  try {
    const stat = lstatSync(folder)
    if (!stat.isDirectory() || stat.uid !== (process.getuid?.() ?? stat.uid)) return
    const owner = readRegularFile(join(folder, OWNER_FILE), OWNER_BYTES).toString()
    // Where containers share the place, others' processes cannot be asked for.
    if (!isWholeOwner(owner) || !isOwnerHere(owner) || !isOwnerGone(owner)) return
    const modules = readdirSync(folder).filter(name => name !== OWNER_FILE)
    if (!modules.every(name => MODULE_NAME.test(name))) return
    // Who is killed at it leaves the owner, by whom the next one knows it.
    for (const name of [...modules, OWNER_FILE]) unlinkSync(join(folder, name))
    rmdirSync(folder)
  } catch {
    // Not one of ours, or it just went, or the system refuses: nobody needs it gone.
  }
}
