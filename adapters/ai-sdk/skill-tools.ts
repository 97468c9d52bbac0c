import type { AgentRuntime, Runtime } from 'agent-apps/runtime'
import type { ModelMessage, ToolSet } from 'ai'
import type { ModelTool } from '../skill-tools/model-tool.js'
import { checkOptionsOf, type OfferNames, type OfferOptions } from '../skill-tools/offer-options.js'
import { offeredTools, type WithheldTool } from '../skill-tools/offered-tools.js'
import { type Approval, aiTool, whyAsked } from './ai-tool.js'
import { sdkApproval } from './sdk-approval.js'

/** The options to pass to the SDK: `generateText({ model, prompt, ...await skillTools(runtime) })`. */
export interface SkillTools {
  tools: ToolSet
  /** The catalog of skills: version 7 takes it, and agents of both versions. */
  instructions: string
  /** The catalog again: `generateText` and `streamText` of version 6 take it under this name. */
  system: string
  /** The tools and skills that the model does not get, with what a person does about it. The SDK overlooks it. */
  withheld: WithheldTool[]
  /** With `approval: 'sdk'`, what version 7 asks a person about, with the reason. Version 6 asks the tools. */
  toolApproval: Record<string, ToolApproval>
  /** The `secret`, under the name that both versions take it by. */
  experimental_toolApprovalSecret?: string | Uint8Array
}

/** Decides if a person is asked about a call. */
export type ToolApproval = (
  input: unknown,
  call: { toolCallId: string; messages: ModelMessage[] },
) => Promise<{ type: 'user-approval'; reason: string } | undefined>

/**
 * An agent's tools and skills, for the AI SDK. Call it again where skills may have changed.
 *
 * @throws OPTIONS_INVALID; AGENT_UNKNOWN; APPROVAL_UNSIGNED
 */
export async function skillTools(runtime: Runtime, options: SkillToolsOptions = {}): Promise<SkillTools> {
  checkOptions(options)
  const { secret, sessionId, userId } = options
  const ids = { ...(sessionId !== undefined && { sessionId }), ...(userId !== undefined && { userId }) }
  const forAgent: Runtime['forAgent'] = agent => withIds(runtime.forAgent(agent), ids)
  const { tools, instructions, withheld } = await offeredTools({ ...runtime, forAgent }, options)
  const approval = options.approval === 'sdk' ? sdkApproval(runtime, secret) : null
  return {
    tools: Object.fromEntries([...tools].map(([name, tool]) => [name, aiTool(name, tool, approval)])),
    instructions,
    system: instructions,
    withheld,
    toolApproval: approval ? toolApprovals(tools, approval) : {},
    ...(secret !== undefined && { experimental_toolApprovalSecret: secret }),
  }
}

function toolApprovals(
  made: ReadonlyMap<string, ModelTool>,
  approval: Approval,
): Record<string, ToolApproval> {
  return Object.fromEntries(
    [...made].map(([name, tool]) => {
      const ask: ToolApproval = async (input, call) => {
        const reason = await whyAsked(name, tool, approval)(input, call)
        return reason === null ? undefined : { type: 'user-approval', reason }
      }
      return [name, ask]
    }),
  )
}

/** Whose calls an agent makes. */
interface AgentIds {
  sessionId?: string
  userId?: string
}

/** An agent whose calls, and answers about them, have these ids: a named agent has none of its own. */
function withIds(agent: AgentRuntime, ids: AgentIds): AgentRuntime {
  return {
    ...agent,
    invoke: (ref, args, options) => agent.invoke(ref, args, { ...ids, ...options }),
    open: (ref, args, options) => agent.open(ref, args, { ...ids, ...options }),
    authorize: (ref, args, options) => agent.authorize(ref, args, { ...ids, ...options }),
    answer: (id, answer, options) => agent.answer(id, answer, { ...ids, ...options }),
    within: skill => withIds(agent.within(skill), ids),
    spawn: policy => withIds(agent.spawn(policy), ids),
  }
}

export interface SkillToolsOptions extends OfferOptions {
  /** The session of the calls of an `agent`: what is kept and allowed for a session, and who may answer about it. */
  sessionId?: string | undefined
  /** Whose calls those of an `agent` are. */
  userId?: string | undefined
  /**
   * Who asks a person to approve a call: the runtime, by its `interact`, or the application, by the SDK's approval
   * requests. Default: `runtime`.
   */
  approval?: 'runtime' | 'sdk' | undefined
  /** The secret that the SDK signs approval requests with, for `approval: 'sdk'` without a `store`. */
  secret?: string | Uint8Array | undefined
}

/** The names of the tools that lead to skills. */
export type SkillToolNames = OfferNames

/** Throws OPTIONS_INVALID for what would otherwise be overlooked. */
function checkOptions(options: SkillToolsOptions): void {
  const check = checkOptionsOf('skillTools')
  check.offer(options, ['approval', 'secret', 'sessionId', 'userId'])
  check.only('agent', options, ['sessionId', 'userId'])
  check.oneOf('approval', options.approval, ['runtime', 'sdk'])
}
