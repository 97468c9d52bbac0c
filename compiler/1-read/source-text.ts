import type { Place } from '../diagnostics.js'

/** The line and column, from 1, of an offset into a text (UTF-16 units). */
export function placeAt(text: string, offset: number): Place {
  let line = 1
  let lineStart = 0
  for (
    let newline = text.indexOf('\n');
    newline !== -1 && newline < offset;
    newline = text.indexOf('\n', lineStart)
  ) {
    line++
    lineStart = newline + 1
  }
  return { line, column: offset - lineStart + 1 }
}

/** Where the line that begins at `start` ends: at its newline (a CR before it included in the line), or the text's end. */
export function lineEnd(text: string, start: number): number {
  const newline = text.indexOf('\n', start)
  return newline === -1 ? text.length : newline
}
