import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

/** Some lines of a file, and data about the whole file. */
interface NumberedLines {
  text: string
  /** The number of lines of the file. */
  lines: number
  /** The last line that is shown; 0 for none. */
  last: number
  /** True if the file has more lines after those, or a line was cut. */
  truncated: boolean
  bytes: number
  /** SHA-256 of the whole file. */
  digest: string
}

/** Thrown for a file that is not UTF-8 text. */
export class NotText extends Error {}

const CHUNK = 256 * 1024
/** The characters of a line that are shown. */
const LINE_MAX = 2000

/**
 * Reads a file of any size once, chunk by chunk.
 *
 * @param from the first line to show, from 1
 * @param most the most lines to show
 * @param bound the most characters to show
 * @param check called before each chunk; throws to cancel
 * @throws NotText
 */
export async function numberedLines(
  handle: FileHandle,
  { from, most, bound }: { from: number; most: number; bound: number },
  check: () => void,
): Promise<NumberedLines> {
  const page = new Page(from, most, bound)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const digest = createHash('sha256')
  const buffer = Buffer.allocUnsafe(CHUNK)
  let bytes = 0
  for (;;) {
    check()
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, bytes)
    const chunk = buffer.subarray(0, bytesRead)
    if (chunk.includes(0)) throw new NotText()
    digest.update(chunk)
    page.take(decoded(decoder, chunk, bytesRead > 0))
    if (bytesRead === 0) break
    bytes += bytesRead
  }
  return { ...page.end(), bytes, digest: digest.digest('hex') }
}

function decoded(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(chunk, { stream })
  } catch (error) {
    throw error instanceof TypeError ? new NotText() : error
  }
}

/** Collects the lines of one page from the pieces of a text. */
class Page {
  readonly #shown: string[] = []
  #line = ''
  #number = 1
  #size = 0
  #last = 0
  #truncated = false
  #isEmpty = true

  constructor(
    readonly from: number,
    readonly most: number,
    readonly bound: number,
  ) {}

  take(text: string): void {
    if (text === '') return
    this.#isEmpty = false
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#add(text, start, end)
      this.#finish()
      start = end + 1
    }
    this.#add(text, start, text.length)
  }

  end(): Pick<NumberedLines, 'text' | 'lines' | 'last' | 'truncated'> {
    // The last line break of a file begins no line.
    if (this.#line !== '') this.#finish()
    const lines = this.#isEmpty ? 0 : this.#number - 1
    return { text: this.#shown.join('\n'), lines, last: this.#last, truncated: this.#truncated }
  }

  /** Adds a part of a line. For lines that are not shown, one character suffices. */
  #add(text: string, start: number, end: number): void {
    if (start === end) return
    const room = this.#isOnPage() ? LINE_MAX + 1 - this.#line.length : 1 - this.#line.length
    if (room > 0) this.#line += text.slice(start, Math.min(end, start + room))
  }

  #finish(): void {
    if (this.#isOnPage()) this.#show()
    else if (this.#number >= this.from) this.#truncated = true
    this.#line = ''
    this.#number++
  }

  #isOnPage(): boolean {
    return this.#number >= this.from && this.#shown.length < this.most && this.#size < this.bound
  }

  #show(): void {
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line
    const isLong = line.length > LINE_MAX
    const shown = `${String(this.#number).padStart(6)}\t${isLong ? `${line.slice(0, LINE_MAX)}…` : line}`
    if (this.#size > 0 && this.#size + shown.length > this.bound) {
      this.#size = this.bound
      this.#truncated = true
      return
    }
    if (isLong) this.#truncated = true
    this.#shown.push(shown)
    this.#size += shown.length + 1
    this.#last = this.#number
  }
}
