import type { FileHandle } from 'node:fs/promises'

/** The most bytes of an output that are shown: its start, and more of its end. */
const SHOWN_MAX = 50_000
const HEAD_MAX = 9_500
const TAIL_MAX = 40_000
/** The most bytes of an output that are stored. */
const KEPT_MAX = 100 * 2 ** 20

export interface OutputFile {
  path: string
  handle: FileHandle
}

interface ShownOutput {
  text: string
  isTruncated: boolean
  /** The file with the whole output, if not all is shown. */
  file: string | null
}

/** The output of a command, reported live and bounded. A file stores an output that is too long to show. */
export class CommandOutput {
  private size = 0
  private head = Buffer.alloc(0)
  private rest: Buffer[] = []
  private restSize = 0
  private file: OutputFile | undefined
  /** The last part, or the one in progress. */
  private taking = Promise.resolve()
  private readonly live: LiveOutput

  /**
   * @param report gets the live output, part by part
   * @param openFile creates the file for a long output
   */
  constructor(
    report: (text: string) => void,
    private readonly openFile: () => Promise<OutputFile>,
  ) {
    this.live = new LiveOutput(report)
  }

  readonly take = (part: Buffer): Promise<void> => {
    this.live.take(part)
    this.taking = this.keep(part)
    return this.taking
  }

  private async keep(part: Buffer): Promise<void> {
    if (this.file === undefined && this.size + part.length > SHOWN_MAX) {
      this.file = await this.openFile()
      await this.file.handle.write(this.kept())
    }
    const room = KEPT_MAX - this.size
    if (this.file && room > 0) await this.file.handle.write(part.subarray(0, room))
    this.size += part.length
    this.show(part)
  }

  private show(part: Buffer): void {
    const room = HEAD_MAX - this.head.length
    if (room > 0) this.head = Buffer.concat([this.head, part.subarray(0, room)])
    const rest = part.subarray(Math.max(room, 0))
    this.rest.push(rest)
    this.restSize += rest.length
    if (this.file === undefined) return
    for (
      let [oldest] = this.rest;
      oldest && this.restSize - oldest.length >= TAIL_MAX;
      [oldest] = this.rest
    ) {
      this.rest.shift()
      this.restSize -= oldest.length
    }
  }

  private kept(): Buffer {
    return Buffer.concat([this.head, ...this.rest])
  }

  async close(): Promise<void> {
    this.live.end()
    // Waits for a file that is being opened. The caller of `take` gets its error.
    await this.taking.catch(() => {})
    await this.file?.handle.close()
  }

  shown(): ShownOutput {
    const { file } = this
    if (file === undefined) return { text: textOf(this.kept(), SHOWN_MAX), isTruncated: false, file: null }
    const head = textOf(this.head, HEAD_MAX).replace(/[^\n]*$/, '')
    const tail = textOf(Buffer.concat(this.rest).subarray(-TAIL_MAX), TAIL_MAX).replace(
      /^[^\n]{0,2000}\n/,
      '',
    )
    const left = this.size - Buffer.byteLength(head) - Buffer.byteLength(tail)
    const where = this.size > KEPT_MAX ? `Its first ${KEPT_MAX} bytes are` : 'All of it is'
    return {
      text: `${head}[${left} of ${this.size} bytes are left out here. ${where} in ${file.path}]\n${tail}`,
      isTruncated: true,
      file: file.path,
    }
  }
}

/** The text of bytes, or its end: invalid UTF-8 takes more bytes as text. */
function textOf(bytes: Buffer, most: number): string {
  const text = bytes.toString('utf8')
  if (Buffer.byteLength(text) <= most) return text
  return Buffer.from(text)
    .subarray(-most)
    .toString('utf8')
    .replace(/^\uFFFD+/, '')
}

/** The interval of reports, in ms. */
const REPORT_MS = 50
/** The most characters of a report. */
const REPORT_MAX = 20_000

/** Reports output as text while it comes, at most every `REPORT_MS`. */
class LiveOutput {
  private readonly decoder = new TextDecoder()
  private pending = ''
  private skipped = 0
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly report: (text: string) => void) {}

  take(part: Buffer): void {
    this.pending += this.decoder.decode(part, { stream: true })
    const over = this.pending.length - REPORT_MAX
    if (over > 0) {
      this.pending = this.pending.slice(over)
      this.skipped += over
    }
    if (this.timer) return
    this.flush()
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.flush()
    }, REPORT_MS)
  }

  end(): void {
    clearTimeout(this.timer)
    this.pending += this.decoder.decode()
    this.flush()
  }

  private flush(): void {
    const { pending, skipped } = this
    if (pending === '') return
    this.pending = ''
    this.skipped = 0
    this.report(skipped > 0 ? `[${skipped} characters are not shown live]\n${pending}` : pending)
  }
}
