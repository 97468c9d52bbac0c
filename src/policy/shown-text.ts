/** As much of a text as a person can look through. */
const SHOWN_MAX = 2_000

/** Control characters, what turns the direction of writing, and what is not seen. */
const UNSEEN = /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** A text as a person may be shown it: what could hide a part of it is written as an escape, and its end is cut. */
export function shownText(text: string): string {
  const escaped = visibleText(text.slice(0, SHOWN_MAX))
  return text.length > SHOWN_MAX ? `${escaped}… (${text.length} characters)` : escaped
}

/** A text with an escape for each character that is not seen, or that changes how others are. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, escapeOf)
}

function escapeOf(character: string): string {
  if (character === '\n') return '\\n'
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}
