/** The lines of a text, which end with LF, CR or CRLF. */
export class TextLines {
  private readonly starts: number[]

  /** @param firstLine the line of its file that the text begins with */
  constructor(
    private readonly text: string,
    private readonly firstLine: number,
  ) {
    this.starts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map(({ 0: end, index }) => index + end.length)]
  }

  /** The line and column of an offset, in the file of the text. */
  placeOf(offset: number): [line: number, column: number] {
    return [this.firstLine + this.lineOf(offset), offset - this.startOf(offset) + 1]
  }

  startOf(offset: number): number {
    return this.starts[this.lineOf(offset)] ?? 0
  }

  /** The start of the line after an offset's; the text's end after the last line. */
  nextStart(offset: number): number {
    return this.starts[this.lineOf(offset) + 1] ?? this.text.length
  }

  /** The number, from 0, of the line that holds an offset. */
  private lineOf(offset: number): number {
    let [low, high] = [0, this.starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.starts[middle] as number) <= offset) low = middle
      else high = middle
    }
    return low
  }
}
