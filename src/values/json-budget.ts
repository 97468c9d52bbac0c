/** Bytes reserved in every container for the mark that the rest was left out. */
const MARK = 26

/** The bytes of JSON that may still be written. A value that does not fit is left out, with everything after it. */
export class JsonBudget {
  #left: number

  constructor(maxBytes: number) {
    this.#left = maxBytes
  }

  get isFull(): boolean {
    return this.#left <= 0
  }

  hasRoomFor(bytes: number): boolean {
    return bytes <= this.#left
  }

  take(bytes: number): void {
    this.#left -= bytes
  }

  /** Takes the space of something that is written whole. False if there is not enough, and from then on. */
  takeWhole(bytes: number): boolean {
    if (bytes <= this.#left) {
      this.#left -= bytes
      return true
    }
    this.#left = 0
    return false
  }

  /** Returns a string, cut to the space left. */
  text(text: string): string {
    const whole = text.length < this.#left && jsonBytes(text)
    if (whole && whole <= this.#left) {
      this.#left -= whole
      return text
    }
    let bytes = jsonBytes('…')
    let end = 0
    for (const character of text) {
      bytes += jsonBytes(character) - 2
      if (bytes > this.#left) break
      end += character.length
    }
    this.#left = 0
    return `${text.slice(0, end)}…`
  }

  /** Writes the items of a container until the space ends; then `mark` replaces the rest. */
  items<Item, Written>(items: Iterable<Item>, write: (item: Item) => Written, mark: Written): Written[] {
    const written: Written[] = []
    this.#left -= MARK
    for (const item of items) {
      if (this.isFull) {
        written.push(mark)
        return written
      }
      this.#left--
      written.push(write(item))
    }
    if (!this.isFull) this.#left += MARK - 2
    return written
  }
}

/** Returns the number of bytes of a string as JSON in UTF-8, quotes included. */
export function jsonBytes(text: string): number {
  if (/^[ !#-[\]-~]*$/.test(text)) return text.length + 2
  let bytes = 2
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (character === '"' || character === '\\' || '\b\f\n\r\t'.includes(character)) bytes += 2
    else if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) bytes += 6
    else bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}
