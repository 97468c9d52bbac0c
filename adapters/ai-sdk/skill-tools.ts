import type { Runtime } from 'agent-apps/runtime'
import type { ModelMessage, ToolSet } from 'ai'
import { type Approval, aiTool, type ModelTool, whyAsked } from './ai-tool.js'
import { CATALOG_BUDGET, isLibrary, modelTools, SKILL_TOOL_NAMES } from './model-tools.js'
import { sdkApproval } from './sdk-approval.js'
import { checkOptions, type SkillToolsOptions } from './skill-tools-options.js'

/** What a program passes to the SDK: `generateText({ model, prompt, ...await skillTools(runtime) })`. */
export interface SkillTools {
  tools: ToolSet
  /** The catalog of skills: version 7 takes it, and agents of both versions. */
  instructions: string
  /** The catalog again: `generateText` and `streamText` of version 6 take it under this name. */
  system: string
  /** With `approval: 'sdk'`, what version 7 asks a person about, with the reason. Version 6 asks the tools. */
  toolApproval: Record<string, ToolApproval>
  /** The `secret`, under the name that both versions take it by. */
  experimental_toolApprovalSecret?: string | Uint8Array
}

/** Whether a person is asked about a call. */
export type ToolApproval = (
  input: unknown,
  call: { toolCallId: string; messages: ModelMessage[] },
) => Promise<{ type: 'user-approval'; reason: string } | undefined>

/**
 * An agent's tools and skills, for the AI SDK. They are those of now: call it again where skills may have changed.
 *
 * @throws OPTIONS_INVALID; AGENT_UNKNOWN; APPROVAL_UNSIGNED
 */
export async function skillTools(runtime: Runtime, options: SkillToolsOptions = {}): Promise<SkillTools> {
  checkOptions(options)
  const { agent: id, policy, select, budget = CATALOG_BUDGET, directory = false, secret } = options
  const names = { ...SKILL_TOOL_NAMES, ...options.names }
  const whole = runtime.forAgent(id ?? policy)
  const agent = select === undefined ? whole : whole.spawn({ allow: select })
  const listed = await agent.listTools()
  const offered = select === undefined ? listed.filter(tool => !isLibrary(tool)) : listed
  const { events } = runtime.globals
  const given = { agent, offered, names, budget, directory, events, searching: whole }
  const { tools, catalog } = await modelTools(given)
  const approval = options.approval === 'sdk' ? sdkApproval(runtime, secret) : null
  return {
    tools: Object.fromEntries([...tools].map(([name, tool]) => [name, aiTool(name, tool, approval)])),
    instructions: catalog.text,
    system: catalog.text,
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
