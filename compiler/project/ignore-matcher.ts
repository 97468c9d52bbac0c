import { createRequire } from 'node:module'
import type picomatch from 'picomatch'
import { AgentAppsError } from '../../src/base/error.js'
import { compileGlob, GlobProblem } from '../../src/patterns/glob.js'
import { matchGlob } from '../../src/patterns/match-glob.js'

const require = createRequire(import.meta.url)

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
 * picomatch supports more, but can take exponential time: it is used only for syntax that our own globs lack.
 */
function matcherOf(pattern: string): (path: string) => boolean {
  try {
    const glob = compileGlob(pattern.replace(/^(?:\.\/)+/, ''))
    return path => matchGlob(glob, path)
  } catch (error) {
    if (!(error instanceof GlobProblem)) throw error
    if (!isBounded(pattern))
      throw tooCostly(pattern, `beside more than ${REPEATS_MAX} wildcards, ${error.message}`)
    if (hasOtherGroups(pattern)) throw tooCostly(pattern, 'a group in it could repeat in several ways')
    const matcher: typeof picomatch = require('picomatch')
    return matcher(pattern, { dot: true })
  }
}

const LENGTH_MAX = 1000
/** The most wildcards of a pattern. Each multiplies the time by the length of a path. */
const REPEATS_MAX = 3

function isBounded(pattern: string): boolean {
  const repeats = pattern.match(/\*+|\+|[?@!]\(|\{[^{}]*\.\./g) ?? []
  return pattern.length <= LENGTH_MAX && repeats.length <= REPEATS_MAX
}

/** `?(a|b)`, `+(a|b)`, `*(a|b)`, `@(a|b)` or `!(a|b)`, with nothing but plain text in it. */
const EXTGLOB = /([?+*@!])\(([\p{L}\p{N} ._|/-]*)\)/gu

/**
 * True for a pattern with a group other than an extglob, with one that is repeated by a `+` behind it, or with an
 * extglob that is ambiguous: each of these can take exponential time.
 */
function hasOtherGroups(pattern: string): boolean {
  if (/[)\]}]\+/.test(pattern)) return true
  const others = pattern.replace(EXTGLOB, (group, kind: string, inner: string) =>
    (kind === '+' || kind === '*') && isAmbiguous(inner.split('|')) ? group : '',
  )
  return /[()]/.test(others)
}

/** False only where no alternative begins with another one, or none ends with another one. */
function isAmbiguous(alternatives: readonly string[]): boolean {
  const somePair = (holds: (one: string, other: string) => boolean): boolean =>
    alternatives.some((one, at) => alternatives.some((other, index) => at !== index && holds(one, other)))
  return (
    alternatives.includes('') ||
    (somePair((one, other) => one.startsWith(other)) && somePair((one, other) => one.endsWith(other)))
  )
}

function tooCostly(pattern: string, problem: string): AgentAppsError {
  const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern
  return new AgentAppsError(
    'OPTIONS_INVALID',
    `The ignore pattern ${JSON.stringify(shown)} could take forever on a long path: ${problem}.`,
    { hint: 'Write it with *, ?, [a-z], [^a-z], {a,b} and ** alone, or as several patterns.' },
  )
}
