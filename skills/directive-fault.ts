import { AgentAppsError } from 'agent-apps'

/** The error of a directive that cannot do what it says; where it stands is added to it. */
export function directiveFault(message: string, hint: string): AgentAppsError {
  return new AgentAppsError('DIRECTIVE_FAILED', message, { hint })
}
