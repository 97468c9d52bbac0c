/**
 * Compares strings by Unicode code point, with the same result on every machine and in every locale.
 * (JavaScript's own `<` compares UTF-16 units, which puts characters above U+FFFF before U+E000.)
 */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let position = 0; position < length; position++) {
    const left = a.charCodeAt(position)
    const right = b.charCodeAt(position)
    if (left !== right) return aboveSurrogates(left) - aboveSurrogates(right)
  }
  return a.length - b.length
}

/**
 * Returns strings sorted by code point. If none contains a character above U+FFFF, JavaScript's own order is
 * the same and many times faster.
 */
export function inCodePointOrder(texts: Iterable<string>): string[] {
  const sorted = [...texts].sort()
  return sorted.some(text => SURROGATE.test(text)) ? sorted.sort(byCodePoint) : sorted
}

const SURROGATE = /[\ud800-\udfff]/

/**
 * Moves the surrogate units above the rest of the first plane, where the characters that they encode belong.
 */
function aboveSurrogates(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
