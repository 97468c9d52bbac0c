import { AgentAppsError } from 'agent-apps'

/** Returns the error of a directive that fails; its location is added later. */
export function directiveFault(message: string, hint: string): AgentAppsError {
  return new AgentAppsError('DIRECTIVE_FAILED', message, { hint })
}
