/**
 * Commands as one script, whose compiled code is kept for the next process. From 22.8 on, Node itself keeps that of modules.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'

/** Windows lacks the last. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants

/** The module that a process without kept code loads. */
type Commands = typeof import('./run-command.js')
/** The value of the script, which `scripts/bundle-package.js` makes. */
type Load = (
  module: { exports: unknown },
  require: NodeJS.Require,
  meta: Partial<ImportMeta>,
  importModule: (specifier: string) => Promise<unknown>,
) => void

/** It lies in the compiler's folder, because it finds the compiler's workers and the library from there. */
const SCRIPT = new URL('../compiler/commands.cjs', import.meta.url)
const DIGEST_BYTES = 32
/** Many times what a command needs. */
const KEPT_MAX = 2 ** 25

/**
 * Loads a command from the script. V8 runs kept code unchecked, so code that another user could have written is not used.
 *
 * @param cache the folder that contains those of each version of Node and each user
 * @returns undefined if no code can be kept; `keep`, called once the command has run,
 *   keeps the code that it needed, unless that came from the cache
 */
export function loadKept(cache: string, name: string): { commands: Commands; keep: () => void } | undefined {
  const folder = join(cache, `${process.version}-${process.arch}-${process.getuid?.() ?? 'user'}`)
  if (!makePrivate(folder)) return undefined
  const file = join(folder, name)
  const source = readFileSync(SCRIPT)
  const cachedData = readKept(file, source)
  // The script is ASCII, which latin1 reads fastest. Its name is a URL, as in the stacks of other modules.
  const script = new Script(source.toString('latin1'), { filename: SCRIPT.href, cachedData })
  const module = { exports: {} as Commands }
  const load = script.runInThisContext() as Load
  const meta = { url: SCRIPT.href, resolve: import.meta.resolve }
  load(module, createRequire(SCRIPT), meta, specifier => import(specifier))
  const isUsed = cachedData !== undefined && !script.cachedDataRejected
  return {
    commands: module.exports,
    keep: () => {
      if (!isUsed) writeKept(file, source, script.createCachedData())
    },
  }
}

/** Makes a folder if it is missing. False if it cannot be made, or others may write to it. */
function makePrivate(folder: string): boolean {
  try {
    // Its parents get the usual mode.
    mkdirSync(dirname(folder), { recursive: true })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    return false
  }
  const stats = lstatSync(folder)
  return stats.isDirectory() && isPrivate(stats)
}

/** True if a file or folder is this user's, and only this user may write to it. Windows has no such modes. */
function isPrivate({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}

/** Kept code, if it is whole and was made of this source. V8 itself compares only its own version and the source's length. */
function readKept(file: string, source: Buffer): Buffer | undefined {
  let opened: number
  try {
    // Not to wait for a writer, where the path holds a pipe.
    opened = openSync(file, O_RDONLY | O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    // The opened file is checked, because the path could be given another file in between.
    const stats = fstatSync(opened)
    if (!stats.isFile() || !isPrivate(stats) || stats.size > KEPT_MAX) return undefined
    const kept = readFileSync(opened)
    const code = kept.subarray(DIGEST_BYTES)
    return digestOf(source, code).equals(kept.subarray(0, DIGEST_BYTES)) ? code : undefined
  } finally {
    closeSync(opened)
  }
}

/** Failing to write costs only time: the next process compiles the script again. */
function writeKept(file: string, source: Buffer, code: Buffer): void {
  const temporary = `${file}.${process.pid}`
  try {
    writeFileSync(temporary, Buffer.concat([digestOf(source, code), code]), { flag: 'wx', mode: 0o600 })
    renameSync(temporary, file)
  } catch {
    rmSync(temporary, { force: true, recursive: true })
  }
}

function digestOf(source: Buffer, code: Buffer): Buffer {
  return createHash('sha256').update(source).update(code).digest()
}
