/** The line ending of most lines of a text; `\n` for a text without line breaks. */
export function lineEnding(text: string): '\n' | '\r\n' {
  let all = 0
  let windows = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    all++
    if (text.charCodeAt(at - 1) === 13) windows++
  }
  return windows * 2 > all ? '\r\n' : '\n'
}

export function withLineEnding(text: string, ending: '\n' | '\r\n'): string {
  return text.replace(/\r?\n/g, ending)
}

const BYTE_ORDER_MARK = '\uFEFF'

/** Gives a new text the line endings and the byte order mark of the old one. */
export function inStyleOf(old: string, text: string): string {
  const isWindows = lineEnding(old) === '\r\n'
  const own = isWindows ? withLineEnding(text, '\r\n') : text
  return old.startsWith(BYTE_ORDER_MARK) && !own.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + own : own
}
