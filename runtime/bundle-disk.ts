import type { Disk } from './disk-seam.js'

/** What a bundle holds of the files that it was made of. Paths are absolute, and nobody's: they begin where the bundle does. */
export interface BundledFiles {
  cwd: string
  /** Where the package's own skills lie; null where they are not searched. */
  library: string | null
  /** Indexes and their shards, by path. */
  texts: Record<string, string>
  /** SHA-256 of every text that a reader of these indexes asks for. */
  digests: Map<string, string>
  /** Skill files and resources, by path. */
  files: Record<string, BundledFile>
  /** What code and schemas were compiled to, by path. */
  modules: Record<string, () => Promise<Record<string, unknown>>>
}

/** A file's bytes in all, and where parts of it are ever read, the chunk that holds them. */
export type BundledFile = [size: number, load?: () => Promise<{ default: FileParts }>]

/** By `start-end`, in bytes: a text, or bytes that are none. */
export type FileParts = Record<string, string | { base64: string }>

/** The files of a bundle, in place of a file system. */
export function bundleDisk({ cwd, library, texts, digests, files, modules }: BundledFiles): Disk {
  const paths = [texts, files, modules].flatMap(Object.keys)
  const sizes = (path: string): number | undefined =>
    own(files, path)?.[0] ?? own(texts, path)?.length ?? (own(modules, path) && 0)

  async function part(path: string, start: number, end: number): Promise<Uint8Array | null> {
    const parts = (await own(files, path)?.[1]?.())?.default
    const found = parts && own(parts, `${start}-${end}`)
    return found === undefined ? null : bytesOf(found)
  }

  return {
    via: 'bundle',
    cwd: () => cwd,
    resolve: (...parts) => resolve(cwd, parts),
    inside,
    fromFileUrl: () => null,
    toFileUrl: path => `bundle://${encodeURI(path).replaceAll('#', '%23').replaceAll('?', '%3F')}`,
    stat(path) {
      const size = sizes(path)
      return size === undefined ? null : { size, mtimeMs: 0, ino: 0 }
    },
    isDirectory: path => paths.some(one => inside(path, one) !== null),
    directoryTime: () => null,
    list: () => null,
    readText: path => own(texts, path) ?? null,
    readRange: async (path, start, end, size) => (sizes(path) === size ? part(path, start, end) : null),
    isInside: async (folder, file) => inside(folder, file) !== null,
    async readInside(folder, path) {
      const file = resolve(folder, [path])
      return inside(folder, file) === null ? null : part(file, 0, sizes(file) ?? 0)
    },
    digestFile: () => null,
    // A text that nobody foresaw is none of these.
    digestText: text => digests.get(text) ?? '',
    libraryDirectory: () => library,
    importModule(path) {
      const load = own(modules, path)
      return load ? load() : Promise.reject(new Error(`There is no module ${path} in the bundle.`))
    },
    loadParser: async () => null,
  }
}

function own<Value>(record: Record<string, Value>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** The path that parts lead to, each from the one before. */
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
