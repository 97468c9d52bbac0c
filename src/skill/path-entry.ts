/** Whose a directory is: the project's, the user's (`global`), or of a package (`bundled`). */
export type Layer = 'project' | 'global' | 'bundled'

/** A directory to search for skills, with whose it is. */
export interface DirectoryEntry {
  /** The directory, absolute or relative to `cwd`. */
  dir: string
  /** Somebody else's directory: its index is used where it ships one, and it is never written to. */
  external?: boolean
  /** Default `project`. */
  layer?: Layer
}

/** Patterns (picomatch) relative to the directories of the entries after it; of all entries where it stands first. */
export interface IgnoreEntry {
  ignore: string | string[]
}

/** One element of `config.paths`. A text is the directory of a project entry. */
export type PathEntry = string | DirectoryEntry | IgnoreEntry

/** A path entry with everything decided. */
export interface SearchDirectory {
  dir: string
  external: boolean
  layer: Layer
  /** The ignore patterns that hold here, in order. */
  ignore: string[]
}

/** The directories of a list of path entries in search order, each with the ignore patterns that hold for it. */
export function searchDirectories(paths: readonly PathEntry[]): SearchDirectory[] {
  const ignore: string[] = []
  const directories: SearchDirectory[] = []
  for (const entry of paths) {
    if (isIgnoreEntry(entry)) {
      ignore.push(...ignorePatterns(entry))
      continue
    }
    const { dir, external = false, layer = 'project' } = typeof entry === 'string' ? { dir: entry } : entry
    directories.push({ dir, external, layer, ignore: [...ignore] })
  }
  return directories
}

export function isIgnoreEntry(entry: PathEntry): entry is IgnoreEntry {
  return typeof entry === 'object' && 'ignore' in entry
}

function ignorePatterns({ ignore }: IgnoreEntry): string[] {
  return typeof ignore === 'string' ? [ignore] : ignore
}

/** A directory of a list of path entries. */
export interface DirEntry {
  dir: string
  external: boolean
}

/** The directory of a path entry, as written. Throws for an `{ ignore }` entry; `iterPaths` skips those. */
export function pathEntryDir(entry: PathEntry): string {
  if (typeof entry === 'string') return entry
  if (!isIgnoreEntry(entry)) return entry.dir
  throw new TypeError('An { ignore } entry has no directory; use iterPaths() to skip it.')
}

/** The directory entries of a list, in order. */
export function* iterPaths(paths: readonly PathEntry[]): Generator<DirEntry> {
  for (const { dir, external } of searchDirectories(paths)) yield { dir, external }
}

/** All ignore patterns of a list, in order. */
export function extractIgnore(paths: readonly PathEntry[]): string[] {
  return paths.flatMap(entry => (isIgnoreEntry(entry) ? ignorePatterns(entry) : []))
}

/** A list with every directory entry replaced by what `map` gives for it: `[]` removes it. `{ ignore }` entries stay. */
export function mapPaths(
  paths: readonly PathEntry[],
  map: (dir: string, external: boolean, entry: PathEntry) => PathEntry[],
): PathEntry[] {
  return paths.flatMap(entry =>
    isIgnoreEntry(entry) ? [entry] : map(pathEntryDir(entry), isExternal(entry), entry),
  )
}

/** A list with only the directory entries that `keep` is true for. `{ ignore }` entries stay. */
export function filterPaths(
  paths: readonly PathEntry[],
  keep: (dir: string, external: boolean) => boolean,
): PathEntry[] {
  return mapPaths(paths, (dir, external, entry) => (keep(dir, external) ? [entry] : []))
}

function isExternal(entry: string | DirectoryEntry): boolean {
  return typeof entry === 'object' && entry.external === true
}

/** Where a project's skills lie by convention, relative to it. */
export const CONVENTIONAL_DIRECTORIES: readonly string[] = [
  'skills',
  ...['agents', 'claude', 'github', 'codex', 'opencode', 'cursor', 'gemini'].map(agent => `.${agent}/skills`),
]
