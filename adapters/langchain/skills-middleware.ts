import type { Runtime } from 'agent-apps/runtime'
import type { AgentMiddleware } from 'langchain'
import { checkOptionsOf } from '../check-options.js'
import { checkOffer } from '../skill-tools/offer-options.js'
import { offeredTools } from '../skill-tools/offered-tools.js'
import { answeredCalls } from './answered-calls.js'
import { askForApproval } from './ask-for-approval.js'
import { callIdIn, langchainTool } from './langchain-tool.js'
import type { SkillToolsOptions } from './skill-tools-options.js'

export interface SkillsMiddlewareOptions extends SkillToolsOptions {
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
  checkOffer(check, options, ['approval', 'onToolResult'])
  check.oneOf('approval', options.approval, ['interrupt', 'runtime'])
  const { approval = 'interrupt', policy } = options
  // Imported here, so that the tools alone need only `@langchain/core`.
  const [{ createMiddleware }, { tools, instructions }] = await Promise.all([
    import('langchain'),
    offeredTools(runtime, options),
  ])
  const answered = answeredCalls(runtime)
  const ownId = (session: string | undefined, id: string): string | undefined =>
    answered.take(callIdIn(session, id)) ? callIdIn(session, id) : undefined
  return createMiddleware({
    name: 'AgentAppsSkills',
    tools: [...tools].map(([name, tool]) =>
      langchainTool(name, tool, options, approval === 'interrupt' ? ownId : undefined),
    ),
    ...(instructions !== '' && {
      wrapModelCall: (request, handler) => {
        const { systemMessage } = request
        const before = systemMessage.text === '' ? '' : '\n\n'
        return handler({ ...request, systemMessage: systemMessage.concat(before + instructions) })
      },
    }),
    ...(approval === 'interrupt' && { afterModel: askForApproval(tools, policy?.sessionId, answered) }),
  }) as AgentMiddleware
}
