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
