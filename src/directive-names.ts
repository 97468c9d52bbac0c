/** Before a directive of a block, on its line: nothing but what Markdown puts before what lies in quotes and lists. */
const BLOCK_LEAD = /(?:^|[\r\n])[ \t>*+\-\d.)]*$/
const BLOCK_NAME = /:*([a-z][a-z0-9-]*)/y
const INLINE = /:([a-z][a-z0-9-]*)[[{]/y

const [COLON, SMALL_A, SMALL_Z] = [0x3a, 0x61, 0x7a]

/** What stands before a directive of a block on its line, at most. */
const LEAD_MAX = 200

/**
 * The names in a Markdown text that would be directives where tools of these names are: sorted, each once. Whether one
 * stands in code or HTML takes a parser to say.
 */
export function directiveNames(text: string): string[] {
  const names = new Set<string>()
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const next = text.charCodeAt(at + 1)
    if (next === COLON) {
      BLOCK_NAME.lastIndex = at
      const [written = '::', name] = BLOCK_NAME.exec(text) ?? []
      if (name && BLOCK_LEAD.test(text.slice(Math.max(0, at - LEAD_MAX), at))) names.add(name)
      at += written.length - 1
    } else if (next >= SMALL_A && next <= SMALL_Z) {
      INLINE.lastIndex = at
      const name = INLINE.exec(text)?.[1]
      if (name && mayBeginDirective(text, at)) names.add(name)
    }
  }
  return [...names].sort()
}

/** False for a colon that follows a letter, a digit or a colon: `s3:GetObject`, `10:30am`, `std::vector`. */
export function mayBeginDirective(text: string, colon: number): boolean {
  return !/[\p{L}\p{N}:]$/u.test(text.slice(Math.max(0, colon - 2), colon))
}
