import { closeSync, fsync, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AgentAppsError } from '../../src/base/error.js'
import { INDEX_DIRECTORY, INDEX_FILE } from '../../src/index/index-format.js'
import { abandonedLock, withFileLock } from '../files/file-lock.js'
import { readRegularFile, unlessGone } from '../files/regular-file.js'
import { nameToBe, temporaryName } from '../files/temporary-files.js'

/** Creates the index's folder. Refuses a link in its place, since writes would go elsewhere. */
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
type Contents = string | Uint8Array | readonly Uint8Array[]

/** Writes a file of the directory in one step: a reader sees the old one or the new one. */
export function writeAtomic(directory: string, file: string, contents: Contents): Promise<void> {
  return writeAllAtomic(directory, [file], () => contents)
}

/** How many files are open at once. Systems allow a process a few hundred. */
const BATCH = 64

/**
 * Writes many files of the directory, each in one step, in their order. Most of the time is spent waiting for the disk, so a batch waits
 * together.
 *
 * @param contentsOf called for each file when it is written
 */
export async function writeAllAtomic(
  directory: string,
  files: readonly string[],
  contentsOf: (file: string) => Contents,
): Promise<void> {
  if (files.length === 0) return
  const open: { descriptor: number; temporary: string; target: string }[] = []
  try {
    try {
      for (const file of files.slice(0, BATCH)) {
        const target = join(directory, file)
        const temporary = temporaryName(target)
        open.push({ descriptor: writeNew(temporary, contentsOf(file)), temporary, target })
      }
      const flushed = await Promise.allSettled(open.map(({ descriptor }) => flush(descriptor)))
      const failed = flushed.find(outcome => outcome.status === 'rejected')
      if (failed) throw failed.reason
    } finally {
      for (const { descriptor } of open) closeSync(descriptor)
    }
    for (const { temporary, target } of open) renameSync(temporary, target)
  } catch (error) {
    for (const { temporary } of open) rmSync(temporary, { force: true })
    throw error
  }
  await writeAllAtomic(directory, files.slice(BATCH), contentsOf)
}

const flush = promisify(fsync)

/** Creates a file and leaves it open. An existing one is removed first, since a link would be written through. */
function writeNew(path: string, contents: Contents): number {
  rmSync(path, { force: true })
  const descriptor = openSync(path, 'wx')
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

/** True if a file, not a link, already has the given contents, which a function makes only if there is a file to compare. */
export function holds(directory: string, file: string, contents: Uint8Array | (() => Uint8Array)): boolean {
  const path = join(directory, file)
  const isSame = unlessGone(() => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile()) return false
    const bytes = typeof contents === 'function' ? contents() : contents
    return stat.size === bytes.length && readRegularFile(path).equals(bytes)
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

/** True for the names of files that compiling itself writes, which watching ignores. */
export function isOwnName(name: string): boolean {
  return name === INDEX_DIRECTORY || name === INDEX_FILE || isPassing(name)
}

/** An index on its way, and a configuration in TypeScript for as long as it is read. */
function isPassing(name: string): boolean {
  return nameToBe(name) === INDEX_FILE || nameToBe(name, 'mjs') === 'agent-apps.config.ts'
}

/** Its name begins with `cache`, so that the rule that keeps the cache out of version control applies to it, too. */
const LOCK_FILE = `${INDEX_DIRECTORY}/cache.lock`

/**
 * Runs `work` as the only writer of a directory's index, over all processes.
 *
 * @param waitLimit how long to wait for other processes, in ms
 * @throws INDEX_LOCKED, INDEX_NOT_WRITABLE
 */
export async function withDirectoryLock<Result>(
  directory: string,
  work: () => Result | Promise<Result>,
  waitLimit?: number,
): Promise<Result> {
  prepareIndexDirectory(directory)
  const refused = (cause: unknown) => notWritable(directory, cause)
  const locked = { place: directory, notWritable: refused, foreign, waitLimit }
  return withFileLock(directoryLock(directory), locked, work)
}

function foreign(lock: string): AgentAppsError {
  return new AgentAppsError(
    'INDEX_NOT_WRITABLE',
    `${lock} exists already, and is not a lock of agent-apps.`,
    {
      hint: 'Remove it, so that the compiler can make its own.',
      file: lock,
    },
  )
}

/** The lock of a directory, absolute. */
export function directoryLock(directory: string): string {
  return join(directory, LOCK_FILE)
}

/** The files that processes which are gone left behind of the directory's lock, relative to the directory; none where it is held. */
export function abandonedDirectoryLock(directory: string): string[] {
  return abandonedLock(directoryLock(directory)).map(name => `${INDEX_DIRECTORY}/${name}`)
}
