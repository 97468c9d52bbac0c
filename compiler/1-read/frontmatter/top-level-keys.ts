/** Where a key and its value begin. */
export interface KeyOffsets {
  /** Offset of the key. */
  key: number
  /** Offset of the value's first character, or of the line's end where the value begins below. */
  value: number
}

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
