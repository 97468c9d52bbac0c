import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from 'node:fs'
import { join, sep } from 'node:path'

const { O_RDONLY, O_NONBLOCK = 0 } = constants

const BYTES_MAX = 1024 * 1024

/**
 * Reads a file of prompts: a regular one of at most 1 MiB, as UTF-8. A project may be hostile, so that a pipe is not waited
 * for, a device is not read, and links lead no further than the folders.
 *
 * @param folders real paths; null for a file that the user named, which may lie anywhere
 * @throws Error where the file cannot be read, without its text
 */
export function readCaseFile(file: string, folders: readonly string[] | null): string {
  const descriptor = openSync(realPath(file, folders), O_RDONLY | O_NONBLOCK)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw new Error('it is not a regular file')
    if (stat.size > BYTES_MAX) throw new Error('it is larger than 1 MiB')
    const bytes = Buffer.alloc(stat.size)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null)
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Lists the names in a folder of prompts; none if it is absent.
 *
 * @throws Error where it is not a folder, or a link out of the folders
 */
export function listCaseFolder(folder: string, folders: readonly string[]): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })) return []
  const real = realPath(folder, folders)
  if (!lstatSync(real).isDirectory()) throw new Error('it is not a folder')
  return readdirSync(real)
}

function realPath(path: string, folders: readonly string[] | null): string {
  const real = realpathSync.native(path)
  if (folders === null || folders.some(folder => real === folder || real.startsWith(join(folder, sep))))
    return real
  throw new Error('it is a link out of the skill and of the path entries')
}
