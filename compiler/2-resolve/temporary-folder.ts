import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOwnerGone, isOwnerHere, processOwner } from '../process-owner.js'
import { readRegularFile } from '../regular-file.js'

const PREFIX = 'agent-apps-'
/** Says in a folder which process made it. */
const OWNER_FILE = 'owner'

const folders: string[] = []

/** Makes a folder that is there until this process ends. What killed processes left behind is removed. */
export function temporaryFolder(): string {
  if (folders.length === 0) {
    process.once('exit', () => folders.forEach(remove))
    removeLeft()
  }
  const folder = mkdtempSync(join(tmpdir(), PREFIX))
  folders.push(folder)
  writeFileSync(join(folder, OWNER_FILE), processOwner())
  return folder
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

/** Removes the folders of processes of this user that were killed. */
function removeLeft(): void {
  const place = tmpdir()
  try {
    readdirSync(place)
      .filter(name => name.startsWith(PREFIX))
      .map(name => join(place, name))
      .filter(isLeft)
      .forEach(remove)
  } catch {
    // The place cannot be listed, or another process is at the same folders: nobody needs them gone.
  }
}

function isLeft(folder: string): boolean {
  try {
    const stat = lstatSync(folder)
    if (!stat.isDirectory() || stat.uid !== (process.getuid?.() ?? stat.uid)) return false
    const owner = readRegularFile(join(folder, OWNER_FILE)).toString()
    // Where containers share the place, others' processes cannot be asked for.
    return isOwnerHere(owner) && isOwnerGone(owner)
  } catch {
    // Not one of ours, or it just went.
    return false
  }
}
