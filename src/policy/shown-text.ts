/** The most characters that a person can look through. */
const SHOWN_MAX = 2_000

/**
 * Control characters, ends of lines, halves of characters, and all that is not seen or turns the direction of writing,
 * such as Braille without a dot. Variation selectors of emoji hide nothing.
 */
const UNSEEN =
  /(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?![\ufe0e\ufe0f])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\ufff9-\ufffb]/gu

/** A string that is safe to show to a person: characters that could hide a part are written as escapes, and its end is cut. */
export function shownText(text: string): string {
  return cut(text, visibleText)
}

/** The lines of a string, each safe to show: the first ones up to a number, and the total. Tabs are visible. */
export function shownLines(text: string, most: number): { lines: string[]; count: number } {
  const all = text.replace(/\r?\n$/, '')
  let count = 1
  for (let at = all.indexOf('\n'); at !== -1; at = all.indexOf('\n', at + 1)) count++
  return { lines: all.split(/\r?\n/, most).map(line => cut(line, visibleLines)), count }
}

/** This many spaces could push the rest to the next line of a screen. */
const WIDE = /[\p{Zs}\t]{40,}/gu

function cut(text: string, seen: (text: string) => string): string {
  const shown = seen(text.slice(0, SHOWN_MAX)).replace(WIDE, run => `[${run.length} spaces]`)
  return text.length > SHOWN_MAX ? `${shown}… (${text.length} characters)` : shown
}

/** A string with an escape for each character that is invisible, or that changes how others are shown. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, escapeOf)
}

/** A string of several lines, each made visible. */
export function visibleLines(text: string): string {
  return text
    .split(/(\t|\r?\n)/)
    .map((part, at) => (at % 2 === 0 ? visibleText(part) : part))
    .join('')
}

/** JSON of the same value, with such characters written as JSON escapes. */
export function visibleJson(json: string): string {
  // Line breaks occur only between values.
  return json.replace(UNSEEN, character => (character === '\n' ? character : unitsOf(character)))
}

function unitsOf(character: string): string {
  const units = character.split('').map(unit => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return units.map(unit => `\\u${unit}`).join('')
}

function escapeOf(character: string): string {
  if (character === '\n') return '\\n'
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}
