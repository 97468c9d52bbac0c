import type { ContentRecord } from './content-record.js'
import type {
  CascadeRecord,
  FileRecord,
  NameRecord,
  PluginRecord,
  ToolDetails,
  UnitRecord,
} from './index-format.js'

/**
 * Looks up the names of one directory, in its index or in its files. The runtime asks both in the same way, which is why both give the
 * same answer.
 */
export interface DirectoryNames {
  via: 'index' | 'bundle' | 'disk'
  /** Milliseconds since the epoch; a file changed later may say something else by now. */
  madeAt: number
  /** The digest of the directory's own listing, as `listingText` gives it, or of that of its units. */
  listing: string
  /** The units of the directory; absent where it is one as a whole. */
  units?: readonly UnitRecord[] | undefined
  /** The plugins whose skills are in the directory; absent where there are none, or where not all of it was read. */
  plugins?: readonly PluginRecord[] | undefined
  /** The folders of a repository whose change may change `listing`, relative to it. */
  listed?: readonly string[] | undefined
  /**
   * The tool of a name. A bare name that is nobody's own means the first tool that has it in a namespace,
   * except where `isOwn` asks for the tool with exactly this name.
   */
  tool: (name: string, isOwn?: boolean) => NameRecord | undefined
  details: (name: string) => ToolDetails | undefined
  file: (path: string) => FileRecord | undefined
  /** The compiled cascade of a tool; undefined also for a tool without one. */
  cascade?: (name: string) => CascadeRecord | undefined
  /** The compiled parts of a content with directives. */
  content?: (name: string) => ContentRecord | undefined
  /** Every name, in code-point order. Reads all of an index that is split. */
  names: () => string[]
  /** Every file's path. */
  paths: () => string[]
  /** Every folder that was listed, absolute, where the names are those of files. */
  folders?: readonly string[]
}
