import { AgentAppsError } from '../base/error.js'

/** The most bytes that are read of a file that a directive names. */
export const INCLUDED_BYTES_MAX = 1024 * 1024

/** Returns the error for a file that a directive names and may not include. */
export function includeFailed(path: string, why: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('DIRECTIVE_FAILED', `the file ${JSON.stringify(path)} cannot be read: ${why}`, {
    hint: 'Name a text file of the skill’s folder, or of its path entry, by a path relative to the file that names it.',
    ...(cause !== undefined && { cause }),
  })
}

/** Returns the error for such a file that the system refuses to read. */
export function includeRefused(path: string, error: unknown): AgentAppsError {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return includeFailed(path, code === undefined ? String(message) : `the system refuses it (${code})`, error)
}
