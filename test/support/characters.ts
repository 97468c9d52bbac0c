import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800

/**
 * Any character, for texts. It gives what fast-check gives for `binary`, which takes seconds to make a table of all
 * characters.
 */
export const character = fc
  .nat(0x10ffff - SURROGATES)
  .map(number => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES), numberOf)

function numberOf(text: unknown): number {
  if (typeof text !== 'string' || !/^[^\p{Surrogate}]$/su.test(text)) throw new Error('Not one character')
  const code = text.codePointAt(0) ?? 0
  return code < FIRST_SURROGATE ? code : code - SURROGATES
}
