import type { DiskParser } from '../../src/content/disk-parser.js'
import type { IndexFiles } from '../../src/index/read-index.js'

/** Small files of the user's own, which no project can have put there. Each is named by its bare name. */
export interface UserState {
  /** Null where it is not there, or is not the user's alone. */
  readText: (name: string) => string | null
  /** Adds a line at the end. False where the file is not the user's alone. */
  append: (name: string, line: string) => boolean
}

/** A turn that is under way. */
export interface Turn {
  /** When it began, or last looked again, in milliseconds since the epoch. */
  began: number
  /** What was seen of files, by question. */
  seen: Map<string, unknown>
  /** What else holds until it ends, by what it is of. */
  kept: Map<object, unknown>
}

/**
 * The runtime's one way to its host. `package.json` maps `#disk` to the file system of Node, and elsewhere to
 * one in which nothing is found, so that nothing of Node is in the runtime's own modules. What is not there
 * gives null, and so does what this user may not look at; other failures throw.
 */
export interface Disk extends IndexFiles {
  cwd: () => string
  /** The user's own directory. */
  home: () => string
  /** Absolute, normalised. */
  resolve: (...parts: string[]) => string
  /** The path from one absolute directory to a file, `/`-separated; null where it does not lie inside. */
  inside: (directory: string, file: string) => string | null
  fromFileUrl: (url: string) => string | null
  toFileUrl: (path: string) => string
  /** Runs `work`, for which no file changes once it was looked at. Nested turns join the outer one. */
  turn: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** The turn that this is called in. */
  turnUnderWay?: () => Turn | undefined
  /** Lets the turn see everything as it is now, because what it saw is gone. */
  lookAgain: () => void
  isDirectory: (path: string) => boolean
  /** When an item was last added to a directory or removed, in ms since the epoch. */
  directoryTime: (path: string) => number | null
  list: (directory: string) => string[] | null
  /** The items of a directory. A link is `other`, whatever it leads to. */
  listed: (directory: string) => { name: string; kind: 'file' | 'folder' | 'other' }[] | null
  /** True for a directory that this user may not list, or may not even look for. */
  isRefused: (directory: string) => boolean
  /** Bytes of a file from `start` to `end`; null where it is gone or has not the size that it should. */
  readRange: (path: string, start: number, end: number, size: number) => Promise<Uint8Array | null>
  /** A file's real place, absolute, where that is in a folder's real place; else null. */
  realInside: (folder: string, file: string) => Promise<string | null>
  /** All bytes of a file inside a folder; null if it is gone, or a link leads outside. */
  readInside: (folder: string, path: string) => Promise<Uint8Array | null>
  /** SHA-256 of a file, hexadecimal. */
  digestFile: (path: string) => string | null
  /** The folder of the skills that the package ships; null where the package is not there as such. */
  libraryDirectory: () => string | null
  /** Imports a module; throws with `code` ERR_AGENT_APPS_UNCHECKED where its files lack the `digests`. */
  importModule: (path: string, digests?: ReadonlyMap<string, string>) => Promise<Record<string, unknown>>
  /** The user's own state; null where there is none, or where it lies in one of these folders, absolute. */
  userState: (projects: readonly string[]) => Promise<UserState | null>
  /** True where the program that runs is part of the project in a folder, absolute. Absent where no program has a folder. */
  isProgramOf?: (folder: string) => Promise<boolean>
  /** The compiler's reader; null where the deployment left it out. */
  loadParser: () => Promise<DiskParser | null>
}
