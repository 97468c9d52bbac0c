import { AgentAppsError } from '../src/base/error.js'

/** The error for a command line that is wrong, which exits with 2. */
export function usageError(message: string, hint: string): AgentAppsError {
  return new AgentAppsError('USAGE', message, { hint })
}
