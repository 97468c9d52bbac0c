import { containsPrivateKey, KEY_BYTES } from '../../../src/skill/secrets.js'
import type { Place } from '../../../workspace/wall/place.js'
import type { Workspace } from '../../../workspace/wall/workspace.js'
import type { PathPattern } from '../tree/path-pattern.js'
import { Pause, walkTree } from '../tree/walk-tree.js'
import type { Found, FoundLine, Search } from './found-lines.js'
import { type LineMatcher, lineMatcher } from './line-matcher.js'

/** The most bytes of a file; larger ones are not searched. */
const FILE_MAX = 32 * 1024 * 1024
/** The bytes at the start of a file in which a NUL means that it is binary. */
const START = 8192

/**
 * Searches the files of a folder in this process.
 *
 * @throws PATTERN_REFUSED
 */
export async function scanFolder(
  start: Place,
  workspace: Workspace,
  search: Search,
  glob: PathPattern | null,
  check: () => void,
): Promise<Found> {
  const scan = new Scan(search, check)
  await walkTree(start, workspace, {
    check,
    enters: () => true,
    take: item => {
      if (item.kind !== 'file' || (glob && !glob.matches(item.path))) return undefined
      return scan.take(item.path, item.folder.read(item.name, FILE_MAX))
    },
  })
  return scan.found
}

export async function scanFile(
  path: string,
  bytes: Buffer,
  search: Search,
  check: () => void,
): Promise<Found> {
  const scan = new Scan(search, check)
  await scan.take(path, bytes)
  return scan.found
}

class Scan {
  readonly found: Found = { lines: [], files: [], truncated: false, passed: 0 }
  readonly #matcher: LineMatcher
  readonly #needs: Buffer
  readonly #pause: Pause
  /** The count towards the limit so far: lines, or files. */
  #count = 0

  constructor(
    readonly search: Search,
    check: () => void,
  ) {
    this.#matcher = lineMatcher(search.pattern, search.ignoreCase)
    this.#needs = Buffer.from(this.#matcher.needs)
    this.#pause = new Pause(check)
  }

  /** Searches a file. False once enough is found; a promise only if there is something to search. */
  take(path: string, bytes: Buffer | null): Promise<boolean> | undefined {
    if (bytes === null || bytes.length === 0) return undefined
    if (this.#needs.length > 0 && !bytes.includes(this.#needs)) return undefined
    if (bytes.subarray(0, START).includes(0) || containsPrivateKey(bytes.subarray(0, KEY_BYTES)))
      return undefined
    return this.#search(path, bytes.toString())
  }

  async #search(path: string, text: string): Promise<boolean> {
    const { mode, context } = this.search
    const around = new Around(path, context, this.found.lines)
    let count = 0
    let number = 0
    for (let start = 0; start < text.length; ) {
      if (this.#pause.isDue()) await this.#pause.take()
      const end = text.indexOf('\n', start)
      const line = lineBetween(text, start, end)
      start = end === -1 ? text.length : end + 1
      number++
      const isMatch = this.#matcher.test(line)
      if (isMatch === null) this.found.passed++
      if (isMatch) {
        if (this.#isFull(count)) return false
        count++
        if (mode === 'content') this.#count++
        if (mode === 'files') break
      }
      if (mode === 'content') around.take(number, line, isMatch === true)
    }
    if (count > 0) this.found.files.push({ path, count })
    if (count > 0 && mode !== 'content') this.#count++
    return true
  }

  /** True if one more match would exceed the limit. */
  #isFull(countInFile: number): boolean {
    const { mode, limit } = this.search
    if (this.#count < limit || (mode !== 'content' && countInFile > 0)) return false
    this.found.truncated = true
    return true
  }
}

function lineBetween(text: string, start: number, end: number): string {
  const stop = end === -1 ? text.length : end
  return text.slice(start, stop > start && text.charCodeAt(stop - 1) === 13 ? stop - 1 : stop)
}

/** Collects matches and the lines around them. */
class Around {
  readonly #before: FoundLine[] = []
  #after = 0

  constructor(
    readonly path: string,
    readonly context: number,
    readonly lines: FoundLine[],
  ) {}

  take(number: number, text: string, isMatch: boolean): void {
    const line = { path: this.path, number, text, isMatch }
    if (isMatch) {
      this.lines.push(...this.#before.splice(0), line)
      this.#after = this.context
    } else if (this.#after > 0) {
      this.lines.push(line)
      this.#after--
    } else if (this.context > 0) {
      this.#before.push(line)
      if (this.#before.length > this.context) this.#before.shift()
    }
  }
}
