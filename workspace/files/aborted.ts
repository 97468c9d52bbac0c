import { AgentAppsError, isAgentAppsError, type ToolContext } from 'agent-apps'

/** Throws RUN_ABORTED if a call is no longer wanted. Called before each step that takes a while. */
export function throwIfAborted({ signal }: Pick<ToolContext, 'signal'>): void {
  if (!signal.aborted) return
  throw new AgentAppsError('RUN_ABORTED', 'The call was aborted.', {
    hint: 'Nothing was left half done.',
    cause: signal.reason,
  })
}

/** The error of a call that was aborted while it ran. A reason that is one of our errors says it best itself. */
export function callAborted(tool: string, reason: unknown): AgentAppsError {
  if (isAgentAppsError(reason)) return reason
  return new AgentAppsError('RUN_ABORTED', `The run of "${tool}" was ended: its signal was aborted.`, {
    hint: 'The caller no longer wants its result.',
    tool,
    cause: reason,
  })
}
