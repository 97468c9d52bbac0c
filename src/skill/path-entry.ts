import { definedFields } from '../base/json.js'

/** The owner of a directory: the project, the user (`global`), or a package (`bundled`). */
export type Layer = 'project' | 'global' | 'bundled'

/** A directory to search for skills, and its owner. */
export interface DirectoryEntry {
  /** The directory, absolute or relative to `cwd`. */
  dir: string
  /** Another owner's directory: its index is used if it has one, and nothing is ever written to it. */
  external?: boolean
  /** Default `project`. */
  layer?: Layer
  /**
   * The namespace of its skills: the skill `deploy` of the namespace `acme` is `acme:deploy`. `folder`: the
   * name of the first folder below the directory that a skill lies in. Default: none.
   */
  namespace?: string
  /**
   * True for a repository, whose skills are found by its plugin manifests and in the conventional places
   * instead of everywhere in it. Default: false.
   */
  discover?: boolean
  /**
   * `ask`: the directory is not trusted. Agents get none of its code until a person trusts it.
   * Default: the directory is trusted.
   */
  trust?: 'ask'
}

/**
 * Patterns (picomatch) relative to the directories of the entries after it; if it comes first, of all
 * entries.
 */
export interface IgnoreEntry {
  /** Globs of the files and folders to leave out. */
  ignore: string | string[]
}

/** One element of `config.paths`. A string is the directory of a project entry. */
export type PathEntry = string | DirectoryEntry | IgnoreEntry

/** A path entry with every field decided. */
export interface SearchDirectory {
  dir: string
  external: boolean
  layer: Layer
  /** The ignore patterns that apply here, in order. */
  ignore: string[]
  /** The namespace of its skills, or `folder`; absent without one. */
  namespace?: string
  /** True for a repository, whose skills are found by manifests and in the conventional places. */
  discover?: boolean
  /** Set where a person must trust it before agents get code of it. */
  trust?: 'ask'
}

/**
 * Returns the directories of path entries in search order, each with the ignore patterns that apply to it.
 */
export function searchDirectories(paths: readonly PathEntry[]): SearchDirectory[] {
  const ignore: string[] = []
  const directories: SearchDirectory[] = []
  for (const entry of paths) {
    if (isIgnoreEntry(entry)) {
      ignore.push(...ignorePatterns(entry))
      continue
    }
    const { dir, ...given }: DirectoryEntry = typeof entry === 'string' ? { dir: entry } : entry
    directories.push({ dir, external: false, layer: 'project', ...definedFields(given), ignore: [...ignore] })
  }
  return directories
}

export function isIgnoreEntry(entry: PathEntry): entry is IgnoreEntry {
  return typeof entry === 'object' && 'ignore' in entry
}

function ignorePatterns({ ignore }: IgnoreEntry): string[] {
  return typeof ignore === 'string' ? [ignore] : ignore
}

/** A directory among path entries. */
export interface DirEntry {
  /** The directory, as written. */
  dir: string
  /** True if it is not part of the project. */
  external: boolean
}

/**
 * Returns the directory of a path entry, as written. Throws for an `{ ignore }` entry; `iterPaths` skips
 * those.
 */
export function pathEntryDir(entry: PathEntry): string {
  if (typeof entry === 'string') return entry
  if (!isIgnoreEntry(entry)) return entry.dir
  throw new TypeError('An { ignore } entry has no directory; iterPaths() skips it.')
}

/** Iterates over the directory entries of an array, in order. */
export function* iterPaths(paths: readonly PathEntry[]): Generator<DirEntry> {
  for (const { dir, external } of searchDirectories(paths)) yield { dir, external }
}

/** Returns all ignore patterns of an array of entries, in order. */
export function extractIgnore(paths: readonly PathEntry[]): string[] {
  return paths.flatMap(entry => (isIgnoreEntry(entry) ? ignorePatterns(entry) : []))
}

/** Replaces every directory entry by the result of `map`: `[]` removes it. `{ ignore }` entries stay. */
export function mapPaths(
  paths: readonly PathEntry[],
  map: (dir: string, external: boolean, entry: PathEntry) => PathEntry[],
): PathEntry[] {
  return paths.flatMap(entry =>
    isIgnoreEntry(entry) ? [entry] : map(pathEntryDir(entry), isExternal(entry), entry),
  )
}

/** Replaces the directory of every entry by the result of `place`; all else stays. */
export function placePaths(paths: readonly PathEntry[], place: (dir: string) => string): PathEntry[] {
  return mapPaths(paths, (dir, _, entry) => [
    typeof entry === 'string' ? place(dir) : { ...entry, dir: place(dir) },
  ])
}

/** Keeps only the directory entries for which `keep` returns true. `{ ignore }` entries stay. */
export function filterPaths(
  paths: readonly PathEntry[],
  keep: (dir: string, external: boolean) => boolean,
): PathEntry[] {
  return mapPaths(paths, (dir, external, entry) => (keep(dir, external) ? [entry] : []))
}

function isExternal(entry: string | DirectoryEntry): boolean {
  return typeof entry === 'object' && entry.external === true
}
