import { thrownText } from '../../src/base/attempt.js'
import { AgentAppsError } from '../../src/base/error.js'
import type { Globals } from '../state/context.js'
import { addDiagnostic } from '../state/globals.js'

/** The time limits of `init`, of each other hook, and of the wait for running calls, in milliseconds. */
export const INIT_LIMIT = 30_000
export const HOOK_LIMIT = 10_000
export const DRAIN_LIMIT = 10_000

/** The error for a call of a deactivated tool. */
export function toolInactive(tool: string): AgentAppsError {
  return new AgentAppsError('TOOL_INACTIVE', `The tool "${tool}" is not active.`, {
    hint: `\`runtime.activate(${JSON.stringify(tool)})\` makes it available again.`,
    tool,
  })
}

export function initFailed(tool: string, why: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('INIT_FAILED', `The tool "${tool}" is not initialised: ${why}.`, {
    hint: 'Correct what it needs, and call `runtime.activate` or `runtime.reload`, which try again.',
    tool,
    cause,
  })
}

/** Notes that a tool is left out because it could not be initialised. */
export function noteInitFails(file: string, error: AgentAppsError, globals: Globals): void {
  addDiagnostic(globals, {
    file,
    rule: 'init-fails',
    severity: 'error',
    reason: error.message.replace(/\.$/, ''),
    note: 'Correct what it needs; until then the tool is left out.',
  })
}

/** Notes that a hook other than `init` failed. */
export function noteHookFails(
  tool: string,
  file: string,
  hook: string,
  error: unknown,
  globals: Globals,
): void {
  addDiagnostic(globals, {
    file,
    rule: 'hook-fails',
    severity: 'warning',
    reason: `The hook "${hook}" of "${tool}" fails: ${thrownText(error)}`,
    note: 'Correct the hook; the runtime went on without it.',
  })
}
