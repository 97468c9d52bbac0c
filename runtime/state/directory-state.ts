import type { DirectoryNames } from '../../src/index/directory-names.js'
import type { NameRecord } from '../../src/index/index-format.js'
import type { OpenIndex } from '../../src/index/read-index.js'
import type { SearchDirectory } from '../../src/skill/path-entry.js'

/** The state of one directory. `dir` is absolute. */
export interface DirectoryState extends SearchDirectory {
  /** True for the package's own skills. */
  library?: true
  /** Undefined: not read yet. Null: the directory has no usable index. */
  index: OpenIndex | null | undefined
  /** The units of the directory; undefined if it is a single one. */
  readonly units?: DirectoryNames['units']
  /** The stamp of a refused index, so that it is not read and reported again. */
  refused?: string | null
  /** Absent until its folders were listed or files compared. Its `names` are the index until a file changes. */
  snapshot?: Snapshot
  /** The look in progress that will swap `snapshot`. */
  look?: Promise<DirectoryNames | null>
  /** Files that were read one by one, by path. */
  alone: Map<string, DirectoryNames>
}

/** The names of a directory, and the folder times that a later look compares. */
export interface Snapshot {
  /** The index at that time. */
  index: OpenIndex | null
  /** `index` itself if no file changed since it was compiled. Null if the directory is missing or unreadable. */
  names: DirectoryNames | null
  /** The folders at its top, once they were listed. */
  top?: ListedFolders
  /** All folders, skill files and manifests, once everything was listed. */
  all?: ListedFolders & { files: readonly string[] }
}

export interface ListedFolders {
  /** When, in milliseconds since the epoch. */
  at: number
  /** The time of the last change of each, by absolute path. */
  times: ReadonlyMap<string, number | null>
}

/**
 * The files that an answer is made of, which are compared with the disk: some, given the names; or all files and folders,
 * for lists and missing names.
 */
export type Asked = 'all' | ((names: DirectoryNames) => readonly string[])

/** The record of a name, and the names that contain it. */
export interface Found {
  state: DirectoryState
  names: DirectoryNames
  record: NameRecord
}

/** True for a directory that the program did not choose: agents get its code once a person trusts it. */
export function isAsked(
  { library, trust }: DirectoryState,
  { isProjects }: { isProjects?: boolean },
): boolean {
  return !library && (isProjects === true || trust === 'ask')
}

/** False for the directory of an untrusted project, whose skills affect its own tools only. */
export function reachesOut(
  state: DirectoryState,
  { config, isUntrusted }: { config: { isProjects?: boolean }; isUntrusted?: true },
): boolean {
  return !(isUntrusted && isAsked(state, config))
}

/** True for a directory of the project itself. */
export function isOwn({ layer, external }: DirectoryState): boolean {
  return layer === 'project' && !external
}
