/** The start of a line before a block directive: only the marks of quotes and lists. */
const BLOCK_LEAD = /(?:^|[\r\n])[ \t>*+\-\d.)]*$/
const NAME = /[a-z][a-z0-9-]*/y
const INLINE = /:([a-z][a-z0-9-]*)[[{]/y

const COLON = 0x3a

/** The most characters before a block directive on its line. */
const LEAD_MAX = 200

/** The names in a Markdown text that may be directives, sorted; those in code and HTML too. */
export function directiveNames(text: string): string[] {
  const names = new Set<string>()
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let end = at + 1
    while (text.charCodeAt(end) === COLON) end++
    if (end - at > 1) {
      NAME.lastIndex = end
      const [name = ''] = NAME.exec(text) ?? []
      const isMeant = name !== '' && (beginsLine(text, at) || isMiswritten(text, at, end + name.length))
      if (isMeant) names.add(name)
      at = end - 1 + name.length
    } else {
      INLINE.lastIndex = at
      const name = INLINE.exec(text)?.[1]
      if (name && mayBeginDirective(text, at)) names.add(name)
    }
  }
  return [...names].sort()
}

/** True if nothing precedes a block directive on its line. */
export function beginsLine(text: string, at: number): boolean {
  return BLOCK_LEAD.test(text.slice(Math.max(0, at - LEAD_MAX), at))
}

/** True if a block directive seems to be written inside a line: worth reporting for a known name. */
function isMiswritten(text: string, start: number, end: number): boolean {
  return /[[{]/.test(text.charAt(end)) && mayBeginDirective(text, start)
}

/** False for a colon that follows a letter, a digit or a colon: `s3:GetObject`, `10:30am`, `std::vector`. */
export function mayBeginDirective(text: string, colon: number): boolean {
  return !/[\p{L}\p{N}:]$/u.test(text.slice(Math.max(0, colon - 2), colon))
}
