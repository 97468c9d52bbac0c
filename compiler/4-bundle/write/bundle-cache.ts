import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { orNull } from '../../../src/base/attempt.js'
import type { Message } from '../../diagnostics/diagnostics.js'
import { BUILT_DIRECTORY, VERSION } from '../../files/package-place.js'
import { digestFile, type FileStat, pickStat, sameStat, settledStat } from '../../files/regular-file.js'
import { readSealed, sealedJson } from '../../files/sealed-file.js'
import { prepareIndexDirectory, writeAtomic } from '../../index/index-directory.js'
import { readWritten } from '../../index/index-files.js'
import type { Project, ProjectDirectory } from '../../project/project.js'
import { BUNDLE_CACHE_FILE } from '../../records/compile-cache.js'
import type { BundlePath } from '../parts/bundle-place.js'

/**
 * The inputs and outputs of a project's last bundle on this machine, so that an unchanged bundle is not made
 * again. It is not part of the output and may be deleted at any time.
 */
interface BundleCache {
  /** The digest of a bundle's inputs that are not files. */
  key: string
  /** The files that went into it, and the files written. */
  files: SeenFile[]
  /** The absolute paths that `watch` must watch. */
  looks: string[]
  /** The bundle's diagnostics. */
  diagnostics: Message[]
}

/** A null stat: there was no such file. */
type SeenFile = [path: string, stat: FileStat | null, sha256: string]

/** The digest of the indexes, the options and the versions that a bundle is made from; it does not cover files that are in no index. */
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
 * @param onPath called with each path that the bundle depends on, as when it was made
 */
export function lastBundle(
  project: Project,
  key: string,
  { folder, name }: BundlePath,
  onPath: (path: string) => void = () => {},
): Pick<BundleCache, 'diagnostics'> | null {
  const cache = readBundleCache(cachingDirectory(project))
  if (cache?.key !== key) return null
  for (const path of cache.looks) onPath(path)
  const isThere = cache.files.some(([path, stat]) => path === join(folder, name) && stat !== null)
  return isThere && cache.files.every(isAsSeen) ? cache : null
}

interface WrittenBundle extends Pick<BundleCache, 'key' | 'looks' | 'diagnostics'> {
  /** Milliseconds since the epoch, before any of the inputs was read. */
  startedAt: number
  inputs: string[]
  made: string[]
}

/** Saves the state of a bundle's inputs, unless they changed meanwhile; does nothing in a read-only directory. */
export async function rememberBundle(
  project: Project,
  { startedAt, inputs, made, ...bundle }: WrittenBundle,
): Promise<void> {
  const went = inputs.map(seen)
  if (went.some(([, stat]) => stat !== null && Math.max(stat.mtimeMs, stat.ctimeMs) >= startedAt)) return
  const files = [...went, ...made.map(seen)]
  const cache: BundleCache = { ...bundle, files }
  const dir = cachingDirectory(project)
  try {
    prepareIndexDirectory(dir)
    await writeAtomic(dir, BUNDLE_CACHE_FILE, sealedJson(cache))
  } catch {
    // The bundle is right as it lies there; the next one is made again, and that is all.
  }
}

function cachingDirectory({ directories }: Project): string {
  return (directories[0] as ProjectDirectory).dir
}

function readBundleCache(dir: string): BundleCache | null {
  return orNull(() => readSealed(join(dir, BUNDLE_CACHE_FILE)))
}

function seen(path: string): SeenFile {
  const lookedAt = Date.now()
  const stat = statOf(path)
  return [path, stat && settledStat(stat, lookedAt), stat ? digestOf(path) : '']
}

/** Compares a file by its stat if that had settled, else by its digest. */
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

/** Empty for a file that cannot be read, which then counts as changed. */
function digestOf(path: string): string {
  return orNull(() => digestFile(path)) ?? ''
}
