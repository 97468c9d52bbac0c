import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { AgentAppsError } from '../src/error.js'
import { INDEX_DIRECTORY } from '../src/index-format.js'

/** Makes the index's folder. Refuses one that is a link: what is written there would land elsewhere. */
export function prepareIndexDirectory(directory: string): void {
  const folder = join(directory, INDEX_DIRECTORY)
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isDirectory()) {
    throw new AgentAppsError('INDEX_NOT_WRITABLE', `${folder} is not a folder of this directory's own.`, {
      hint: 'Remove it, so that the compiler can make its own.',
      file: folder,
    })
  }
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw notWritable(directory, error)
  }
}

/** Writes a file of the directory in one step: a reader sees the old one or the new one. */
export function writeAtomic(directory: string, file: string, text: string | Uint8Array): void {
  const target = join(directory, file)
  const temporary = `${target}.${process.pid}.tmp`
  // Somebody's link of that name would be written through.
  rmSync(temporary, { force: true })
  try {
    const descriptor = openSync(temporary, 'wx')
    try {
      const bytes = Buffer.from(text)
      for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** True where a file, and no link, already holds what would be written to it. */
export function holds(directory: string, file: string, contents: Uint8Array): boolean {
  const path = join(directory, file)
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true && readFileSync(path).equals(contents)
}

export function notWritable(directory: string, cause: unknown): AgentAppsError {
  const { code = '', message } = cause as NodeJS.ErrnoException
  return new AgentAppsError('INDEX_NOT_WRITABLE', `The index of ${directory} cannot be written: ${message}`, {
    hint:
      code === 'ENOSPC'
        ? 'Free some disk space.'
        : 'Make the directory writable, or mark it `external` in the paths.',
    file: directory,
    cause,
  })
}
