import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { AgentAppsError } from 'agent-apps'
import { PATH_MAX } from './path-key.js'

/** The folders inside the wall. */
export interface Inside {
  /** The root's real path. Relative paths start from it. */
  root: string
  /** The real paths of all accessible folders, the root first. */
  folders: readonly string[]
}

/** The target of a call's path, inside the wall. */
export interface Place {
  /** The shown path: relative to the root, with `/`; absolute in another folder. */
  path: string
  /** Absolute, without links up to where it exists. */
  real: string
  /** The folder of the wall that contains it, real. */
  base: string
  /** The path from `base`, without links; empty for the folder itself. */
  segments: readonly string[]
  /** The path from the root or another folder as the call wrote it; null if that is outside. */
  written: readonly string[] | null
  exists: boolean
}

/**
 * Finds where a path leads, and refuses anything outside the wall. Nothing is opened.
 *
 * @param more other accessible folders, real
 * @throws PATH_OUTSIDE, FILE_UNUSABLE
 */
export async function placeOf(path: string, workspace: Inside, more: readonly string[] = []): Promise<Place> {
  const { root } = workspace
  const problem = textProblem(path)
  if (problem !== null) throw outside(path, problem)
  const absolute = isAbsolute(path) ? resolve(path) : resolve(root, path)
  const { real, exists } = await realPlace(absolute, path)
  const folders = [...workspace.folders, ...more]
  const base = folders.find(folder => within(folder, real) !== null)
  if (base === undefined) throw outside(path, 'it leads out of the workspace')
  const around = folders.find(folder => within(folder, absolute) !== null)
  return {
    path: shownPath(real, root),
    real,
    base,
    segments: within(base, real) ?? [],
    written: around === undefined ? null : within(around, absolute),
    exists,
  }
}

/** The segments from a folder to a path, both absolute; null if the path is not inside. */
export function within(folder: string, path: string): string[] | null {
  const way = relative(folder, path)
  if (way === '') return []
  const segments = way.split(sep)
  return segments[0] === '..' || isAbsolute(way) ? null : segments
}

function shownPath(real: string, root: string): string {
  const segments = within(root, real)
  if (segments === null) return real.replaceAll(sep, '/')
  return segments.length === 0 ? '.' : segments.join('/')
}

export function outside(path: string, why: string, cause?: unknown): AgentAppsError {
  const shown = path.length > PATH_MAX ? `${path.slice(0, 80)}…` : path
  return new AgentAppsError('PATH_OUTSIDE', `The path ${JSON.stringify(shown)} cannot be used: ${why}.`, {
    hint: 'Give a path inside the workspace, relative to its root.',
    cause,
  })
}

/** Names of Windows devices, with any extension and folder. */
const DEVICE = /(?:^|[\\/])(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:[ .:][^\\/]*)?(?:[\\/]|$)/i

/** The reason why a string cannot be a path of the workspace; null if it can. */
function textProblem(path: string): string | null {
  if (path === '') return 'it is empty; "." is the root'
  if (path.length > PATH_MAX) return `it has more than ${PATH_MAX} characters`
  if (path.includes('\0')) return 'it contains a NUL character'
  if (/^~/.test(path)) return '"~" stands for no folder here'
  if (/^[a-z][a-z0-9+.-]+:/i.test(path) && /^[a-z][a-z0-9+.-]+:\/|^(?:file|data|node):/i.test(path))
    return 'it is a URL'
  if (path.startsWith('\\\\') || (sep === '\\' && path.startsWith('//'))) return 'it names another machine'
  if (sep !== '\\') return /^[A-Za-z]:[\\/]/.test(path) ? 'it names a drive' : null
  if (DEVICE.test(path)) return 'it names a device'
  return path.slice(2).includes(':') || /^[A-Za-z]:(?![\\/])/.test(path)
    ? 'it names a stream or a drive'
    : null
}

/**
 * The real path of the nearest existing item, with the missing rest appended. A broken link is refused, since writing to it
 * would create its target.
 */
async function realPlace(absolute: string, path: string): Promise<{ real: string; exists: boolean }> {
  const missing: string[] = []
  for (let at = absolute; ; at = dirname(at)) {
    try {
      return { real: resolve(await realpath(at), ...missing), exists: missing.length === 0 }
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code === 'ELOOP') throw outside(path, 'its links lead in a circle', error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw refused(path, error)
      if (dirname(at) === at) throw outside(path, 'it leads out of the workspace', error)
      if (code === 'ENOENT' && (await isLink(at)))
        throw outside(path, 'it is a link that leads nowhere', error)
      missing.unshift(basename(at))
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw error
  }
}

/** The error for an operation that the system refuses. */
export function refused(path: string, cause: unknown): AgentAppsError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException
  return new AgentAppsError(
    'FILE_UNUSABLE',
    `${JSON.stringify(path)} cannot be used: ${WHY[code] ?? code}.`,
    { hint: 'Use another path, or leave it to a person.', cause },
  )
}

const WHY: Record<string, string> = {
  EACCES: 'this process has no permission',
  EPERM: 'the system does not permit it',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk can only be read',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
}
