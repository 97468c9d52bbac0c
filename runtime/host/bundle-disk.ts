import { shardOf } from '../../src/index/index-format.js'
import type { Disk } from './disk-seam.js'
import { bundleReplaced } from './later.js'

/** The files of a bundle. Paths are absolute, below the bundle's own root. */
interface BundledFiles {
  cwd: string
  /** The folder of the package's own skills; null if they are not searched. */
  library: string | null
  /** Indexes, by path. */
  texts: Record<string, string>
  /** Shards of indexes with their SHA-256, by path. */
  shards: Record<string, () => Promise<{ default: [text: string, digest: string] }>>
  /** SHA-256 of every text that is digested when these indexes are read, except the shards. */
  digests: Map<string, string>
  /** Bytes of skill files and resources, by path. */
  sizes: () => Record<string, number>
  /** The tables of file parts; a path is in number `shardOf(path, count)`. */
  tables: (() => Promise<{ default: FileTable }>)[]
  /** The compiled modules of code and schemas, by path. */
  modules: Record<string, () => Promise<Record<string, unknown>>>
}

/** The chunks with the parts of files, by path. */
type FileTable = Record<string, () => Promise<{ default: FileParts }>>

/** Parts keyed by their range `start-end` in bytes. Bytes that are not UTF-8 are base64. */
type FileParts = Record<string, string | { base64: string }>

/** The `#disk` of a bundle, set by its entry: chunks import this module, so it holds no contents. */
export let disk: Disk

/** Makes a bundle's files the `#disk`, in place of an older bundle's. Returns the options given. */
export function overBundle<Options>(bundled: BundledFiles, options: Options): Options {
  disk = bundleDisk(bundled)
  return options
}

function bundleDisk(bundled: BundledFiles): Disk {
  const { cwd, library, texts, shards, digests, modules } = bundled
  let read: Record<string, number> | undefined
  const sizes = (): Record<string, number> => {
    read ??= bundled.sizes()
    return read
  }
  const sizeOf = (path: string): number | undefined =>
    own(texts, path)?.length ?? (own(modules, path) && 0) ?? own(sizes(), path)
  return {
    via: 'bundle',
    cwd: () => cwd,
    home: () => cwd,
    resolve: (...parts) => resolve(cwd, parts),
    inside,
    fromFileUrl: () => null,
    toFileUrl: path => `bundle://${encodeURI(path).replaceAll('#', '%23').replaceAll('?', '%3F')}`,
    stat(path) {
      const size = sizeOf(path)
      return size === undefined ? null : { size, mtimeMs: 0, ino: 0 }
    },
    isDirectory: directory =>
      [texts, sizes(), modules].some(known =>
        Object.keys(known).some(path => inside(directory, path) !== null),
      ),
    // Nothing in a bundle changes.
    turn: work => work(),
    lookAgain() {},
    directoryTime: () => null,
    list: () => null,
    listed: () => null,
    isRefused: () => false,
    readText: path => own(texts, path) ?? null,
    isLoaded: path => own(shards, path) === undefined || own(texts, path) !== undefined,
    async loadTexts(paths) {
      await Promise.all(paths.map(path => loadText(bundled, path)))
    },
    readRange: (path, start, end) => readPart(bundled, path, start, end),
    realInside: async (folder, file) => (inside(folder, file) === null ? null : file),
    async readInside(folder, path) {
      const file = resolve(folder, [path])
      return inside(folder, file) === null ? null : readPart(bundled, file, 0, sizeOf(file) ?? 0)
    },
    digestFile: () => null,
    // A digest that matches no index.
    digestText: text => digests.get(text) ?? '',
    // A bundle is not verified: its index comes in the same file as what it describes.
    digestOf: () => '',
    libraryDirectory: () => library,
    importModule: path => importModule(bundled, path),
    userState: async () => null,
    loadParser: async () => null,
  }
}

async function loadText({ digests, shards, texts }: BundledFiles, path: string): Promise<void> {
  const loaded = await own(shards, path)?.().catch(bundleReplaced)
  if (!loaded) return
  const [text, digest] = loaded.default
  texts[path] = text
  digests.set(text, digest)
}

async function readPart(
  { tables }: BundledFiles,
  path: string,
  start: number,
  end: number,
): Promise<Uint8Array | null> {
  const table = (await tables[shardOf(path, tables.length)]?.().catch(bundleReplaced))?.default
  const parts = (await (table && own(table, path))?.().catch(bundleReplaced))?.default
  const found = parts && own(parts, `${start}-${end}`)
  return found === undefined ? null : bytesOf(found)
}

async function importModule({ modules }: BundledFiles, path: string): Promise<Record<string, unknown>> {
  const load = own(modules, path)
  if (!load) throw new Error(`There is no module ${path} in the bundle.`)
  return load().catch(bundleReplaced)
}

function own<Value>(record: Record<string, Value>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Resolves parts, each from the one before. */
function resolve(from: string, parts: readonly string[]): string {
  const names: string[] = []
  const joined = parts.reduce((path, next) => (next.startsWith('/') ? next : `${path}/${next}`), from)
  for (const name of joined.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return `/${names.join('/')}`
}

function inside(directory: string, file: string): string | null {
  const start = directory === '/' ? '/' : `${directory}/`
  return file.startsWith(start) && file.length > start.length ? file.slice(start.length) : null
}

function bytesOf(part: string | { base64: string }): Uint8Array {
  return typeof part === 'string'
    ? new TextEncoder().encode(part)
    : Uint8Array.from(atob(part.base64), character => character.charCodeAt(0))
}
