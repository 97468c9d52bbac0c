import { isJsonObject } from '../../src/base/json.js'
import { checkOptions, type OptionTable } from '../../src/base/options.js'
import type { SpawnPolicy } from '../../src/skill/tool-context.js'
import type { CallIds, InvokeOptions, ToolConfig } from '../state/context.js'
import type { AgentPolicy, NamedAgent, RuntimePolicy } from '../state/policy.js'

/** An agent: its limits, and the ids that its calls have unless they are given others. */
export interface AgentOptions extends AgentPolicy, Omit<CallIds, 'callId' | 'messageId'> {}

/** The limits of an agent. Patterns and permissions are read when a call is first decided about. */
export const POLICY: OptionTable<keyof AgentPolicy> = {
  allowedTools: 'patterns',
  allow: 'patterns',
  deny: 'patterns',
  permissions: 'strings',
  rules: 'patterns',
}

/** The limits of an agent that another one, or a tool, spawns: those that can only narrow. */
export const SPAWN_POLICY = (({ allowedTools: _, ...limits }) => limits)(POLICY)

/** A copy of the policy of an agent that is spawned. Throws OPTIONS_INVALID. */
export function checkSpawned(policy: SpawnPolicy): SpawnPolicy {
  const own = ownPolicy(policy)
  checkOptions('spawn', own, SPAWN_POLICY)
  return own
}

/** Copies a call's options, inherited and unknown ones included, so that later changes do not reach it. */
export function ownOptions(options: InvokeOptions | undefined): InvokeOptions | undefined {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options
  const { signal, as, nonlocals, policy } = options
  const { sessionId, messageId, callId, agentId, userId, workspaceId } = options
  const ids = { sessionId, messageId, callId, agentId, userId, workspaceId }
  return { ...options, ...ids, signal, as, nonlocals, policy: ownPolicy(policy) }
}

/** A copy of a policy. Anything but an object is returned as it is, so that a check refuses it. */
export function ownPolicy<Policy extends AgentPolicy | undefined>(policy: Policy): Policy | AgentPolicy {
  if (!isJsonObject(policy)) return policy
  const { ...own } = policy as Record<string, unknown>
  for (const name of Object.keys(POLICY)) if (name in policy) own[name] = copied((policy as typeof own)[name])
  return own
}

/** An array is its caller's, who may change it later. */
function copied(value: unknown): unknown {
  return Array.isArray(value) ? [...value] : value
}

/** A copy of an agent's options. Throws OPTIONS_INVALID, as a misspelt limit would be none. */
export function checkAgent(agent: AgentOptions): AgentOptions {
  const own: AgentOptions = ownPolicy(agent)
  checkOptions('forAgent', own, {
    ...POLICY,
    sessionId: 'string',
    agentId: 'string',
    userId: 'string',
    workspaceId: 'string',
  })
  return own
}

/** A copy of the configuration of tools. Throws OPTIONS_INVALID. */
export function checkConfig(config: { tools?: Readonly<Record<string, ToolConfig>> }) {
  checkOptions('config', config, { tools: 'object' })
  for (const [name, tool] of Object.entries(config.tools ?? {})) {
    checkOptions('config.tools', { [name]: tool }, { [name]: 'object' })
    const { enabled, timeoutMs } = tool
    checkOptions(`config.tools.${name}`, { enabled, timeoutMs }, { enabled: 'boolean', timeoutMs: 'number' })
  }
  return structuredClone(config.tools ?? {})
}

/** A copy of named agents. Throws OPTIONS_INVALID. */
export function checkNamedAgents(agents: readonly NamedAgent[]): NamedAgent[] {
  return agents.map(agent => {
    checkOptions('agents', agent, { id: 'string', tools: 'object', permissions: 'strings' })
    const { tools = {} } = agent
    checkOptions('tools', tools, { allow: 'patterns', deny: 'patterns' })
    return structuredClone(agent)
  })
}

/** The limits of a named agent. */
export function optionsOf({ id, tools, permissions }: NamedAgent): AgentOptions {
  return { ...tools, permissions, agentId: id }
}

/** A copy of a runtime's policy. Throws OPTIONS_INVALID. */
export function checkRuntimePolicy(policy: RuntimePolicy): RuntimePolicy {
  checkOptions('policy', policy, {
    ...SPAWN_POLICY,
    approval: 'object',
    trust: 'object',
    guard: 'function',
    readAllowedTools: ['restrict', 'pre-approve'],
  })
  const { approval, trust } = policy
  if (trust) checkOptions('trust', trust, { project: ['ask', 'allow', 'deny'] })
  if (approval)
    checkOptions('approval', approval, {
      mode: ['ask', 'allowlist', 'yolo'],
      allow: 'patterns',
      remember: ['session', 'project'],
    })
  return { ...ownPolicy(policy), approval: approval && structuredClone(approval) }
}
