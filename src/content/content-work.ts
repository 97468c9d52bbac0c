import {
  INCLUDED_MAX,
  includesTooMuch,
  PLACED_MAX,
  placesTooMuch,
  READ_MAX,
  readsTooMuch,
} from './content-faults.js'

/** A file's text. Reading a file again within one content returns the same object. */
export interface ReadText {
  readonly text: string
  /** Relative to its path entry. */
  readonly file: string
}

/**
 * The resources that one content uses together with all that it includes, in each compile and in each
 * rendering. The limits are shared, so a content that was made to take long does not take as long again for
 * each of its parts.
 */
export class ContentWork {
  /** The computing time that is left for finding directives, in ms. */
  computing = 2000
  private included = 0
  private placed = 0
  private read = 0
  private readonly files = new Map<string, ReadText>()

  get isSpent(): boolean {
    return this.computing <= 0
  }

  /** Counts a text that has directives of its own. Throws CONTENT_TOO_LARGE. */
  include(): void {
    if (++this.included > INCLUDED_MAX) throw includesTooMuch()
  }

  /**
   * Counts a text that is inserted for a directive while compiling; rendering counts everything that it
   * inserts. Throws CONTENT_TOO_LARGE.
   */
  place(text: string): string {
    this.placed += text.length
    if (this.placed > PLACED_MAX) throw placesTooMuch()
    return text
  }

  /** Reads a file, once. Throws CONTENT_TOO_LARGE, and what `read` throws. */
  async readOnce(path: string, read: () => Promise<ReadText>): Promise<ReadText> {
    const known = this.files.get(path)
    if (known) return known
    const one = await read()
    this.read += one.text.length
    if (this.read > READ_MAX) throw readsTooMuch()
    this.files.set(path, Object.freeze(one))
    return one
  }
}
