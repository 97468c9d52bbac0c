import { AgentAppsError, isAgentAppsError } from 'agent-apps'

/** The error of a call that was aborted while it ran. A reason that is one of our errors says it best itself. */
export function callAborted(tool: string, reason: unknown): AgentAppsError {
  if (isAgentAppsError(reason)) return reason
  return new AgentAppsError('RUN_ABORTED', `The run of "${tool}" was ended: its signal was aborted.`, {
    hint: 'Whoever called it no longer wants its result.',
    tool,
    cause: reason,
  })
}
