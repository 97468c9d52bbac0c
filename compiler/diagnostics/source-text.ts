import type { Place } from './diagnostics.js'

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

/** The same for many offsets of one text, whose lines are found no further than to the last of the offsets asked for. */
export function placesIn(text: string): (offset: number) => Place {
  const starts = [0]
  return offset => {
    let newline = text.indexOf('\n', starts.at(-1))
    while (newline !== -1 && newline < offset) {
      starts.push(newline + 1)
      newline = text.indexOf('\n', newline + 1)
    }
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

/** Where the line that begins at `start` ends: at its newline (a CR before it included in the line), or the text's end. */
export function lineEnd(text: string, start: number): number {
  const newline = text.indexOf('\n', start)
  return newline === -1 ? text.length : newline
}

/** Finds the place of a value, or of its key, in the author's file. */
export interface Locator {
  value: (field: string, ...inside: (string | number)[]) => Place
  key: (field: string, ...inside: string[]) => Place
  /** Where an offset of a text stands, if the text stands there as it reads; else where the text begins. */
  within: (text: string, offset: number, field: string, ...inside: (string | number)[]) => Place
}
