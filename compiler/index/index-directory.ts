import {
  closeSync,
  fsync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AgentAppsError } from '../../src/base/error.js'
import { INDEX_DIRECTORY } from '../../src/index/index-format.js'
import { readRegularFile, unlessGone } from '../files/regular-file.js'
import { temporaryName } from '../files/temporary-name.js'

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

/** The contents of a file: a string, bytes, or bytes in pieces. */
export type Contents = string | Uint8Array | readonly Uint8Array[]

/** Writes a file of the directory in one step: a reader sees the old one or the new one. */
export function writeAtomic(directory: string, file: string, contents: Contents): void {
  const target = join(directory, file)
  const temporary = temporaryName(target)
  try {
    const descriptor = writeNew(temporary, contents)
    try {
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

/** How many files are open at once; systems allow a process a few hundred. */
const BATCH = 64

/** The contents of a file, asked for when it is written. */
type ContentsOf = (file: string) => Contents

/** Writes many files of the directory, each in one step, in their order. Most of the time is spent waiting for the disk, so a batch waits together. */
export async function writeAllAtomic(
  directory: string,
  files: readonly string[],
  contentsOf: ContentsOf,
): Promise<void> {
  for (let start = 0; start < files.length; start += BATCH)
    await writeBatch(directory, files.slice(start, start + BATCH), contentsOf)
}

async function writeBatch(
  directory: string,
  files: readonly string[],
  contentsOf: ContentsOf,
): Promise<void> {
  const open: { descriptor: number; temporary: string; target: string }[] = []
  try {
    for (const file of files) {
      const target = join(directory, file)
      const temporary = temporaryName(target)
      open.push({ descriptor: writeNew(temporary, contentsOf(file)), temporary, target })
    }
    const flushed = await Promise.allSettled(open.map(({ descriptor }) => flush(descriptor)))
    const failed = flushed.find(outcome => outcome.status === 'rejected')
    if (failed) throw failed.reason
  } catch (error) {
    for (const { descriptor, temporary } of open) {
      closeSync(descriptor)
      rmSync(temporary, { force: true })
    }
    throw error
  }
  for (const { descriptor } of open) closeSync(descriptor)
  for (const { temporary, target } of open) renameSync(temporary, target)
}

const flush = promisify(fsync)

/** Makes a file that was not there and leaves it open. */
function writeNew(path: string, contents: Contents): number {
  const descriptor = openNew(path)
  try {
    const whole = typeof contents === 'string' ? Buffer.from(contents) : contents
    for (const bytes of whole instanceof Uint8Array ? [whole] : whole)
      for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    rmSync(path, { force: true })
    throw error
  }
}

/** What has the name already goes first: somebody's link would be written through. */
function openNew(path: string): number {
  try {
    return openSync(path, 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    rmSync(path, { force: true })
    return openSync(path, 'wx')
  }
}

/** True where a file, and no link, already holds what would be written to it. */
export function holds(directory: string, file: string, contents: Uint8Array): boolean {
  const path = join(directory, file)
  const isSame = unlessGone(() => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isFile() && stat.size === contents.length && readRegularFile(path).equals(contents)
  })
  return isSame === true
}

const HINTS: Record<string, string> = {
  ENOSPC: 'Free some disk space.',
  EISDIR: 'Remove the folder that has the name of a file.',
}

export function notWritable(directory: string, cause: unknown): AgentAppsError {
  const { code = '', message } = cause as NodeJS.ErrnoException
  return new AgentAppsError('INDEX_NOT_WRITABLE', `The index of ${directory} cannot be written: ${message}`, {
    hint: HINTS[code] ?? 'Make the directory writable, or mark it `external` in the paths.',
    file: directory,
    cause,
  })
}
