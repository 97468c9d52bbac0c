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
  /** The stamp of an index that was refused, so that it is not read and reported again. */
  refused?: string | null
  /** The names read from its files, where it has no index or that one missed. */
  disk?: Promise<DirectoryNames | null>
  /** The names of `disk`, once they have been read. */
  diskNames?: DirectoryNames | null
  /**
   * When the folders that were listed for them last changed; undefined where one may have changed since
   * without its time showing it.
   */
  diskTimes?: string | undefined
  /** Items at its top that came after `names` was made, by the listing that showed them. */
  added?: { listing: string; names: Promise<DirectoryNames | null> }
  /** The directory's own time when it was last listed, in ms. */
  listed?: number | undefined
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

/** True for a directory that is the project's own. */
export function isOwn({ layer, external }: DirectoryState): boolean {
  return layer === 'project' && !external
}
