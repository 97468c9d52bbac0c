import type { DirectoryNames } from '../../src/index/directory-names.js'
import type { NameRecord } from '../../src/index/index-format.js'
import type { OpenIndex } from '../../src/index/read-index.js'
import type { SearchDirectory } from '../../src/skill/path-entry.js'

/** The state of one directory. `dir` is absolute. */
export interface DirectoryState extends SearchDirectory {
  /** True for the skills that the package ships. */
  library?: true
  /** Undefined: not looked for yet. Null: the directory has no index that can be used. */
  index: OpenIndex | null | undefined
  /** The units of the directory, as its names have them; undefined where it is one as a whole. */
  readonly units?: DirectoryNames['units']
  /** The stamp of an index that was refused, so that it is not read and reported again. */
  refused?: string | null
  /** Its names as its files were last seen; absent as long as its index answers alone. */
  snapshot?: Snapshot
  /** The look under way that swaps `snapshot`. */
  look?: Promise<DirectoryNames | null>
  /** Files that were read alone, by path. */
  alone: Map<string, DirectoryNames>
}

/** The names of a directory, and what a later look compares with them. */
export interface Snapshot {
  /** The index that was there. */
  index: OpenIndex | null
  /** `index` itself where its files are as they were compiled. Null where the directory is missing, or cannot be read. */
  names: DirectoryNames | null
  /** The folders that decide on what is at its top, once they were looked at. */
  top?: ListedFolders
  /** All folders, and all skill files and manifests, once everything was looked at. */
  all?: ListedFolders & { files: readonly string[] }
}

/** Folders that were listed. */
export interface ListedFolders {
  /** When, in milliseconds since the epoch. */
  at: number
  /** When each, an absolute path, had changed last. */
  times: ReadonlyMap<string, number | null>
}

/**
 * What an answer is made of, which is compared with the files: some files, by the names; or all files and folders,
 * for lists and names that are missing.
 */
export type Asked = 'all' | ((names: DirectoryNames) => readonly string[])

/** A name's record, and the names that it was read into. */
export interface Found {
  state: DirectoryState
  names: DirectoryNames
  record: NameRecord
}

/** True for a directory that nobody chose, so that agents get its code only once a person trusts it. */
export function isAsked(
  { library, trust }: DirectoryState,
  { isProjects }: { isProjects?: boolean },
): boolean {
  return !library && (isProjects === true || trust === 'ask')
}

/** False for the directory of a project that is not trusted: what it says is for its own tools alone. */
export function reachesOut(
  state: DirectoryState,
  { config, isUntrusted }: { config: { isProjects?: boolean }; isUntrusted?: true },
): boolean {
  return !(isUntrusted && isAsked(state, config))
}

/** True for a directory that is the project's own. */
export function isOwn({ layer, external }: DirectoryState): boolean {
  return layer === 'project' && !external
}
