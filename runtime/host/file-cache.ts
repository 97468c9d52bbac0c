/** A bounded folder of files that can be fetched again. Whoever reads one must check it. */
import { randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileCache } from './disk-seam.js'

/** The most bytes of all files together. Once there are more, the oldest go until a quarter of it is free. */
const BYTES_MAX = 512 * 1024 * 1024

/** The names of files that are kept: a kind and a digest. */
const NAME = /^[a-z]-[0-9a-f]{32,64}(?:\.json)?$/
/** A file that a process which ended was writing. */
const TEMPORARY = /^\.[0-9a-f-]{36}\.tmp$/

/**
 * Opens a cache in a folder, which is made. Its faults are misses: nothing is read from or written to a folder that
 * another user could have written.
 */
export function openFileCache(directory: string, most = BYTES_MAX): FileCache {
  let opening: Promise<number | null> | undefined
  /** The bytes of its files; null if it cannot be used. */
  let bytes: number | null = null
  const open = async (): Promise<boolean> => {
    opening ??= usedBytes(directory).catch(() => null)
    bytes ??= await opening
    return bytes !== null
  }
  return {
    async read(name, size) {
      try {
        const file = join(directory, name)
        if (!NAME.test(name) || !(await open())) return null
        const found = await lstat(file)
        return found.isFile() && found.size <= size ? await readFile(file) : null
      } catch {
        return null
      }
    },
    async write(name, content) {
      const temporary = join(directory, `.${randomUUID()}.tmp`)
      try {
        if (!NAME.test(name) || !(await open())) return
        await writeFile(temporary, content, { flag: 'wx', mode: 0o600 })
        await rename(temporary, join(directory, name))
        bytes = (bytes ?? 0) + content.length
        if (bytes > most) bytes = await removeOldest(directory, most * 0.75)
      } catch {
        await rm(temporary, { force: true }).catch(() => {})
      }
    },
  }
}

/** The bytes of all files, in a folder that is this user's alone. */
async function usedBytes(directory: string): Promise<number> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { uid, mode } = await stat(directory)
  // Windows has no such modes.
  const isMine = process.getuid === undefined || uid === process.getuid()
  if (!isMine || (process.platform !== 'win32' && (mode & 0o022) !== 0))
    throw new Error('others may write it')
  return (await filesIn(directory)).reduce((sum, { size }) => sum + size, 0)
}

async function removeOldest(directory: string, left: number): Promise<number> {
  const files = (await filesIn(directory)).sort((a, b) => a.mtimeMs - b.mtimeMs)
  let bytes = files.reduce((sum, { size }) => sum + size, 0)
  for (const { file, size } of files) {
    if (bytes <= left) break
    await rm(file, { force: true })
    bytes -= size
  }
  return bytes
}

/** The files of the cache, and no others. */
async function filesIn(directory: string): Promise<{ file: string; size: number; mtimeMs: number }[]> {
  const found: { file: string; size: number; mtimeMs: number }[] = []
  for (const name of await readdir(directory)) {
    const file = join(directory, name)
    if (!NAME.test(name) && !TEMPORARY.test(name)) continue
    const known = await lstat(file).catch(() => null)
    if (known?.isFile()) found.push({ file, size: known.size, mtimeMs: known.mtimeMs })
  }
  return found
}
