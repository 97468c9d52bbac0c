import { AgentAppsError, isAgentAppsError } from '../../src/base/error.js'

/** Throws RUN_ABORTED where a call is no longer wanted, so that nothing more is started for it. */
export function throwIfAborted({
  abort,
  tool,
}: {
  abort: AbortSignal | undefined
  tool: { name: string }
}): void {
  if (abort?.aborted) throw runAborted(tool.name, 'its signal was aborted', abort.reason)
}

/** A reason that is one of our errors says it best itself. */
export function runAborted(tool: string, why: string, cause?: unknown): AgentAppsError {
  if (isAgentAppsError(cause)) return cause
  return new AgentAppsError('RUN_ABORTED', `The run of "${tool}" goes no further: ${why}.`, {
    hint: 'Whoever called it no longer wants its result.',
    tool,
    cause,
  })
}
