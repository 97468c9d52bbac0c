export interface KeyPlace {
  /** Offset of the key. */
  key: number
  /** Offset of the value's first character, or of the line's end where the value begins below. */
  value: number
}

/**
 * Where the keys of frontmatter's own mapping stand, as offsets into its text. In a block mapping they are
 * exactly what begins a line, so no parser is needed; a mapping written in braces has none here.
 */
export function topLevelKeys(source: string): Map<string, KeyPlace> {
  const places = new Map<string, KeyPlace>()
  // Only what follows a newline begins a line; `^` would also take a CR or U+2028 inside one.
  for (const match of source.matchAll(
    /(?<![^\n])(?:"([^"\n]*)"[ \t]*|'([^'\n]*)'[ \t]*|([^\s#"'[\]{}&*!|>%@`-][^:\n]*|-[^\s:][^:\n]*)):(?=[ \t]|\r?(?:\n|$))[ \t]*/g,
  )) {
    const name = match[1] ?? match[2] ?? match[3]?.trimEnd() ?? ''
    if (!places.has(name)) places.set(name, { key: match.index, value: match.index + match[0].length })
  }
  return places
}
