import type { ContentRecord } from './content-record.js'
import {
  type CascadeRecord,
  type FileRecord,
  isBroken,
  type NameRecord,
  type PluginRecord,
  type ToolDetails,
  type UnitRecord,
} from './index-format.js'

/**
 * Looks up the names of one directory, in its index or in its files. The runtime uses both through this
 * interface, so both answer alike.
 */
export interface DirectoryNames {
  via: 'index' | 'bundle' | 'disk'
  /** Milliseconds since the epoch; files may have changed later. */
  madeAt: number
  /** The digest of `listingText` of the directory, or of its units. */
  listing: string
  /** The units of the directory; absent where it is one as a whole. */
  units?: readonly UnitRecord[] | undefined
  /** The plugins whose skills are in the directory; absent without any, or if not all of it was read. */
  plugins?: readonly PluginRecord[] | undefined
  /** The folders of a repository whose change may change `listing`, relative to it. */
  listed?: readonly string[] | undefined
  /**
   * The tool of a name. A bare name that no tool has refers to the first tool that has it in a namespace,
   * unless `isExact` asks for exactly this name.
   */
  tool: (name: string, isExact?: boolean) => NameRecord | undefined
  details: (name: string) => ToolDetails | undefined
  file: (path: string) => FileRecord | undefined
  /** The compiled cascade of a tool; undefined also for a tool without one. */
  cascade?: (name: string) => CascadeRecord | undefined
  /** The compiled parts of a content with directives. */
  content?: (name: string) => ContentRecord | undefined
  /** Every name, in code-point order. Reads all of an index that is split. */
  names: () => string[]
  paths: () => string[]
  /** Every listed folder, absolute, if the names were read from files. */
  folders?: readonly string[]
  /** The plugin manifests that say which units there are. Each has a record in `file`, too. */
  manifests?: readonly { path: string }[] | undefined
  /**
   * When a file was last changed before it was read, in milliseconds since the epoch, where that is known.
   */
  timeOf?: (path: string) => number | undefined
  /**
   * The `DirectoryNames` that a file's records come from: an earlier one if the file has not changed since,
   * otherwise this one.
   */
  heldBy?: (path: string) => DirectoryNames
}

/** The names that a file's records were read into. They stay the same as long as the file does. */
export function holderOf(names: DirectoryNames, path: string): DirectoryNames {
  return names.heldBy?.(path) ?? names
}

/** A text that is the same for the same units: in others, any skill may have another name. */
export function unitsText({ units = [] }: Pick<DirectoryNames, 'units'>): string {
  return JSON.stringify(units.map(({ path, namespace, manifest }) => [path, namespace, manifest]))
}

/** Files that were read again, by the names in which they stand. */
const replaced = new WeakMap<
  DirectoryNames,
  { base: DirectoryNames; files: ReadonlyMap<string, DirectoryNames> }
>()

/**
 * `before`, with the records of some files replaced by those of a newer reading. Each file must give the same
 * names as before.
 */
export function replaceFiles(
  before: DirectoryNames,
  read: ReadonlyMap<string, DirectoryNames>,
): DirectoryNames {
  const { base = before, files: others = [] } = replaced.get(before) ?? {}
  const files = new Map([...others, ...read])
  const { via, madeAt, listing, units, plugins, listed, folders = [], manifests } = base
  const names: DirectoryNames = {
    ...{ via, madeAt, listing, units, plugins, listed, folders, manifests },
    tool(name, isExact) {
      const record = base.tool(name, isExact)
      const anew = record && !isBroken(record) && files.get(record.file)
      return anew ? anew.tool(record.frontmatter.name, true) : record
    },
    details(name) {
      const record = base.tool(name)
      return ((record && files.get(record.file)) ?? base).details(name)
    },
    file: path => (files.get(path) ?? base).file(path),
    names: () => base.names(),
    paths: () => base.paths(),
    heldBy: path => files.get(path) ?? holderOf(base, path),
  }
  replaced.set(names, { base, files })
  return names
}

/** The names without the files that were replaced in them. */
export function withoutReplaced(names: DirectoryNames): DirectoryNames {
  return replaced.get(names)?.base ?? names
}
