import { createRequire } from 'node:module'
import type { ParseError } from 'jsonc-parser'
import { orNull } from '../../src/base/attempt.js'
import type { Place } from './diagnostics.js'

const require = createRequire(import.meta.url)

/** The place of an offset in a text, in UTF-16 units. */
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

/** Returns a function that converts offsets in a text to places. It searches lines only as far as needed. */
export function placesIn(text: string): (offset: number) => Place {
  const starts = [0]
  /** The first newline behind the starts, once it was looked for; a long line is searched once. */
  let newline: number | undefined
  return offset => {
    newline ??= text.indexOf('\n')
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

/**
 * The end of the line that begins at `start`: the offset of its LF, or the text's end. A CR belongs to the
 * line.
 */
export function lineEnd(text: string, start: number): number {
  const newline = text.indexOf('\n', start)
  return newline === -1 ? text.length : newline
}

/** Finds the places of keys and values of frontmatter in the author's file. */
export interface Locator {
  value: (field: string, ...inside: (string | number)[]) => Place
  key: (field: string, ...inside: string[]) => Place
  /** The place of an offset in a string value that the file contains verbatim; else the value's place. */
  within: (text: string, offset: number, field: string, ...inside: (string | number)[]) => Place
}

/**
 * Returns where a text stops being JSON, and why, as the end of a sentence about it.
 *
 * @param error the error of `JSON.parse`, whose message differs between versions of Node and may have no line
 */
export function jsonFault(text: string, error: unknown): { place: Place; problem: string } {
  // Loaded here, because most JSON has no fault.
  const parser: typeof import('jsonc-parser') = require('jsonc-parser')
  const [first] = syntaxErrors(text, parser)
  const place = placeAt(text, first?.offset ?? 0)
  if (!first) return { place, problem: `is not JSON: ${(error as Error).message}` }
  return { place, problem: `is not JSON here: ${inWords(parser.printParseErrorCode(first.error))}` }
}

function syntaxErrors(text: string, { parseTree }: typeof import('jsonc-parser')): ParseError[] {
  const errors: ParseError[] = []
  // JSON may be nested too deep for this recursive parser. `JSON.parse` has reported the fault.
  orNull(() => parseTree(text, errors, { disallowComments: true }))
  return errors
}

// `PropertyNameExpected` becomes `property name expected`.
function inWords(code: string): string {
  return code.replaceAll(/\B[A-Z]/g, letter => ` ${letter}`).toLowerCase()
}
