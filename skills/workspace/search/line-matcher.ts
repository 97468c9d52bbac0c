import { linearPattern, PatternRefused, TextTooLong } from '../../../src/schema/linear-pattern.js'
import { patternRefused } from '../tree/path-pattern.js'

/** Matches lines in bounded time, for every pattern and line. */
export interface LineMatcher {
  /** True if a line matches; null if it is too long for the pattern. */
  test: (line: string) => boolean | null
  /** A text that every matching line contains; empty if none is known. */
  needs: string
}

/** The most steps for a line, some ten milliseconds. */
const STEPS_MAX = 4_000_000

/**
 * Compiles a regular expression. The host's engine, which is much faster, matches lines for which its time is bounded; our
 * engine matches others, in linear time.
 *
 * @throws PATTERN_REFUSED
 */
export function lineMatcher(pattern: string, ignoreCase: boolean): LineMatcher {
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern) && !ignoreCase)
    return { test: line => line.includes(pattern), needs: pattern }
  const linear = compiled(pattern, ignoreCase)
  const native = new RegExp(linear.source, ignoreCase ? 'iu' : 'u')
  const longest = longestForHost(linear.source)
  const test = (line: string): boolean | null => {
    if (line.length <= longest) return native.test(line)
    if (line.length * linear.size > STEPS_MAX) return null
    try {
      return linear.test(line)
    } catch (error) {
      if (error instanceof TextTooLong) return null
      throw error
    }
  }
  return { test, needs: ignoreCase ? '' : neededText(linear.source) }
}

function compiled(pattern: string, ignoreCase: boolean): ReturnType<typeof linearPattern> {
  try {
    return linearPattern(pattern, undefined, ignoreCase)
  } catch (error) {
    if (!(error instanceof PatternRefused)) throw error
    throw patternRefused(
      pattern,
      error.message,
      'Write a regular expression, with \\ before special characters that are meant literally.',
    )
  }
}

const CLASS_OR_ESCAPE = /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/gu

/**
 * The longest line that a backtracking engine matches within the steps. Unless they are nested, each repetition and
 * alternative multiplies the paths to try by the length of the line at most.
 */
function longestForHost(source: string): number {
  const bare = source.replace(CLASS_OR_ESCAPE, 'x')
  if (/\)[*+?{]|\(\?[=!<]/.test(bare)) return 0
  const ways = bare.match(/[*+|]|(?<!\()\?|\{\d+(?:,\d*)?\}/g)?.length ?? 0
  return Math.floor(STEPS_MAX ** (1 / (ways + 1)))
}

/** The longest text that every match of a pattern without alternatives and groups contains. */
function neededText(source: string): string {
  if (/[|(]/.test(source.replace(CLASS_OR_ESCAPE, 'x'))) return ''
  const bare = source.replace(CLASS_OR_ESCAPE, '\0')
  const pieces = bare.replace(/[\s\S](?:[*?]|\{\d+(?:,\d*)?\})\??/gu, '\0').split(/[\0.^$+]/)
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '')
}
