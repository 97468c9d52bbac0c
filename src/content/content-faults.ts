import type { Diagnostic } from '../base/diagnostic.js'
import { AgentAppsError } from '../base/error.js'
import { brokenFault, mendFirst } from '../skill/skill-faults.js'

/** Returns the error for a text that includes itself. */
export function contentCycle(way: readonly string[]): AgentAppsError {
  return new AgentAppsError('CONTENT_CYCLE', `the content includes itself: ${way.join(' → ')}`, {
    hint: 'Take one of these directives out.',
  })
}

/** The most texts with directives of their own that one content may include, directly or indirectly. */
export const INCLUDED_MAX = 1000

/** Returns the error for a content that includes more than that. */
export function includesTooMuch(): AgentAppsError {
  return new AgentAppsError(
    'CONTENT_TOO_LARGE',
    `the content includes more than ${INCLUDED_MAX} texts with directives of their own`,
    { hint: 'Include less.' },
  )
}

/**
 * Returns the error for a content that, together with what it includes, takes too much computing. The part at
 * which the limit is reached varies.
 */
export function takesTooLong(): AgentAppsError {
  return new AgentAppsError(
    'CONTENT_TOO_LARGE',
    'finding the directives of the content and of all that it includes takes too long',
    { hint: 'Make it shorter, or include less.' },
  )
}

/** The most characters that all files read by one content may have together. */
export const READ_MAX = 32 * 1024 * 1024

/** Returns the error for a content that reads more than that. */
export function readsTooMuch(): AgentAppsError {
  return new AgentAppsError(
    'CONTENT_TOO_LARGE',
    `the content reads files of more than ${READ_MAX / 1024 / 1024} Mi characters`,
    { hint: 'Include less, or smaller files.' },
  )
}

/** The most characters that may be inserted for one content's directives. */
export const PLACED_MAX = 8 * 1024 * 1024

/** Returns the error for a content whose directives insert more than that. */
export function placesTooMuch(): AgentAppsError {
  return new AgentAppsError(
    'CONTENT_TOO_LARGE',
    `the directives of the content give more than ${PLACED_MAX / 1024 / 1024} Mi characters`,
    { hint: 'Include less.' },
  )
}

/** Returns the error for a directive whose code throws an error of its own. */
export function directiveFailed(name: string, cause: unknown): AgentAppsError {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new AgentAppsError('DIRECTIVE_FAILED', `the directive "${name}" failed: ${message}`, {
    hint: 'Correct what it was given, or the directive.',
    cause,
  })
}

/** The time limit for one call of a static directive, in ms. */
export const DIRECTIVE_TIME_LIMIT = 5000

/** Returns the error for a static directive that exceeds the time limit. */
export function directiveHangs(name: string): AgentAppsError {
  return new AgentAppsError(
    'DIRECTIVE_FAILED',
    `the directive "${name}" did not finish within ${DIRECTIVE_TIME_LIMIT / 1000} s`,
    { hint: 'Correct the directive, or what it was given.' },
  )
}

/**
 * Returns the error for a directive that names a skill which does not load. The diagnostic's file is relative
 * to its path entry.
 */
export function directiveSkillBroken(ref: string, broken: Diagnostic): AgentAppsError {
  const { message, hint } = brokenFault(broken)
  return new AgentAppsError('DIRECTIVE_FAILED', `the skill ${JSON.stringify(ref)} is broken: ${message}`, {
    hint: mendFirst(hint),
  })
}
