import { hash } from 'node:crypto'
import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { INDEX_DIRECTORY } from '../../src/index/index-format.js'
import { remembering } from '../files/memoize.js'
import { isOwnerGone, ownerTime } from '../files/process-owner.js'
import { readRegularFile, unlessGone } from '../files/regular-file.js'
import { writeAtomic } from '../index/index-directory.js'
import { readCache } from '../records/compile-cache.js'

/**
 * The modules that are on their way: a line for each, `<file> <SHA-256> <owner>`. Only an index says whose a module is, and
 * it comes after them. Its name begins with `cache`, as that of all that is only this machine's own.
 */
const LIST_FILE = `${INDEX_DIRECTORY}/cache.modules`
const LINE = /^(\S+) ([0-9a-f]{64}) (\S.*)$/
const MODULE_NAME = /^(?:module|chunk)-[0-9A-Z]{8}\.mjs(?:\.map)?$/

/** As much of a list, and of a module, as is read: a directory may come with any. */
const LIST_BYTES_MAX = 8 * 1024 * 1024
const MODULE_BYTES_MAX = 64 * 1024 * 1024

/** A compile that announced modules so long ago (ms) has failed, though its process goes on. */
const ANNOUNCED_AGE = 600_000

interface AnnouncedModule {
  /** Relative to the directory. */
  file: string
  sha256: string
  /** The compile that announced it: `processOwner`, and what tells it from others of its process. */
  owner: string
}

/** True for the path of a file that code was compiled to. What an index or a list names besides is not ours to touch. */
export function isModule(file: unknown): file is string {
  return (
    typeof file === 'string' &&
    file.startsWith(`${INDEX_DIRECTORY}/`) &&
    MODULE_NAME.test(file.slice(INDEX_DIRECTORY.length + 1))
  )
}

/**
 * Writes down, before anything else, which modules a compile is about to write or to remove, with what they hold, so that
 * whenever it is cut short the next one can remove those that no index names. Only to be called under the directory's lock.
 */
export function announceModules(
  directory: string,
  owner: string,
  modules: Iterable<readonly [file: string, contents: Uint8Array]>,
): void {
  const before = readList(directory)
  const own = new Set(before.filter(entry => entry.owner === owner).map(({ file }) => file))
  const added = new Map([...modules].filter(([file]) => !own.has(file)))
  if (added.size === 0) return
  writeList(directory, [
    ...before.filter(({ file, owner: other }) => !added.has(file) || isHeld(other)),
    ...[...added].map(([file, contents]) => ({ file, sha256: hash('sha256', contents), owner })),
  ])
}

/**
 * Removes what this compile and those that were killed had announced and the index does not name. What a compile that
 * still runs announced is left to it. Only to be called under the directory's lock.
 */
export function settleModules(directory: string, owner: string, named: ReadonlySet<string>): void {
  if (!hasAnnounced(directory)) return
  const announced = readList(directory)
  const held = announced.filter(entry => entry.owner !== owner && isHeld(entry.owner))
  const kept = new Set([...named, ...held.map(({ file }) => file)])
  const gone = announced.filter(({ file }) => !kept.has(file))
  for (const file of unchangedFiles(directory, gone)) rmSync(join(directory, file))
  if (held.length === 0) rmSync(join(directory, LIST_FILE), { force: true })
  else if (held.length < announced.length) writeList(directory, held)
}

export function hasAnnounced(directory: string): boolean {
  return lstatSync(join(directory, LIST_FILE), { throwIfNoEntry: false })?.isFile() === true
}

/** What compiles that were killed had announced, and the list where it is of no use to any other, relative to the directory. */
export function abandonedModules(directory: string): string[] {
  if (!hasAnnounced(directory)) return []
  const announced = readList(directory)
  const kept = new Set(announced.filter(({ owner }) => isHeld(owner)).map(({ file }) => file))
  const gone = announced.filter(({ file }) => !kept.has(file))
  const files = unchangedFiles(directory, gone)
  return kept.size === 0 ? [...files, LIST_FILE] : [...files]
}

/**
 * The modules of the last compile as its cache names them, relative to the directory, that hold what they held then. Where
 * the index is gone, nothing else says that they are ours.
 */
export function cachedModules(directory: string): Set<string> {
  const made = [...(readCache(directory)?.made ?? [])]
  const modules = made.flatMap(([file, { sha256 }]) => (isModule(file) ? [{ file, sha256 }] : []))
  return unchangedFiles(directory, modules)
}

/** Whether the compile of this name may still need what it announced. Where it does after all, it writes that again. */
function isHeld(owner: string): boolean {
  // A time to come is nobody's.
  return !isOwnerGone(owner) && Math.abs(Date.now() - ownerTime(owner)) < ANNOUNCED_AGE
}

/** The files that hold what was written down of them: what else has the name, or was changed, is another's. Each is read once. */
function unchangedFiles(
  directory: string,
  entries: readonly Pick<AnnouncedModule, 'file' | 'sha256'>[],
): Set<string> {
  const digestOf = remembering(file => {
    const path = join(directory, file)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isFile() && stat.size <= MODULE_BYTES_MAX
      ? unlessGone(() => hash('sha256', readRegularFile(path)))
      : null
  })
  const unchanged = entries.filter(({ file, sha256 }) => digestOf(file) === sha256)
  return new Set(unchanged.map(({ file }) => file))
}

/** A list that is too long to be ours, or cannot be read, says nothing. */
function readList(directory: string): AnnouncedModule[] {
  const path = join(directory, LIST_FILE)
  if (!hasAnnounced(directory) || lstatSync(path).size > LIST_BYTES_MAX) return []
  return readRegularFile(path)
    .toString()
    .split('\n')
    .flatMap(line => {
      const [, file, sha256 = '', owner = ''] = LINE.exec(line) ?? []
      return isModule(file) ? [{ file, sha256, owner }] : []
    })
}

function writeList(directory: string, modules: readonly AnnouncedModule[]): void {
  const lines = modules.map(({ file, sha256, owner }) => `${file} ${sha256} ${owner}\n`)
  writeAtomic(directory, LIST_FILE, lines.join(''))
}
