/** Estimates a string's tokens, close to `o200k_base` and `cl100k_base`; see `bench/catalog-tokens.js`. */
export function estimateTokens(text: string): number {
  return Math.ceil(estimateTenths(text) / 10)
}

/** Estimates a string's tokens in tenths, which add up without rounding. */
export function estimateTenths(text: string): number {
  const ascii = estimateAsciiTenths(text)
  if (ascii !== null) return ascii
  let tenths = 0
  for (const [piece, sign, word, letters, ideograph, signs] of text.matchAll(PIECE)) {
    // A sign is often one token with the word after it, and as often a token of its own.
    if (word !== undefined) tenths += 10 * Math.ceil(piece.length / 10) + (sign === undefined ? 0 : 5)
    else if (letters !== undefined) tenths += 10 * Math.ceil(letters.length / 4)
    else if (ideograph !== undefined) tenths += 7
    else if (signs !== undefined) tenths += 10 * Math.ceil(signs.length / 3)
    else tenths += 10
  }
  return tenths
}

/** Scripts that are written without spaces. */
const IDEOGRAPH = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]`

/** About one token: a word with the sign or space before it, an ideograph, signs, digits, spaces. */
const PIECE = new RegExp(
  [
    String.raw`(?:([^\s\p{L}\p{N}])| )?([\p{Script=Latin}\p{M}]+)`,
    String.raw` ?((?:(?!${IDEOGRAPH}|\p{Script=Latin})\p{L}\p{M}*)+)`,
    `(${IDEOGRAPH})`,
    String.raw`([^\s\p{L}\p{N}]+)`,
    String.raw`\p{N}{1,3}`,
    String.raw`\s*\n`,
    String.raw`[^\S\n]+`,
  ].join('|'),
  'gu',
)

/**
 * Estimates the tokens of an ASCII string, in tenths; null for any other. It counts the matches of `PIECE` in
 * a tenth of their time.
 */
function estimateAsciiTenths(text: string): number | null {
  let tenths = 0
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at)
    const next = at + 1
    const leads = kind === SIGN || text.charCodeAt(at) === SPACE
    if (kind === LETTER || (leads && kindAt(text, next) === LETTER)) {
      const end = endOf(text, next, LETTER)
      // A sign is often one token with the word after it, and as often a token of its own.
      tenths += 10 * Math.ceil((end - at) / 10) + (kind === SIGN ? 5 : 0)
      at = end
    } else if (kind === SIGN) {
      const end = endOf(text, next, SIGN)
      tenths += 10 * Math.ceil((end - at) / 3)
      at = end
    } else if (kind === DIGIT) {
      tenths += 10
      at = Math.min(endOf(text, next, DIGIT), at + 3)
    } else if (kind === BLANK) {
      tenths += 10
      at = endOfBlanks(text, at)
    } else return null
  }
  return tenths
}

const SIGN = 0
const LETTER = 1
const DIGIT = 2
const BLANK = 3
const NONE = 4

const SPACE = 0x20
const NEWLINE = 0x0a

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[A-Za-z]/.test(character)
    ? LETTER
    : /\d/.test(character)
      ? DIGIT
      : /\s/.test(character)
        ? BLANK
        : SIGN
})

/** The kind of the character at an offset; `NONE` behind the end, where a look into the table would take much longer. */
function kindAt(text: string, at: number): number {
  const code = at < text.length ? text.charCodeAt(at) : KINDS.length
  return code < KINDS.length ? (KINDS[code] as number) : NONE
}

/** The end of blanks that are one token: up to the last line break, or all of them without one. */
function endOfBlanks(text: string, at: number): number {
  const all = endOf(text, at, BLANK)
  let end = all
  while (end > at && text.charCodeAt(end - 1) !== NEWLINE) end--
  return end === at ? all : end
}

/** The offset of the first character from `at` on with another kind. */
function endOf(text: string, at: number, kind: number): number {
  let end = at
  while (kindAt(text, end) === kind) end++
  return end
}
