import type { AgentRuntime, Runtime } from 'agent-apps/runtime'
import type { ModelMessage, ToolSet } from 'ai'
import { checkOptionsOf } from '../check-options.js'
import type { ModelTool } from '../skill-tools/model-tool.js'
import { checkOffer, type OfferNames, type OfferOptions } from '../skill-tools/offer-options.js'
import { instructionsFor, offeredTools, type WithheldTool } from '../skill-tools/offered-tools.js'
import { type Approval, aiTool, whyAsked } from './ai-tool.js'
import { sdkApproval } from './sdk-approval.js'

/** The options to pass to the SDK: `generateText({ model, prompt, ...await skillTools(runtime) })`. */
export interface SkillTools {
  tools: ToolSet
  /** The catalog of skills, and with `for` those that it finds: version 7 takes it, and agents of both versions. */
  instructions: string
  /** `instructions` again: `generateText` and `streamText` of version 6 take it under this name. */
  system: string
  /** The tools and skills that the model does not get, with advice for a person. The SDK ignores it. */
  withheld: WithheldTool[]
  /** Finds the tools that have the words of a query: the `search` of version 7's `toolSearch`. The SDK ignores it. */
  findTools: ToolSearch
  /** With `approval: 'sdk'`, decides for version 7 which calls a person must approve. Version 6 asks the tools. */
  toolApproval: Record<string, ToolApproval>
  /** The `secret`, under the name that both versions take. */
  experimental_toolApprovalSecret?: string | Uint8Array
}

/** Decides whether a person must approve a call. */
export type ToolApproval = (
  input: unknown,
  call: { toolCallId: string; messages: ModelMessage[] },
) => Promise<{ type: 'user-approval'; reason: string } | undefined>

/** Finds tools by words. Returns names of `tools`, best first. */
export type ToolSearch = (search: {
  query: string
  tools: { name: string; description?: string }[]
}) => Promise<string[]>

/**
 * An agent's tools and skills for the AI SDK. A snapshot: call it again after skills change.
 *
 * @throws OPTIONS_INVALID; AGENT_UNKNOWN; APPROVAL_UNSIGNED
 */
export async function skillTools(runtime: Runtime, options: SkillToolsOptions = {}): Promise<SkillTools> {
  checkOptions(options)
  const { secret, sessionId, userId } = options
  const ids = { ...(sessionId !== undefined && { sessionId }), ...(userId !== undefined && { userId }) }
  const forAgent: Runtime['forAgent'] = agent => withIds(runtime.forAgent(agent), ids)
  const offer = await offeredTools({ ...runtime, forAgent }, options)
  const { tools, withheld } = offer
  const instructions = await instructionsFor(offer, options.for)
  const approval = options.approval === 'sdk' ? sdkApproval(runtime, secret) : null
  return {
    tools: Object.fromEntries(
      [...tools].map(([name, tool]) => {
        const made = aiTool(name, tool, approval)
        const isDeferred = options.deferLoading === true && tool.runs !== null
        // A field of version 7's tools alone.
        return [name, isDeferred ? Object.assign(made, { deferLoading: true }) : made]
      }),
    ),
    instructions,
    system: instructions,
    withheld,
    findTools: async ({ query, tools }) => {
      const found = await offer.toolsFor(query)
      return [...found, ...hostToolsFor(query, tools, offer.tools)]
    },
    toolApproval: approval ? toolApprovals(tools, approval) : {},
    ...(secret !== undefined && { experimental_toolApprovalSecret: secret }),
  }
}

/** The host's own tools whose name or description has words of the query, those with the most of them first. */
function hostToolsFor(
  query: string,
  tools: readonly { name: string; description?: string }[],
  ours: ReadonlyMap<string, ModelTool>,
): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return tools
    .filter(({ name }) => !ours.has(name))
    .map(({ name, description = '' }) => {
      const text = `${name} ${description}`.toLowerCase()
      return { name, count: words.filter(word => text.includes(word)).length }
    })
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .map(({ name }) => name)
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

/** An agent with these ids in its calls and their answers, since a named agent has none. */
function withIds(agent: AgentRuntime, ids: { sessionId?: string; userId?: string }): AgentRuntime {
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

/** The options of `skillTools`. */
export interface SkillToolsOptions extends OfferOptions {
  /** The session of the calls of an `agent`, which state, approvals and answers belong to. */
  sessionId?: string | undefined
  /** The user for whom an `agent` makes its calls. */
  userId?: string | undefined
  /**
   * The way to ask a person to approve a call: the runtime's `interact`, or the SDK's approval requests. Default:
   * `runtime`.
   */
  approval?: 'runtime' | 'sdk' | undefined
  /**
   * True to keep the tools that run something from the model until `toolSearch` of version 7, which you add to `tools`,
   * finds them. Default: false.
   */
  deferLoading?: boolean | undefined
  /** The secret with which the SDK signs approval requests, for `approval: 'sdk'` without a `store`. */
  secret?: string | Uint8Array | undefined
}

/** The names of the tools that lead to skills. */
export type SkillToolNames = OfferNames

function checkOptions(options: SkillToolsOptions): void {
  const check = checkOptionsOf('skillTools')
  checkOffer(check, options, ['approval', 'deferLoading', 'for', 'secret', 'sessionId', 'userId'])
  check.oneOf('approval', options.approval, ['runtime', 'sdk'])
  check.oneOf('deferLoading', options.deferLoading, [true, false])
  const idle = (['sessionId', 'userId'] as const).find(id => options[id] !== undefined)
  if (options.agent === undefined && idle !== undefined)
    throw check.invalid(`has \`${idle}\`, but no \`agent\``, `Give \`policy: { ${idle} }\`.`)
}
