import type { Diagnostic } from '../base/diagnostic.js'
import { AgentAppsError } from '../base/error.js'
import { brokenFault, mendFirst } from '../skill/skill-faults.js'

export function contentCycle(way: readonly string[]): AgentAppsError {
  return new AgentAppsError('CONTENT_CYCLE', `the content includes itself: ${way.join(' → ')}`, {
    hint: 'Take one of these directives out.',
  })
}

/** Returns the error for a content that exceeds a limit. */
export function contentTooLarge(message: string, hint = 'Include less.'): AgentAppsError {
  return new AgentAppsError('CONTENT_TOO_LARGE', message, { hint })
}

/** Returns the error for a content that, with all that it includes, takes too much computing. */
export function takesTooLong(): AgentAppsError {
  return contentTooLarge(
    'finding the directives of the content and of all that it includes takes too long',
    'Make it shorter, or include less.',
  )
}

function directiveFault(message: string, hint: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('DIRECTIVE_FAILED', message, { hint, cause })
}

/** Returns the error for a directive whose code throws another error. */
export function directiveFailed(name: string, cause: unknown): AgentAppsError {
  const message = cause instanceof Error ? cause.message : String(cause)
  const hint = 'Correct the directive or its arguments.'
  return directiveFault(`the directive "${name}" failed: ${message}`, hint, cause)
}

/** The time limit for one call of a static directive, in ms. */
export const DIRECTIVE_TIME_LIMIT = 5000

/** Returns the error for a static directive that exceeds the time limit. */
export function directiveHangs(name: string): AgentAppsError {
  const message = `the directive "${name}" did not finish within ${DIRECTIVE_TIME_LIMIT / 1000} s`
  return directiveFault(message, 'Correct the directive or its arguments.')
}

/** The error for a directive that names a broken skill, whose file is relative to its path entry. */
export function directiveSkillBroken(ref: string, broken: Diagnostic): AgentAppsError {
  const { message, hint } = brokenFault(broken)
  return directiveFault(`the skill ${JSON.stringify(ref)} is broken: ${message}`, mendFirst(hint))
}

/** The most bytes that are read of a file that a directive names. */
export const INCLUDED_BYTES_MAX = 1024 * 1024

/** Returns the error for a file that a directive names and may not include. */
export function includeFailed(path: string, why: string, cause?: unknown): AgentAppsError {
  const hint =
    'Name a text file in the skill’s folder or path entry, by a path relative to the file that names it.'
  return directiveFault(`the file ${JSON.stringify(path)} cannot be read: ${why}`, hint, cause)
}

/** Returns the error for such a file that the system refuses to read. */
export function includeRefused(path: string, error: unknown): AgentAppsError {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return includeFailed(path, code === undefined ? String(message) : `the system refuses it (${code})`, error)
}
