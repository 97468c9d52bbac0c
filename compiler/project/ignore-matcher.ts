import picomatch from 'picomatch'
import { AgentAppsError } from '../../src/base/error.js'
import { compileGlob, GlobProblem } from '../../src/patterns/glob.js'
import { matchGlob } from '../../src/patterns/match-glob.js'

/**
 * True for the paths, relative to a directory, that its ignore patterns exclude.
 *
 * @throws OPTIONS_INVALID for a pattern that could take for ever
 */
export function ignoreMatcher(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.map(matcherOf)
  return path => matchers.some(matches => matches(path))
}

/**
 * picomatch knows more, but takes exponential time: it is asked only about what our own globs do not have.
 */
function matcherOf(pattern: string): (path: string) => boolean {
  try {
    const glob = compileGlob(pattern.replace(/^(?:\.\/)+/, ''))
    return path => matchGlob(glob, path)
  } catch (error) {
    if (!(error instanceof GlobProblem)) throw error
    if (!isBounded(pattern)) throw tooCostly(pattern, error.message)
    return picomatch(pattern, { dot: true })
  }
}

const LENGTH_MAX = 1000
/** What repeats, of which each multiplies the time by the length of a path. */
const REPEATS_MAX = 3

function isBounded(pattern: string): boolean {
  const repeats = pattern.match(/\*+|\+|[?@!]\(|\{[^{}]*\.\./g) ?? []
  return pattern.length <= LENGTH_MAX && repeats.length <= REPEATS_MAX
}

function tooCostly(pattern: string, problem: string): AgentAppsError {
  const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern
  return new AgentAppsError(
    'OPTIONS_INVALID',
    `The ignore pattern ${JSON.stringify(shown)} could take for ever on a long path: beside more than ${REPEATS_MAX} wildcards, ${problem}.`,
    { hint: 'Write it with *, ?, [a-z], [^a-z], {a,b} and ** alone, or as several patterns.' },
  )
}
