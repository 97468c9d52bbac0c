import { AgentAppsError, type ToolContext } from 'agent-apps'

/** Throws RUN_ABORTED where a call is no longer wanted. Asked before each step that takes a while. */
export function mustGoOn({ signal }: Pick<ToolContext, 'signal'>): void {
  if (!signal.aborted) return
  throw new AgentAppsError('RUN_ABORTED', 'The call is no longer wanted.', {
    hint: 'Nothing was left half done.',
    cause: signal.reason,
  })
}
