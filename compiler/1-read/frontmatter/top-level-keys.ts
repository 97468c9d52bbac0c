/** Where a key and its value begin. */
export interface KeyOffsets {
  /** Offset of the key. */
  key: number
  /** Offset of the value's first character, or of the line's end where the value begins below. */
  value: number
}

/** Finds single keys of frontmatter's top-level mapping, most without looking at the others. */
export function keyFinder(source: string): (name: string) => KeyOffsets | undefined {
  const found = new Map<string, KeyOffsets | undefined>()
  let all: Map<string, KeyOffsets> | undefined
  return name => {
    if (!found.has(name)) {
      const plain = plainKey(source, name)
      if (plain === undefined) all ??= topLevelKeys(source)
      found.set(name, plain ?? all?.get(name))
    }
    return found.get(name)
  }
}

/** A key that is written without quotes, and with nothing before its colon. */
function plainKey(source: string, name: string): KeyOffsets | undefined {
  const plain = `${name}:`
  for (let key = source.indexOf(plain); key !== -1; key = source.indexOf(plain, key + 1)) {
    BLANKS.lastIndex = key + plain.length
    const beginsLine = key === 0 || source.charAt(key - 1) === '\n'
    if (beginsLine && BLANKS.test(source)) return { key, value: BLANKS.lastIndex }
  }
  return undefined
}

const BLANKS = /(?=[ \t]|\r?(?:\n|$))[ \t]*/y

/**
 * Finds the keys of frontmatter's top-level mapping, as offsets into its text. In a block mapping exactly
 * these begin a line, so that no parser is needed. A mapping written in braces gives none.
 */
export function topLevelKeys(source: string): Map<string, KeyOffsets> {
  const offsets = new Map<string, KeyOffsets>()
  // A line begins only after a newline; `^` would also match after a CR or U+2028 inside a line.
  for (const match of source.matchAll(
    /(?<![^\n])(?:"([^"\n]*)"[ \t]*|'([^'\n]*)'[ \t]*|([^\s#"'[\]{}&*!|>%@`-][^:\n]*|-[^\s:][^:\n]*)):(?=[ \t]|\r?(?:\n|$))[ \t]*/g,
  )) {
    const name = match[1] ?? match[2] ?? match[3]?.trimEnd() ?? ''
    if (!offsets.has(name)) offsets.set(name, { key: match.index, value: match.index + match[0].length })
  }
  return offsets
}
