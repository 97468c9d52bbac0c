import { constants, existsSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { AgentAppsError, isAgentAppsError } from 'agent-apps'
import { outside, type Place, refused } from './place.js'

/** On Linux, opens a directory without read permission. Node does not export it. */
const O_PATH = 0o10000000

/** True if directories can be held open and entered by descriptor, so that they cannot be swapped meanwhile. */
const HOLDS = process.platform === 'linux' && existsSync('/proc/self/fd')

interface Held {
  /** A path that leads only to it, whatever happens to the directories above it. */
  at: string
  close: () => Promise<void>
}

/**
 * Enters the folder of a place, segment by segment and through no link, and works there.
 *
 * @param work gets the paths of the item and of the folder
 * @param create whether to create missing folders
 * @throws PATH_OUTSIDE if a folder was swapped meanwhile; FILE_NOT_FOUND
 */
export async function inFolderOf<Result>(
  place: Place,
  work: (item: string, folder: string) => Promise<Result>,
  create = false,
): Promise<Result> {
  const name = place.segments.at(-1)
  if (name === undefined) throw notFile(place, 'is a folder of the workspace')
  const held = await hold(place, place.segments.slice(0, -1), create)
  try {
    return await work(`${held.at}/${name}`, held.at)
  } finally {
    await held.close()
  }
}

/** Holds a folder below a place's base. */
export async function hold(place: Place, segments: readonly string[], create = false): Promise<Held> {
  return HOLDS ? holdByDescriptor(place, segments, create) : holdByPath(place, segments, create)
}

async function holdByDescriptor(place: Place, segments: readonly string[], create: boolean): Promise<Held> {
  let handle = await openFolder(place, place.base)
  for (const segment of segments) {
    const path = `/proc/self/fd/${handle.fd}/${segment}`
    try {
      if (create) await makeFolder(path, place)
      const next = await openFolder(place, path)
      await handle.close()
      handle = next
    } catch (error) {
      await handle.close()
      throw error
    }
  }
  const last = handle
  return { at: `/proc/self/fd/${last.fd}`, close: () => last.close() }
}

async function openFolder(place: Place, path: string): Promise<FileHandle> {
  try {
    return await open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    throw await folderFault(place, path, error)
  }
}

/** The error for a folder that was a directory when the place was looked up, and is not any more. */
async function folderFault(place: Place, path: string, error: unknown): Promise<AgentAppsError> {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return notFound(place)
  if (code !== 'ENOTDIR' && code !== 'ELOOP') return refused(place.path, error)
  const stat = await lstat(path).catch(() => null)
  if (stat && !stat.isSymbolicLink())
    return notFile(place, 'cannot be: a part of its path is not a directory')
  return outside(place.path, SWAPPED, error)
}

async function makeFolder(path: string, place: Place): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw refused(place.path, error)
  }
}

/** Checks the real path before and after the work. Swaps in between go unnoticed. */
async function holdByPath(place: Place, segments: readonly string[], create: boolean): Promise<Held> {
  const at = join(place.base, ...segments)
  try {
    if (create) {
      for (let depth = 1; depth <= segments.length; depth++) {
        const path = join(place.base, ...segments.slice(0, depth))
        await makeFolder(path, place)
        if ((await realpath(path)) !== path) throw swapped(place)
      }
    }
    const check = async (): Promise<void> => {
      if ((await realpath(at)) !== at) throw swapped(place)
    }
    await check()
    return { at, close: check }
  } catch (error) {
    if (error instanceof AgentAppsError) throw error
    throw await folderFault(place, at, error)
  }
}

const SWAPPED = 'a part of it was replaced by a link meanwhile'

function swapped(place: Place): AgentAppsError {
  return outside(place.path, SWAPPED)
}

/** Throws if the folders of a place cannot be created, since one of them is a file. */
export async function expectFolders(place: Place): Promise<void> {
  try {
    const held = await hold(place, place.segments.slice(0, -1))
    await held.close()
  } catch (error) {
    if (!isAgentAppsError(error) || error.code !== 'FILE_NOT_FOUND') throw error
  }
}

export interface OpenFile {
  handle: FileHandle
  stat: Stats
}

/**
 * Opens a regular file for reading. A FIFO or device is not even opened.
 *
 * @param item the path from `inFolderOf`
 * @throws FILE_NOT_FOUND, FILE_UNUSABLE, PATH_OUTSIDE
 */
export async function openFile(item: string, place: Place): Promise<OpenFile> {
  const before = await statItem(item, place)
  if (!before) throw notFound(place)
  let handle: FileHandle
  try {
    handle = await open(item, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw notFound(place)
    throw code === 'ELOOP' ? swapped(place) : refused(place.path, error)
  }
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw notFile(place, kindOf(stat))
    if (!HOLDS && (stat.ino !== before.ino || stat.dev !== before.dev)) throw swapped(place)
    return { handle, stat }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The status of a regular file; null if there is nothing. Throws for anything else. */
export async function statItem(item: string, place: Place): Promise<Stats | null> {
  try {
    const stat = await lstat(item)
    if (stat.isSymbolicLink()) throw swapped(place)
    if (!stat.isFile()) throw notFile(place, kindOf(stat))
    return stat
  } catch (error) {
    if (error instanceof AgentAppsError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw refused(place.path, error)
  }
}

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return 'is a directory'
  if (stat.isFIFO()) return 'is a pipe'
  if (stat.isSocket()) return 'is a socket'
  return 'is a device'
}

export function notFile(
  { path }: Place,
  what: string,
  hint = what === 'is a directory' ? 'Use `list` to see what is in it.' : 'Name a regular file.',
): AgentAppsError {
  return new AgentAppsError('FILE_UNUSABLE', `${path} ${what}.`, { hint, file: path })
}

export function notFound({ path }: Place, near: readonly string[] = []): AgentAppsError {
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(' or ')}?`
      : 'Use `glob` or `list` to see which files there are.'
  return new AgentAppsError('FILE_NOT_FOUND', `There is no ${path}.`, { hint, file: path })
}
