import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isIn, placeError } from './check-place.js'
import { byText, type ExportedFile, type ExportedFiles, jsonFile, sha256 } from './exported-files.js'

/** The list of its files and their digests that an export leaves for the next one. */
const LIST = '.agent-apps-export.json'

/** A file while it is being written. */
const FRESH = '.agent-apps-export.new'

/** The possible digests of each exported file: two while it is being replaced. */
type Listed = Map<string, readonly string[]>

interface WrittenExport {
  written: string[]
  removed: string[]
}

/**
 * Writes files to a folder, whose path contains no link. Replaces and removes only files of an earlier export that are
 * unchanged since.
 *
 * @throws EXPORT_PLACE, before anything is written
 */
export function writeExport(dir: string, files: ExportedFiles, dryRun: boolean): WrittenExport {
  try {
    return write(dir, files, dryRun)
  } catch (error) {
    throw notPossible(dir, error)
  }
}

function write(dir: string, files: ExportedFiles, dryRun: boolean): WrittenExport {
  const before = readList(dir)
  const gone = [...before.keys()].filter(path => !files.has(path) && typeOf(join(dir, path)) !== null)
  const changed = [...files].filter(([path, file]) => !isSame(join(dir, path), file))
  refuseForeign(dir, [...changed.map(([path]) => path), ...gone], before)
  const result = { written: changed.map(([path]) => path).sort(byText), removed: gone.sort(byText) }
  if (dryRun) return result
  const after: Listed = new Map([...files].map(([path, { bytes }]) => [path, [sha256(bytes)]]))
  mkdirSync(dir, { recursive: true })
  if (changed.length + gone.length > 0) writeList(dir, bothOf(before, after))
  for (const [path, file] of changed) replace(dir, path, file)
  for (const path of gone) remove(dir, path)
  writeList(dir, after)
  return result
}

/** The error for a write that the system refuses. The next export continues. */
function notPossible(dir: string, error: unknown): unknown {
  const { syscall, path = dir, message } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error
  return placeError(
    path,
    `It could not be read or written: ${message}`,
    'Correct that, and export again.',
    error,
  )
}

/** Refuses to replace files that no export wrote, or that changed since. */
function refuseForeign(dir: string, paths: readonly string[], before: Listed): void {
  const conflicts = paths.flatMap(path => {
    const why = foreign(dir, path, before)
    return why === null ? [] : [{ path, why }]
  })
  const [first] = conflicts
  if (!first) return
  const more = conflicts.length > 1 ? `, and ${conflicts.length - 1} more files are in the way` : ''
  throw placeError(
    join(dir, first.path),
    `${first.why}${more}`,
    'Export to another folder, or move these files away. Nothing was written.',
  )
}

function foreign(dir: string, path: string, before: Listed): string | null {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const type = typeOf(join(dir, folder))
    if (type !== null && type !== 'folder') return `${folder} is a ${type} and not a folder`
  }
  const type = typeOf(join(dir, path))
  if (type === null) return null
  if (type !== 'file') return `There is a ${type} of that name`
  const known = before.get(path)
  if (!known) return 'There is a file of that name that no export wrote'
  return known.includes(sha256(readFileSync(join(dir, path))))
    ? null
    : 'The file was changed after it was exported'
}

function typeOf(path: string): 'file' | 'folder' | 'link' | 'special file' | null {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return null
  if (stat.isFile()) return 'file'
  if (stat.isDirectory()) return 'folder'
  return stat.isSymbolicLink() ? 'link' : 'special file'
}

function isSame(path: string, { bytes, isExecutable }: ExportedFile): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.size !== bytes.length || !readFileSync(path).equals(bytes)) return false
  return process.platform === 'win32' || ((stat.mode & 0o100) !== 0) === isExecutable
}

/** Replaces a file atomically: readers see the old or the new one. */
function replace(dir: string, path: string, { bytes, isExecutable }: ExportedFile): void {
  const file = join(dir, path)
  const fresh = join(dir, FRESH)
  // Left by a killed export.
  rmSync(fresh, { force: true })
  mkdirSync(dirname(file), { recursive: true })
  if (!isIn(realpathSync(dirname(file)), dir))
    throw placeError(file, 'A link leads out of the folder', 'Remove the link.')
  writeFileSync(fresh, bytes, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644 })
  renameSync(fresh, file)
}

/** Removes a file, and the folders that are empty without it. */
function remove(dir: string, path: string): void {
  rmSync(join(dir, path), { force: true })
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      rmdirSync(join(dir, folder))
    } catch {
      // Not empty.
      return
    }
  }
}

function bothOf(before: Listed, after: Listed): Listed {
  const both = new Map(before)
  for (const [path, digests] of after) both.set(path, [...(before.get(path) ?? []), ...digests])
  return both
}

function writeList(dir: string, listed: Listed): void {
  const files = Object.fromEntries([...listed].sort(([a], [b]) => byText(a, b)))
  const file = jsonFile({ madeBy: 'agent-apps export', files })
  if (!isSame(join(dir, LIST), file)) replace(dir, LIST, file)
}

/** The list of the last export; empty without one. */
function readList(dir: string): Listed {
  const file = join(dir, LIST)
  const type = typeOf(file)
  if (type === null) return new Map()
  const files = type === 'file' ? listedIn(readFileSync(file, 'utf8')) : null
  if (files === null)
    throw placeError(file, 'It is not a list of an export', 'Remove it, or export to another folder.')
  return files
}

function listedIn(text: string): Listed | null {
  try {
    const { files } = JSON.parse(text) as { files?: unknown }
    if (typeof files !== 'object' || files === null) return null
    const entries = Object.entries(files)
    return entries.every(([path, digests]) => isOwnPath(path) && Array.isArray(digests))
      ? new Map(entries)
      : null
  } catch {
    return null
  }
}

/** True if a path of a list, which is untrusted, stays in the folder. */
function isOwnPath(path: string): boolean {
  return (
    path !== '' &&
    !path.includes('\0') &&
    path.split('/').every(name => name !== '' && name !== '.' && name !== '..' && !name.includes('\\'))
  )
}
