import { AgentAppsError } from '../../src/base/error.js'
import { checkOptions, type OptionTable } from '../../src/base/options.js'
import { AGENT_TOOLS, APPROVAL, LIMITS, NAMED_AGENT, PATTERNS } from '../../src/policy/policy-options.js'
import type { SpawnPolicy } from '../../src/skill/tool-context.js'
import { UncopiedArguments } from '../schema/clone-arguments.js'
import { agentUnknown } from '../state/agent.js'
import type { Globals, UncheckedLimits } from '../state/context.js'
import type { AgentPolicy, NamedAgent, RuntimePolicy } from '../state/policy.js'

/** The limits of an agent. Patterns and permissions are read when a call is first decided about. */
export const POLICY: OptionTable<keyof AgentPolicy> = { allowedTools: PATTERNS, ...LIMITS }

/**
 * Checks the options of a runtime that limit agents and tools, once. The main entry does it at once; the slim one at the
 * first call that they limit.
 *
 * @throws OPTIONS_INVALID, since a misspelt limit would limit nothing
 */
export function checkLimits(globals: Globals): void {
  const { unchecked } = globals
  if (unchecked === undefined) return
  for (const [name, value] of Object.entries(unchecked as object))
    if (value instanceof UncopiedArguments) throw uncopied(name, value)
  const { policy, agents, config } = unchecked as UncheckedLimits
  if (policy) checkRuntimePolicy(policy)
  for (const agent of agents ?? []) checkNamedAgent(agent)
  if (config) checkConfig(config)
  delete globals.unchecked
}

/**
 * Checks the argument of `forAgent`.
 *
 * @throws OPTIONS_INVALID; AGENT_UNKNOWN for an id that no project can still define
 */
export function checkAgent(agent: unknown, globals: Globals): void {
  if (typeof agent !== 'string') {
    checkOptions('forAgent', agent as object, {
      ...POLICY,
      sessionId: 'string',
      agentId: 'string',
      userId: 'string',
      workspaceId: 'string',
    })
  } else expectAgent(agent, globals)
}

/**
 * Checks the argument of `spawn`: a policy, or the id of a named agent.
 *
 * @throws OPTIONS_INVALID for anything but limits that narrow; AGENT_UNKNOWN
 */
export function checkSpawned(given: SpawnPolicy | string, globals: Globals): void {
  const policy = typeof given === 'string' ? { agent: given } : given
  checkOptions('spawn', policy, { agent: 'string', ...LIMITS })
  if (policy.agent !== undefined) expectAgent(policy.agent, globals)
}

function expectAgent(agent: string, { config, configure }: Globals): void {
  if (!config.agents?.some(({ id }) => id === agent) && !configure && !config.projects)
    throw agentUnknown(agent)
}

function uncopied(option: string, { why, cause }: UncopiedArguments): AgentAppsError {
  return new AgentAppsError(
    'OPTIONS_INVALID',
    `The option \`${option}\` cannot be copied: its values ${why}.`,
    {
      hint: 'Give plain objects and arrays.',
      cause,
    },
  )
}

function checkRuntimePolicy(policy: RuntimePolicy): void {
  checkOptions('policy', policy, {
    ...LIMITS,
    approval: 'object',
    trust: 'object',
    guard: 'function',
    readAllowedTools: ['restrict', 'pre-approve'],
  })
  const { approval, trust } = policy
  if (trust) checkOptions('trust', trust, { project: ['ask', 'allow', 'deny'] })
  if (approval) checkOptions('approval', approval, APPROVAL)
}

function checkNamedAgent(agent: NamedAgent): void {
  checkOptions('agents', agent, NAMED_AGENT)
  checkOptions('tools', agent.tools ?? {}, AGENT_TOOLS)
}

function checkConfig(config: NonNullable<UncheckedLimits['config']>): void {
  checkOptions('config', config, { tools: 'object' })
  for (const [name, tool] of Object.entries(config.tools ?? {})) {
    checkOptions('config.tools', { [name]: tool }, { [name]: 'object' })
    const { enabled, timeoutMs } = tool
    checkOptions(`config.tools.${name}`, { enabled, timeoutMs }, { enabled: 'boolean', timeoutMs: 'number' })
  }
}
