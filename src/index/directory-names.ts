import type { ContentRecord } from './content-record.js'
import type { CascadeRecord, FileRecord, NameRecord, ToolDetails } from './index-format.js'

/**
 * Looks up the names of one directory, in its index or in its files. The runtime asks both in the same way, which is why both give the
 * same answer.
 */
export interface DirectoryNames {
  via: 'index' | 'bundle' | 'disk'
  /** Milliseconds since the epoch; a file changed later may say something else by now. */
  madeAt: number
  /** The directory's own listing, as `listingText` digests it. */
  listing: string
  tool: (name: string) => NameRecord | undefined
  details: (name: string) => ToolDetails | undefined
  file: (path: string) => FileRecord | undefined
  /** What the compiler made of a tool's cascade; undefined also where it made nothing of it. */
  cascade?: (name: string) => CascadeRecord | undefined
  /** What the compiler made of a content with directives. */
  content?: (name: string) => ContentRecord | undefined
  /** Every name, in code-point order. Reads all of an index that is split. */
  names: () => string[]
  /** Every file's path. */
  paths: () => string[]
  /** Every folder that was listed, absolute, where the names are those of files. */
  folders?: readonly string[]
}
