import type { FileRecord, NameRecord, ToolDetails } from './index-format.js'

/**
 * What one directory's names mean, wherever that was read: from its index, or from its files. The runtime asks
 * both the same way, which is why both give the same answer.
 */
export interface DirectoryNames {
  via: 'index' | 'disk'
  /** Milliseconds since the epoch; a file changed later may say something else by now. */
  madeAt: number
  /** The directory's own listing, as `listingText` digests it. */
  listing: string
  tool: (name: string) => NameRecord | undefined
  details: (name: string) => ToolDetails | undefined
  file: (path: string) => FileRecord | undefined
  /** Every name, in code-point order. Reads all of an index that is split. */
  names: () => string[]
  /** Every file's path. */
  paths: () => string[]
}

/** Reads skills without an index. It comes with the compiler, and a deployment that never misses never loads it. */
export interface DiskParser {
  /** The names of a directory; with `only`, of these of its items. */
  readDirectory: (directory: string, ignore: readonly string[], only?: readonly string[]) => DirectoryNames
  /** The names of one skill file (relative to `directory`), past what other files of the directory are called. */
  readFile: (directory: string, path: string) => DirectoryNames
}
