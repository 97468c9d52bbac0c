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
  const { length } = text
  // A string that was put together is slow to look into. Behind the text stands a byte that is of no kind.
  if (bytes.length <= length) bytes = new Uint8Array(2 * length)
  // Any other character takes more bytes than there is room for.
  if (ENCODER.encodeInto(text, bytes.subarray(0, length)).read !== length) return null
  bytes[length] = NO_ASCII
  let tenths = 0
  for (let at = 0; at < length; ) {
    const kind = kindAt(at)
    const next = at + 1
    const leads = kind === SIGN || bytes[at] === SPACE
    if (kind === LETTER || (leads && kindAt(next) === LETTER)) {
      const end = endOf(next, LETTER)
      // A sign is often one token with the word after it, and as often a token of its own.
      tenths += 10 * Math.ceil((end - at) / 10) + (kind === SIGN ? 5 : 0)
      at = end
    } else if (kind === SIGN) {
      const end = endOf(next, SIGN)
      tenths += 10 * Math.ceil((end - at) / 3)
      at = end
    } else if (kind === DIGIT) {
      tenths += 10
      at = Math.min(endOf(next, DIGIT), at + 3)
    } else {
      tenths += 10
      at = endOfBlanks(at)
    }
  }
  return tenths
}

const ENCODER = new TextEncoder()
/** The bytes of the text that is estimated. */
let bytes = new Uint8Array(4096)

const SIGN = 0
const LETTER = 1
const DIGIT = 2
const BLANK = 3
const NONE = 4

const SPACE = 0x20
const NEWLINE = 0x0a
const NO_ASCII = 0xff

const KINDS = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (code >= 128) return NONE
  return /[A-Za-z]/.test(character)
    ? LETTER
    : /\d/.test(character)
      ? DIGIT
      : /\s/.test(character)
        ? BLANK
        : SIGN
})

function kindAt(at: number): number {
  return KINDS[bytes[at] as number] as number
}

/** The end of blanks that are one token: up to the last line break, or all of them without one. */
function endOfBlanks(at: number): number {
  const all = endOf(at, BLANK)
  let end = all
  while (end > at && bytes[end - 1] !== NEWLINE) end--
  return end === at ? all : end
}

/** The offset of the first character from `at` on with another kind. */
function endOf(at: number, kind: number): number {
  let end = at
  while (kindAt(end) === kind) end++
  return end
}
