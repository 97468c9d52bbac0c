import { isJsonObject } from '../../src/base/json.js'
import { cloneArguments } from '../schema/clone-arguments.js'
import type { InvokeOptions } from '../state/context.js'
import type { AgentPolicy } from '../state/policy.js'

/** Copies a call's options, inherited and unknown ones included, so that later changes do not reach it. */
export function ownOptions(options: InvokeOptions | undefined): InvokeOptions | undefined {
  if (!isJsonObject(options)) return options
  const own: InvokeOptions = {}
  for (const name in options) own[name as never] = options[name] as never
  own.policy = ownLimits(own.policy) as AgentPolicy | undefined
  return own
}

/** Copies a policy, or an agent's options, likewise. What is not an object is left for a check to refuse. */
export function ownLimits(limits: unknown): unknown {
  if (!isJsonObject(limits)) return limits
  const own: Record<string, unknown> = {}
  for (const name in limits) own[name] = cloneArguments(limits[name])
  return own
}
