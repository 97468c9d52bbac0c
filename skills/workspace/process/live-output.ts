/** How often new output is reported, in ms. */
const REPORT_MS = 50
/** The most that is reported at once, in characters. */
const REPORT_MAX = 20_000

/** Output that is reported as it comes, as text, at most every `REPORT_MS`. */
export class LiveOutput {
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
