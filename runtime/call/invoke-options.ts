import { definedFields } from '../../src/base/json.js'
import { checkOptions, type OptionTable } from '../../src/base/options.js'
import { LIMITS } from '../../src/policy/policy-options.js'
import { POLICY } from '../options/check-limits.js'
import type { Context, Globals, InvokeOptions } from '../state/context.js'
import { emptyCascades } from '../state/globals.js'
import type { RunContext } from './run-context.js'

const OPTIONS: OptionTable<keyof InvokeOptions> = {
  signal: 'object',
  as: ['code', 'agent'],
  nonlocals: 'object',
  policy: 'object',
  sessionId: 'string',
  messageId: 'string',
  callId: 'string',
  agentId: 'string',
  userId: 'string',
  workspaceId: 'string',
  timeoutMs: 'number',
}

/** Checks the options of a call, and returns the runtime that the call is made in. Throws OPTIONS_INVALID. */
export function prepareCall(
  own: Globals,
  options: InvokeOptions | undefined,
  caller: RunContext | undefined,
): Globals {
  if (options !== undefined) checkInvokeOptions(options, caller !== undefined)
  return caller?.ownLocals ? callGlobals(caller) : own
}

/**
 * Checks the options of `invoke`. A misspelt limit would allow everything.
 *
 * @throws OPTIONS_INVALID
 * @param isInside true inside a call, where a policy may only narrow
 */
function checkInvokeOptions(options: InvokeOptions, isInside: boolean): void {
  checkOptions('invoke', options, OPTIONS)
  if (options.policy !== undefined) checkOptions('policy', options.policy, isInside ? LIMITS : POLICY)
}

/**
 * Returns the runtime as the tools that a call starts have it: with the path entries and the directory that were set
 * in its `locals.config`. Throws OPTIONS_INVALID for values that `createRuntime` would refuse.
 */
export function callGlobals({ globals, locals: { config } }: Context): Globals {
  const { paths = globals.config.paths, cwd = globals.config.cwd } = config
  if (paths === globals.config.paths && cwd === globals.config.cwd) return globals
  checkOptions('locals.config', definedFields({ paths, cwd }), { paths: 'paths', cwd: 'string' })
  const { own = globals } = globals
  return Object.assign(Object.create(globals) as Globals, {
    own,
    config: { ...globals.config, paths: [...paths], cwd },
    // Cascades follow from the main skills that are found, which are others here.
    cache: { ...globals.cache, ...emptyCascades() },
  })
}
