import type { AsyncLocalStorage } from 'node:async_hooks'
import type { Stats } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isRefusal } from '../../src/base/refusal.js'
import type { DiskParser } from '../../src/content/disk-parser.js'
import { containsPrivateKey, looksSecret } from '../../src/skill/secrets.js'
import type { Disk, Turn } from './disk-seam.js'

/** The compiler's reader, by a name that bundlers do not follow: most applications never need a parser. */
const PARSER = ['agent-apps', 'compiler', 'disk'].join('/')

/** Not imported: an import loads all of its exports, streams included, at every start. */
const fs = process.getBuiltinModule('node:fs')
/** Some systems lack the last two. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants

/** The current turn. Made by the first turn. */
let turns: AsyncLocalStorage<Turn> | undefined

/** The folder of the package's skills, once found. */
let library: string | null = null

/** The file system of Node. Inside a turn, each file is looked at once. */
export const disk: Disk = {
  via: 'index',
  cwd: () => process.cwd(),
  home: () => process.getBuiltinModule('node:os').homedir(),
  resolve,
  inside(directory, file) {
    const path = relative(directory, file)
    return path === '' || path.startsWith('..') || isAbsolute(path) ? null : path.split(sep).join('/')
  },
  fromFileUrl(url) {
    try {
      return fileURLToPath(url)
    } catch {
      // No such file can exist: another host, or an encoded slash.
      return null
    }
  },
  toFileUrl: path => pathToFileURL(path).href,
  turn(work) {
    turns ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)()
    return turns.getStore()
      ? work()
      : turns.run({ began: Date.now(), seen: new Map(), kept: new Map() }, work)
  },
  turnUnderWay: () => turns?.getStore(),
  lookAgain() {
    const turn = turns?.getStore()
    if (turn) Object.assign(turn, { began: Date.now(), seen: new Map(), kept: new Map() })
  },
  stat(path) {
    const stat = statOf(path)
    return stat?.isFile() ? { size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino } : null
  },
  isDirectory: path => statOf(path)?.isDirectory() === true,
  directoryTime: path => statOf(path)?.mtimeMs ?? null,
  list: directory =>
    seen(`list ${directory}`, () => unlessRefused(() => orNull(() => fs.readdirSync(directory)))),
  listed: directory =>
    seen(`listed ${directory}`, () =>
      unlessRefused(() =>
        orNull(() =>
          fs.readdirSync(directory, { withFileTypes: true }).map(item => ({
            name: item.name,
            kind: item.isFile() ? 'file' : item.isDirectory() ? 'folder' : 'other',
          })),
        ),
      ),
    ),
  isRefused: directory =>
    seen(`refused ${directory}`, () => unlessRefused(() => orNull(() => fs.readdirSync(directory)) ?? [])) ===
    null,
  isLoaded: () => true,
  loadTexts: async () => {},
  readText: path => seen(`text ${path}`, () => (statOf(path)?.isFile() ? withFile(path, textOf) : null)),
  readRange: async (path, start, end, size) =>
    seen(`range ${start} ${end} ${size} ${path}`, () =>
      // Synchronous, since handing a few bytes to a thread takes longer than reading them.
      withFile(path, (file, stat) => (stat.size === size ? bytesOf(file, start, end) : null)),
    ),
  realInside: async (folder, file) => seen(`inside ${folder}\0${file}`, () => realInside(folder, file)),
  async readInside(folder, path) {
    const bytes = await seen(`bytes ${folder}\0${path}`, () => readInside(folder, path))
    // A copy, which the caller may change.
    return bytes && new Uint8Array(bytes)
  },
  digestFile: path => seen(`digest ${path}`, () => unlessRefused(() => withFile(path, digestPieces))),
  digestText: digestOf,
  digestOf,
  libraryDirectory() {
    // Cached, since listing the shadowed tools asks for each tool.
    library ??= findLibrary()
    return library
  },
  async importModule(path, digests) {
    if (!digests) return import(pathToFileURL(path).href)
    return (await import('./disk-imports.js')).importChecked(path, digests)
  },
  fileCache: async directory => (await import('./file-cache.js')).openFileCache(directory),
  userState: async projects => (await import('./state-directory.js')).userState(projects),
  isProgramOf: async folder => (await import('./main-module.js')).isProgramOf(folder),
  async loadParser() {
    try {
      const { parser }: { parser: DiskParser } = await import(PARSER)
      return parser
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null
      throw error
    }
  },
}

function findLibrary(): string | null {
  try {
    // By the package's name: in a bundled application, this file is elsewhere.
    return fileURLToPath(new URL('skills', import.meta.resolve('agent-apps/package.json')))
  } catch {
    return null
  }
}

/** Looks at a file; inside a turn, returns the result of the first such look. */
function seen<Sight>(question: string, look: () => Sight): Sight {
  const known = turns?.getStore()?.seen
  if (!known) return look()
  if (!known.has(question)) known.set(question, look())
  return known.get(question) as Sight
}

/** Loads `node:crypto` on demand, which takes longer than finding a tool. */
function digestOf(data: string | Uint8Array): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', data)
}

function textOf(file: number, { size }: Stats): string {
  const bytes = Buffer.allocUnsafe(size)
  return bytes.toString('utf8', 0, fs.readSync(file, bytes, 0, size, 0))
}

/** The bytes of a large file that are digested at a time. */
const PIECE = 1024 * 1024

function digestPieces(file: number, { size }: Stats): string | null {
  const digest = process.getBuiltinModule('node:crypto').createHash('sha256')
  for (let start = 0; start < size; start += PIECE) {
    const bytes = bytesOf(file, start, Math.min(start + PIECE, size))
    if (bytes === null) return null
    digest.update(bytes)
  }
  return digest.digest('hex')
}

/**
 * Opens a file and reads from it; null for anything else. A file may have become a pipe since the last look, which must
 * not block. Read no more than its size: some system files are regular, have no size, and never end.
 */
function withFile<Result>(path: string, read: (file: number, stat: Stats) => Result): Result | null {
  const file = orNull(() => fs.openSync(path, O_RDONLY | O_NONBLOCK))
  if (file === null) return null
  try {
    const stat = fs.fstatSync(file)
    return stat.isFile() ? read(file, stat) : null
  } finally {
    fs.closeSync(file)
  }
}

/** Null if the file has become shorter. */
function bytesOf(file: number, start: number, end: number): Uint8Array | null {
  const bytes = new Uint8Array(end - start)
  return fs.readSync(file, bytes, 0, bytes.length, start) === bytes.length ? bytes : null
}

async function readInside(folder: string, path: string): Promise<Uint8Array | null> {
  const real = realInside(folder, join(folder, path))
  if (real === null || looksSecret(real) || !statOf(real)?.isFile()) return null
  try {
    const bytes = await readReal(real)
    return bytes && containsPrivateKey(bytes) ? null : bytes
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

/** The bytes of a file at its real path; null if it was replaced by a link, or is not a file. */
async function readReal(real: string): Promise<Uint8Array | null> {
  const file = await fs.promises.open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
  try {
    const opened = await file.stat()
    const there = fs.lstatSync(real)
    const isThere =
      there.dev === opened.dev && there.ino === opened.ino && fs.realpathSync.native(real) === real
    return isThere && opened.isFile() ? await file.readFile() : null
  } finally {
    await file.close()
  }
}

/** The real path of a file; null if it is not inside the real path of a folder. */
function realInside(folder: string, file: string): string | null {
  const real = orNull(() => fs.realpathSync.native(file))
  const realFolder = orNull(() => fs.realpathSync.native(folder))
  return real !== null && realFolder !== null && real.startsWith(join(realFolder, sep)) ? real : null
}

function statOf(path: string): Stats | null {
  return seen(`stat ${path}`, () =>
    unlessRefused(() => orNull(() => fs.statSync(path, { throwIfNoEntry: false }) ?? null)),
  )
}

/** Null also for what this user may not read. */
function unlessRefused<Result>(read: () => Result): Result | null {
  try {
    return read()
  } catch (error) {
    if (isRefusal(error)) return null
    throw error
  }
}

/** The errors that mean that a path cannot exist. The last one is Node's code for a NUL byte. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

function orNull<Result>(read: () => Result): Result | null {
  try {
    return read()
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

function isAbsent(error: unknown): boolean {
  return ABSENT.has((error as NodeJS.ErrnoException).code ?? '')
}
