/** Compares strings by code point, on every machine alike; JavaScript's `<` compares UTF-16 units. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let position = 0; position < length; position++) {
    const left = a.charCodeAt(position)
    const right = b.charCodeAt(position)
    if (left !== right) return aboveSurrogates(left) - aboveSurrogates(right)
  }
  return a.length - b.length
}

/** Sorts strings by code point, most of them in JavaScript's own order, which is many times faster. */
export function inCodePointOrder(texts: Iterable<string>): string[] {
  const sorted = [...texts].sort()
  return sorted.some(text => SURROGATE.test(text)) ? sorted.sort(byCodePoint) : sorted
}

const SURROGATE = /[\ud800-\udfff]/

/** Moves surrogates above the rest of the first plane, where the characters that they encode belong. */
function aboveSurrogates(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
