import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Message } from '../../diagnostics/diagnostics.js'
import { digestFile } from '../../files/digest.js'
import { type FileStat, pickStat, sameStat, vouchingStat } from '../../files/file-stat.js'
import { BUILT_DIRECTORY } from '../../files/package-place.js'
import { readSealed, withSeal } from '../../files/sealed-file.js'
import { VERSION } from '../../files/version.js'
import { prepareIndexDirectory, writeAtomic } from '../../index/index-directory.js'
import { readWritten } from '../../index/read-written.js'
import type { Project, ProjectDirectory } from '../../project/project.js'
import { BUNDLE_CACHE_FILE } from '../../records/compile-cache.js'

/**
 * What the last bundle of a project was made of and what was written, as this machine has it, so that one which would be the same
 * is not made again. It is no part of the output and may be lost at any time.
 */
interface BundleCache {
  /** Digest of all but files that a bundle depends on. */
  key: string
  /** Those that went into it, and those written. */
  files: SeenFile[]
  /** The absolute paths that `watch` must watch. */
  looks: string[]
  /** The bundle's diagnostics. */
  diagnostics: Message[]
}

/** Null for the stat of what was no file. */
type SeenFile = [path: string, stat: FileStat | null, sha256: string]

/** The digest of what a bundle comes from, but for files that are in no index: the indexes, the options, and who makes it. */
export function bundleKey({ cwd, paths, searched, library, env }: Project, options: object): string {
  const indexes = [...searched.map(({ dir }) => dir), ...(library === null ? [] : [library])].map(dir => {
    const written = readWritten(dir)
    return [dir, written && hash('sha256', written.text)]
  })
  const esbuild: string = createRequire(import.meta.url)('esbuild/package.json').version
  const { mtimeMs } = statSync(join(BUILT_DIRECTORY, 'runtime/bundle-disk.js'))
  return hash(
    'sha256',
    JSON.stringify([VERSION, esbuild, mtimeMs, cwd, paths, searched, library, env, options, indexes]),
  )
}

/**
 * The cache of the last bundle, where its inputs and its files are unchanged; else null.
 *
 * @param entry the bundle's own file, absolute: what was looked at must have been this one
 * @param onPath called with each path that the bundle depends on, as when it was made
 */
export function lastBundle(
  project: Project,
  key: string,
  entry: string,
  onPath: (path: string) => void = () => {},
): Pick<BundleCache, 'diagnostics'> | null {
  const cache = readBundleCache(cachingDirectory(project))
  if (cache?.key !== key) return null
  for (const path of cache.looks) onPath(path)
  const isThere = cache.files.some(([path, stat]) => path === entry && stat !== null)
  return isThere && cache.files.every(isAsSeen) ? cache : null
}

interface WrittenBundle extends Pick<BundleCache, 'key' | 'diagnostics'> {
  /** Milliseconds since the epoch, before any of the inputs was read. */
  startedAt: number
  inputs: string[]
  made: string[]
  looked: Iterable<string>
}

/** Keeps what a bundle was made of, where that stayed as it is meanwhile. A directory that cannot be written to goes without. */
export function rememberBundle(
  project: Project,
  { key, diagnostics, startedAt, inputs, made, looked }: WrittenBundle,
): void {
  const went = inputs.map(seen)
  if (went.some(([, stat]) => stat !== null && Math.max(stat.mtimeMs, stat.ctimeMs) >= startedAt)) return
  const files = [...went, ...made.map(seen)]
  const cache: BundleCache = { key, files, looks: [...looked], diagnostics }
  const dir = cachingDirectory(project)
  try {
    prepareIndexDirectory(dir)
    writeAtomic(dir, BUNDLE_CACHE_FILE, withSeal([Buffer.from(JSON.stringify(cache))]))
  } catch {
    // The bundle is right as it lies there; the next one is made again, and that is all.
  }
}

function cachingDirectory({ directories }: Project): string {
  return (directories[0] as ProjectDirectory).dir
}

function readBundleCache(dir: string): BundleCache | null {
  try {
    const text = readSealed(join(dir, BUNDLE_CACHE_FILE))
    return text === null ? null : (JSON.parse(text) as BundleCache)
  } catch {
    // Absent, or not to be read.
    return null
  }
}

function seen(path: string): SeenFile {
  const lookedAt = Date.now()
  const stat = statOf(path)
  return [path, stat && vouchingStat(stat, lookedAt), stat ? digestOf(path) : '']
}

/** By its stat where that can vouch for it, else by what is in it. */
function isAsSeen([path, before, sha256]: SeenFile): boolean {
  const now = statOf(path)
  if (now === null || before === null) return now === before
  if (sameStat(now, before)) return true
  return now.size === before.size && digestOf(path) === sha256
}

function statOf(path: string): FileStat | null {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? pickStat(stat) : null
}

function digestOf(path: string): string {
  try {
    return digestFile(path)
  } catch {
    // It went, or cannot be read: then it is not the one that was.
    return ''
  }
}
