import { estimateAsciiTokens } from './estimate-ascii-tokens.js'

/** Estimates a string's tokens, close to `o200k_base` and `cl100k_base`; see `bench/catalog-tokens.js`. */
export function estimateTokens(text: string): number {
  const ascii = estimateAsciiTokens(text)
  if (ascii !== null) return ascii
  let tokens = 0
  for (const [piece, sign, word, letters, ideograph, signs] of text.matchAll(PIECE)) {
    // A sign is often one token with the word after it, and as often a token of its own.
    if (word !== undefined) tokens += Math.ceil(piece.length / 10) + (sign === undefined ? 0 : 0.5)
    else if (letters !== undefined) tokens += Math.ceil(letters.length / 4)
    else if (ideograph !== undefined) tokens += 0.7
    else if (signs !== undefined) tokens += Math.ceil(signs.length / 3)
    else tokens++
  }
  return Math.ceil(tokens)
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
