import { hash } from 'node:crypto'
import { constants, promises, readdirSync, readFileSync, type Stats, statSync } from 'node:fs'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { DiskParser } from '../src/directory-names.js'
import { looksSecret } from '../src/secrets.js'
import type { Disk } from './disk-seam.js'

/** The compiler's reader of skills, by a name that bundlers do not follow: an application must not carry a parser it may never need. */
const PARSER = ['agent-apps', 'compiler', 'disk'].join('/')

/** The file system of Node. */
export const disk: Disk | null = {
  via: 'index',
  cwd: () => process.cwd(),
  resolve,
  inside(directory, file) {
    const path = relative(directory, file)
    return path === '' || path.startsWith('..') || isAbsolute(path) ? null : path.split(sep).join('/')
  },
  fromFileUrl(url) {
    try {
      return fileURLToPath(url)
    } catch {
      // No such file can exist: a host that is not this one, or an encoded slash.
      return null
    }
  },
  toFileUrl: path => pathToFileURL(path).href,
  stat(path) {
    const stat = statOf(path)
    return stat?.isFile() ? { size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino } : null
  },
  isDirectory: path => statOf(path)?.isDirectory() === true,
  directoryTime: path => statOf(path)?.mtimeMs ?? null,
  list: directory => orNull(() => readdirSync(directory)),
  // A pipe would never end.
  readText: path => orNull(() => (statOf(path)?.isFile() ? readFileSync(path, 'utf8') : null)),
  async readRange(path, start, end, size) {
    // Without waiting: it may be a pipe.
    const file = await orNullAsync(() =>
      promises.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)),
    )
    if (file === null) return null
    try {
      if ((await file.stat()).size !== size) return null
      const bytes = new Uint8Array(end - start)
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
      return bytesRead === bytes.length ? bytes : null
    } finally {
      await file.close()
    }
  },
  isInside: async (folder, file) => (await realInside(folder, file)) !== null,
  async readInside(folder, path) {
    const real = await realInside(folder, join(folder, path))
    if (real !== null && looksSecret(basename(real))) return null
    return real !== null && statOf(real)?.isFile() ? orNullAsync(() => promises.readFile(real)) : null
  },
  digestFile: path => orNull(() => hash('sha256', readFileSync(path))),
  digestText: text => hash('sha256', text),
  digestOf: bytes => hash('sha256', bytes),
  libraryDirectory() {
    try {
      // By the package's name, as this file's own place is another one where an application was bundled.
      return fileURLToPath(new URL('skills', import.meta.resolve('agent-apps/package.json')))
    } catch {
      return null
    }
  },
  importModule: path => import(pathToFileURL(path).href),
  importChecked: async (...asked) => (await import('./disk-imports.js')).importChecked(...asked),
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

/** A file's real place, where that is inside a folder's; else null. */
async function realInside(folder: string, file: string): Promise<string | null> {
  const real = await orNullAsync(() => promises.realpath(file))
  const realFolder = await orNullAsync(() => promises.realpath(folder))
  return real !== null && realFolder !== null && real.startsWith(join(realFolder, sep)) ? real : null
}

function statOf(path: string): Stats | null {
  return orNull(() => statSync(path, { throwIfNoEntry: false }) ?? null)
}

/** What says that nothing can lie at a path; the last one is Node's word for a NUL byte in it. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

function orNull<Result>(read: () => Result): Result | null {
  try {
    return read()
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

async function orNullAsync<Result>(read: () => Promise<Result>): Promise<Result | null> {
  try {
    return await read()
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

function isAbsent(error: unknown): boolean {
  return ABSENT.has((error as NodeJS.ErrnoException).code ?? '')
}
