import { contentTooLarge } from './content-faults.js'

/** The most texts with directives that one content may include, directly or indirectly. */
const INCLUDED_MAX = 1000
/** The most characters that all files read by one content may have together, in Mi. */
const READ_MAX = 32
/** The most characters that may be inserted for one content's directives, in Mi. */
const PLACED_MAX = 8
const MI = 1024 * 1024

/** A file's text. Reading a file again within one content returns the same object. */
export interface ReadText {
  readonly text: string
  /** Relative to its path entry. */
  readonly file: string
}

/**
 * The work of one content with all that it includes, in one compile or rendering. They share its limits, so
 * that a content made to take long does not take as long again for each of its parts.
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

  /** Counts a text with directives. Throws CONTENT_TOO_LARGE. */
  include(): void {
    if (++this.included > INCLUDED_MAX)
      throw contentTooLarge(
        `the content includes more than ${INCLUDED_MAX} texts with directives of their own`,
      )
  }

  /** Counts a string that is inserted while compiling; rendering counts its own. Throws CONTENT_TOO_LARGE. */
  place(text: string): string {
    this.placed += text.length
    if (this.placed > PLACED_MAX * MI)
      throw contentTooLarge(`the directives of the content produce more than ${PLACED_MAX} Mi characters`)
    return text
  }

  /** Reads a file, once. Throws CONTENT_TOO_LARGE, and errors of `read`. */
  async readOnce(path: string, read: () => Promise<ReadText>): Promise<ReadText> {
    const known = this.files.get(path)
    if (known) return known
    const one = await read()
    this.read += one.text.length
    if (this.read > READ_MAX * MI)
      throw contentTooLarge(
        `the content reads files of more than ${READ_MAX} Mi characters`,
        'Include less, or smaller files.',
      )
    this.files.set(path, Object.freeze(one))
    return one
  }
}
