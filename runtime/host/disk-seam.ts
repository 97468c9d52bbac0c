import type { DiskParser } from '../../src/content/disk-parser.js'
import type { IndexFiles } from '../../src/index/read-index.js'

/** Small files of the user's, which no project can have written. Names have no folder. */
export interface UserState {
  /** Null if the file is missing, or other users may write it. */
  readText: (name: string) => string | null
  /** Appends a line. False if other users may write the file. */
  append: (name: string, line: string) => boolean
}

/** Files that can be fetched again, by name. Its faults are misses, and what it gives must be checked. */
export interface FileCache {
  /** Null for a file that is not there, or has more bytes than `size`. */
  read: (name: string, size: number) => Promise<Uint8Array | null>
  write: (name: string, bytes: Uint8Array) => Promise<void>
}

/** A turn in progress. */
export interface Turn {
  /** The time it began or was last refreshed, in milliseconds since the epoch. */
  began: number
  /** The results of looks at files, by question. */
  seen: Map<string, unknown>
  /** Other values that hold until it ends, by owner. */
  kept: Map<object, unknown>
}

/**
 * The runtime's only access to its host. `package.json` maps `#disk` to Node's file system, and elsewhere to an empty
 * one, so that the runtime's own modules import nothing of Node. Methods return null for what does not exist or must
 * not be read by this user; other failures throw.
 */
export interface Disk extends IndexFiles {
  cwd: () => string
  /** The user's home directory. */
  home: () => string
  /** Absolute, normalised. */
  resolve: (...parts: string[]) => string
  /** The path of a file relative to a directory, `/`-separated; null if it is not inside. */
  inside: (directory: string, file: string) => string | null
  fromFileUrl: (url: string) => string | null
  toFileUrl: (path: string) => string
  /** Runs `work` as a turn, in which each look at a file gives the same result. Nested turns join the outer one. */
  turn: <Result>(work: () => Promise<Result>) => Promise<Result>
  turnUnderWay?: () => Turn | undefined
  /** Forgets what the turn has seen, because it no longer exists. */
  lookAgain: () => void
  isDirectory: (path: string) => boolean
  /** The time of the last addition to or removal from a directory, in ms since the epoch. */
  directoryTime: (path: string) => number | null
  list: (directory: string) => string[] | null
  /** The items of a directory. Links are `other`. */
  listed: (directory: string) => { name: string; kind: 'file' | 'folder' | 'other' }[] | null
  /** True for a directory that this user may not list or reach. */
  isRefused: (directory: string) => boolean
  /** The bytes of a file from `start` to `end`; null if it is missing or has another size than `size`. */
  readRange: (path: string, start: number, end: number, size: number) => Promise<Uint8Array | null>
  /** The real path of a file; null if it is not inside the real path of a folder. */
  realInside: (folder: string, file: string) => Promise<string | null>
  /** The bytes of a file inside a folder; null if it is missing, secret, or a link leads outside. */
  readInside: (folder: string, path: string) => Promise<Uint8Array | null>
  /** SHA-256 of a file, hexadecimal. */
  digestFile: (path: string) => string | null
  /** The folder of the package's own skills; null if the package is not installed as such. */
  libraryDirectory: () => string | null
  /** Imports a module. Throws with `code` ERR_AGENT_APPS_UNCHECKED if its files do not have the `digests`. */
  importModule: (path: string, digests?: ReadonlyMap<string, string>) => Promise<Record<string, unknown>>
  /** The user's state; null if there is no folder for it, or it lies in one of these folders, absolute. */
  userState: (projects: readonly string[]) => Promise<UserState | null>
  /** A cache in a folder, absolute. Absent on hosts without folders. */
  fileCache?: (directory: string) => Promise<FileCache>
  /** True if the running program is part of the project in a folder, absolute. Absent on hosts without folders. */
  isProgramOf?: (folder: string) => Promise<boolean>
  /** The compiler's reader; null if it is not installed. */
  loadParser: () => Promise<DiskParser | null>
}
