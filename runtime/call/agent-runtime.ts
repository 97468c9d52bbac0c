import { definedFields } from '../../src/base/json.js'
import type { AgentCatalog, AgentCatalogOptions } from '../../src/catalog/relevant-skills.js'
import type { ToolDetails } from '../../src/index/index-format.js'
import type { SpawnPolicy } from '../../src/skill/tool-context.js'
import type { Approval } from '../approvals/project-approvals.js'
import type { OpenedSkill } from '../find/read-details.js'
import { lazy } from '../host/later.js'
import { ownLimits } from '../schema/clone-arguments.js'
import type { SearchOptions } from '../search/search-query.js'
import type { Agent, AgentOptions } from '../state/agent.js'
import type { AnswerOptions, CallContext, CallIds, Globals, InvokeOptions } from '../state/context.js'
import type { ApprovalAnswer, Authorization, Offer } from '../state/policy.js'
import type { Hit } from '../state/search-functions.js'
import type { ToolDef } from '../state/tool-def.js'
import { laterMethods } from './invoke.js'

/**
 * A runtime for an agent: it sees no hidden and no disabled tool, and every call is checked. `findTool`,
 * `listTools`, `describe` and `readResource` treat a tool that the agent may never call as absent.
 */
export interface AgentRuntime {
  /** The tool that a name leads to; null where the agent may call none of that name. */
  findTool: (ref: string) => Promise<ToolDef | null>
  /** The tools that it may call. No code is run: those in code may lack their arguments. */
  listTools: () => Promise<ToolDef[]>
  /**
   * The tools that a model is to get, and those that it does not get, with the reasons. Where only the code
   * of a tool
   * tells its arguments, that is run.
   */
  offer: () => Promise<Offer>
  /**
   * Runs a tool.
   *
   * @throws TOOL_DENIED, PERMISSION_MISSING where it may not be called; APPROVAL_DENIED, APPROVAL_UNAVAILABLE
   *   where the call needs approval and does not get it
   */
  invoke: (ref: string, args?: unknown, options?: Omit<InvokeOptions, 'as' | 'policy'>) => Promise<unknown>
  /**
   * Opens a skill for a model: its rendered content, and its other files. That is a call of the skill, but for
   * one that runs something: its text says how to call it, and nothing is run.
   *
   * @throws what `invoke` throws; CONTENT_MISSING for code
   */
  open: (ref: string, args?: unknown, options?: Omit<InvokeOptions, 'as' | 'policy'>) => Promise<OpenedSkill>
  /**
   * The bytes of one of a folder skill's files, once the agent may open the skill: it is asked about as
   * `open` is.
   *
   * @throws what `open` throws; RESOURCE_NOT_FOUND
   */
  readResource: (
    ref: string,
    path: string,
    options?: Omit<InvokeOptions, 'as' | 'policy'>,
  ) => Promise<Uint8Array>
  /**
   * A tool with its frontmatter as it was written, and its other files. Throws TOOL_NOT_FOUND, NOT_EVALUATED.
   */
  describe: (ref: string) => Promise<{ tool: ToolDef } & Required<ToolDetails>>
  /** The catalog of the tools that it may call, for a prompt, and with `for`, those that the words of a user find. */
  catalog: (options?: AgentCatalogOptions<ToolDef>) => Promise<AgentCatalog>
  /**
   * Finds tools by words, the best first: of those that `listTools` gives, and scored as if there were no
   * others. The text of a
   * skill counts where the agent may open that without being asked about. An empty query finds all. Throws
   * OPTIONS_INVALID.
   */
  search: (query: string, options?: SearchOptions) => Promise<Hit[]>
  /**
   * Decides about a call as `invoke` does, without making it or asking anybody. Where a person has to be asked,
   * `request` is what to ask; with a `callId`, `answer` takes the answer.
   */
  authorize: (ref: string, args?: unknown, options?: CallIds) => Promise<Authorization>
  /**
   * Answers a request of `authorize`, from any process with the same store, once. `invoke` with its id as
   * `callId` then runs the call. `options` are the ids that `authorize` got, and `call`: what a person was
   * asked
   * about, where other calls may have the same id.
   *
   * @throws APPROVAL_INVALID for an unknown, foreign, expired or answered request, and one about another call
   */
  answer: (
    id: string,
    answer: ApprovalAnswer | { answer: ApprovalAnswer; reason?: string },
    options?: AnswerOptions,
  ) => Promise<void>
  /** The approvals for more than one call: for the agent's session, and in its project. */
  approvals: {
    /** Lists them. */
    list: () => Promise<Approval[]>
    /** Ends one. False where there is none with this id. */
    revoke: (id: string) => Promise<boolean>
  }
  /** The agent in the place of a skill, as if this one's agent ran: its `allowed-tools` and rules narrow. */
  within: (skill: string) => AgentRuntime
  /**
   * An agent that this one starts: it shares the session, and each policy above limits it. A string is the id
   * of a
   * named agent, whose limits it has as well.
   *
   * @throws OPTIONS_INVALID for anything but limits that narrow, and AGENT_UNKNOWN; with the slim entry and
   * in a
   *   bundle, its first call does
   */
  spawn: (policy: SpawnPolicy | string) => AgentRuntime
}

const methods = lazy(() => import('../agents/agent-methods.js'))
const approvals = lazy(() => import('../agents/agent-approvals.js'))

const METHODS = [
  'findTool',
  'listTools',
  'invoke',
  'open',
  'readResource',
  'search',
  'describe',
  'catalog',
  'authorize',
  'answer',
  'offer',
] as const

/**
 * The runtime of an agent. What limits it is checked at its first call.
 *
 * @param caller the call whose tool starts the agent
 */
export function agentRuntime(
  globals: Globals,
  options: AgentOptions | string = {},
  caller?: CallContext,
): AgentRuntime {
  const isNamed = typeof options === 'string'
  const given = isNamed ? { agentId: options } : ownLimits(options)
  const { sessionId, agentId, userId, workspaceId, ...policy } = Object(given) as AgentOptions
  const ids = definedFields({ sessionId, agentId, userId, workspaceId })
  const named = isNamed ? options : undefined
  return runtimeOf({ globals, given, ids, policy, named, spawned: [], skills: [], caller })
}

function runtimeOf(agent: Agent): AgentRuntime {
  const { skills, spawned } = agent
  return {
    ...(laterMethods(agent, METHODS, methods, true) as Pick<AgentRuntime, (typeof METHODS)[number]>),
    approvals: laterMethods(agent, ['list', 'revoke'], approvals) as AgentRuntime['approvals'],
    within: skill => runtimeOf({ ...agent, skills: [...skills, skill] }),
    spawn: given => {
      const policy = ownLimits(given) as SpawnPolicy | string
      agent.globals.checkSpawned?.(policy)
      return runtimeOf({ ...agent, spawned: [...spawned, policy] })
    },
  }
}
