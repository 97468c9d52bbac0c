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
  /** The names read from its files, where it has no index. */
  disk?: Promise<DirectoryNames | null>
  /** The names of `disk`, once they have been read. */
  diskNames?: DirectoryNames | null
  /** The names in files that came or changed since `index` or `diskNames`; `stamp` tells a later state of the files. */
  altered?: { names: DirectoryNames; stamp: string | undefined }
  /** When the folders that decide on what is at its top had changed when they were last listed. */
  listed?: string | undefined
  /** True if that listing showed another item than `listing` of its names. */
  hasAdditions?: boolean
  /** Files that changed after the names were made, read anew, by path. */
  reread: Map<string, { stamp: string; names: DirectoryNames | null }>
  /** Files whose digest showed that they are the same although they were touched, by path. */
  verified: Map<string, string>
}

/** A name's record, and the names that it stands in. */
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
