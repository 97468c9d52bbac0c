import type { Runtime } from 'agent-apps/runtime'
import type { AgentMiddleware } from 'langchain'
import { checkOptionsOf } from '../check-options.js'
import { checkOffer } from '../skill-tools/offer-options.js'
import { instructionsFor, offeredTools } from '../skill-tools/offered-tools.js'
import { answeredCalls, askForApproval } from './ask-for-approval.js'
import { callIdIn, langchainTool } from './langchain-tool.js'
import type { SkillToolsOptions } from './skill-tools-options.js'

/** The options of `skillsMiddleware`. */
export interface SkillsMiddlewareOptions extends Omit<SkillToolsOptions, 'for'> {
  /** True: the skills that the user's last message finds come behind the catalog. Default: false. */
  relevant?: boolean | undefined
  /**
   * The way to ask a person to approve a call: an interrupt of the graph, or the runtime's `interact`. Default:
   * `interrupt`.
   */
  approval?: 'interrupt' | 'runtime' | undefined
}

/**
 * A middleware that gives an agent of LangChain tools and skills. A snapshot: create the agent again after skills change.
 *
 * @throws OPTIONS_INVALID; AGENT_UNKNOWN
 */
export async function skillsMiddleware(
  runtime: Runtime,
  options: SkillsMiddlewareOptions = {},
): Promise<AgentMiddleware> {
  const check = checkOptionsOf('skillsMiddleware')
  checkOffer(check, options, ['approval', 'onToolResult', 'relevant'])
  check.oneOf('approval', options.approval, ['interrupt', 'runtime'])
  check.oneOf('relevant', options.relevant, [true, false])
  const { approval = 'interrupt', policy, relevant = false } = options
  // Imported here, so that the tools alone need only `@langchain/core`.
  const [{ createMiddleware }, offer] = await Promise.all([
    import('langchain'),
    offeredTools(runtime, options),
  ])
  const { tools, instructions } = offer
  const answered = answeredCalls(runtime)
  const ownId = (session: string | undefined, id: string): string | undefined =>
    answered.take(callIdIn(session, id)) ? callIdIn(session, id) : undefined
  return createMiddleware({
    name: 'AgentAppsSkills',
    tools: [...tools].map(([name, tool]) =>
      langchainTool(name, tool, options, approval === 'interrupt' ? ownId : undefined),
    ),
    ...(instructions !== '' && {
      wrapModelCall: async (request, handler) => {
        const { systemMessage, messages } = request
        const before = systemMessage.text === '' ? '' : '\n\n'
        const words = relevant ? messages.findLast(message => message.type === 'human')?.text : undefined
        const shown = await instructionsFor(offer, words)
        return handler({ ...request, systemMessage: systemMessage.concat(before + shown) })
      },
    }),
    ...(approval === 'interrupt' && { afterModel: askForApproval(tools, policy?.sessionId, answered) }),
  }) as AgentMiddleware
}
