import { createRequire } from 'node:module'
import type { ParseError } from 'jsonc-parser'
import type { Place } from './diagnostics.js'
import { placeAt } from './source-text.js'

const require = createRequire(import.meta.url)

/**
 * Says where a text stops being JSON, and why, as the end of a sentence about it.
 *
 * @param error what `JSON.parse` threw, whose message differs between versions of Node and may have no line
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
  try {
    parseTree(text, errors, { disallowComments: true })
  } catch {
    // Nested too deep for a parser that calls itself; `JSON.parse` has said what is wrong.
  }
  return errors
}

// `PropertyNameExpected` becomes `property name expected`.
function inWords(code: string): string {
  return code.replaceAll(/\B[A-Z]/g, letter => ` ${letter}`).toLowerCase()
}
