import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, isAbsolute, join } from 'node:path'
import { within } from '../../../workspace/wall/place.js'
import type { Workspace } from '../../../workspace/wall/workspace.js'
import { patternRefused } from '../tree/path-pattern.js'
import type { Found, Search } from './found-lines.js'

interface RipgrepRun extends Search {
  /** The program, absolute. */
  program: string
  /** The working directory, real. */
  folder: string
  /** The folder or file to search in it. */
  target: string
  /** A glob for the names of files. */
  names: string | null
  signal: AbortSignal | undefined
  /** True if matches in a file count. */
  counts: (path: string) => boolean
}

/**
 * Runs ripgrep, without a shell, its configuration or the environment.
 *
 * @throws PATTERN_REFUSED
 */
export function runRipgrep(run: RipgrepRun): Promise<Found> {
  const { program, folder, signal } = run
  return new Promise((resolve, reject) => {
    const child = spawn(program, argumentsOf(run), {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : {},
      windowsHide: true,
    })
    const output = new Output(run, () => child.kill('SIGKILL'))
    let errors = ''
    const stop = (): void => void child.kill('SIGKILL')
    signal?.addEventListener('abort', stop, { once: true })
    // It may have aborted before.
    if (signal?.aborted) stop()
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => output.take(chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (errors.length < ERRORS_MAX) errors += chunk
    })
    child.on('error', reject)
    child.on('close', code => {
      signal?.removeEventListener('abort', stop)
      // Unreadable files are skipped, so that errors are about the pattern.
      if (code === 2 && /regex|parse error|too big/i.test(errors)) reject(refusal(run.pattern, errors))
      else resolve(output.end())
    })
  })
}

const ERRORS_MAX = 10_000

function argumentsOf({ pattern, ignoreCase, mode, context, target, names }: RipgrepRun): string[] {
  return [
    '--no-config',
    '--no-messages',
    '--color=never',
    '--hidden',
    '--no-require-git',
    '--no-ignore-global',
    '--null',
    ...(mode === 'files' ? ['--files-with-matches'] : []),
    ...(mode === 'count' ? ['--count', '--with-filename'] : []),
    ...(mode === 'content'
      ? ['--no-heading', '--with-filename', '--line-number', '--max-columns=4000', '--max-columns-preview']
      : []),
    ...(mode === 'content' && context > 0 ? [`--context=${context}`] : []),
    ...(ignoreCase ? ['--ignore-case'] : ['--case-sensitive']),
    // Matches in secret files are dropped later.
    '--iglob=!.git',
    // Unlike a glob, a type does not bring back what is ignored.
    ...(names === null ? [] : [`--type-add=wanted:${names}`, '--type=wanted']),
    `--regexp=${pattern}`,
    '--',
    target,
  ]
}

function refusal(pattern: string, errors: string): Error {
  const line = errors.split('\n').findLast(one => one.startsWith('error:')) ?? errors
  const why = line
    .replace(/^error:/, '')
    .trim()
    .replace(/\.$/, '')
  return patternRefused(pattern, why, "Use ripgrep's syntax of regular expressions.")
}

/** Reads ripgrep's output, and stops it once there is enough. */
class Output {
  readonly #found: Found = { lines: [], files: [], truncated: false, passed: 0 }
  readonly #counts = new Map<string, boolean>()
  #rest = ''
  #count = 0

  constructor(
    readonly run: RipgrepRun,
    readonly stop: () => void,
  ) {}

  take(chunk: string): void {
    if (this.#found.truncated) return
    const separator = this.run.mode === 'files' ? '\0' : '\n'
    const records = (this.#rest + chunk).split(separator)
    this.#rest = records.pop() ?? ''
    for (const record of records) {
      if (this.run.mode === 'content') this.#line(record)
      else this.#file(record)
      if (this.#found.truncated) return this.stop()
    }
  }

  end(): Found {
    return this.#found
  }

  /** `path NUL number : text`, with `-` instead of `:` for a line around a match. */
  #line(record: string): void {
    const [, path = '', number = '', sign, text = ''] = /^([^\0]*)\0(\d+)([:-])(.*)$/s.exec(record) ?? []
    if (number === '') return
    const own = ownPath(path)
    if (!this.#isCounted(own)) return
    const isMatch = sign === ':'
    if (isMatch && this.#isFull()) return
    this.#found.lines.push({ path: own, number: Number(number), text: text.replace(/\r$/, ''), isMatch })
    if (isMatch) this.#count++
  }

  #file(record: string): void {
    const [path = '', count = '1'] = record.split('\0')
    const own = ownPath(path)
    if (path === '' || !this.#isCounted(own) || this.#isFull()) return
    this.#found.files.push({ path: own, count: Number(count) })
    this.#count++
  }

  #isFull(): boolean {
    this.#found.truncated = this.#count >= this.run.limit
    return this.#found.truncated
  }

  #isCounted(path: string): boolean {
    const known = this.#counts.get(path) ?? this.run.counts(path)
    this.#counts.set(path, known)
    return known
  }
}

function ownPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\.\//, '')
}

const found = new WeakMap<Workspace, Promise<string | null>>()

/** The ripgrep for a workspace; null if there is none. */
export function ripgrepFor(workspace: Workspace): Promise<string | null> {
  const known = found.get(workspace) ?? findRipgrep(workspace)
  found.set(workspace, known)
  return known
}

/** The installed package's, or else the first in PATH, outside of what agents may write. */
async function findRipgrep({ folders, project }: Workspace): Promise<string | null> {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg'
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map(folder => join(folder, name))
  const installed = installedRipgrep()
  for (const path of installed === null ? onPath : [installed, ...onPath]) {
    const real = await programAt(path)
    // An agent could have put its own program there.
    const isOurs =
      real !== null &&
      [...folders, ...(path === installed ? [] : [project])].some(folder => within(folder, real) !== null)
    if (real !== null && !isOurs) return real
  }
  return null
}

/** The program of the installed package, beside agent-apps or above it. */
function installedRipgrep(): string | null {
  try {
    const { rgPath } = createRequire(import.meta.url)('@vscode/ripgrep') as { rgPath?: unknown }
    return typeof rgPath === 'string' ? rgPath : null
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_REQUIRE_ESM') return null
    throw error
  }
}

async function programAt(path: string): Promise<string | null> {
  try {
    const real = await realpath(path)
    await access(real, constants.X_OK)
    return (await stat(real)).isFile() ? real : null
  } catch {
    // Missing or not executable.
    return null
  }
}
