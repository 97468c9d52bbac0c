import { makeCatalog } from 'agent-apps'
import type { AgentRuntime, Runtime, ToolDef } from 'agent-apps/runtime'
import type { ModelMessage, ToolSet } from 'ai'
import { modelNames } from '../model-names.js'
import { type Approval, aiTool, type ModelTool, whyAsked } from './ai-tool.js'
import { sdkApproval } from './sdk-approval.js'
import { DISCOVER, loadTool, readTool, searchTool } from './skill-access.js'
import { checkOptions, type SkillToolNames, type SkillToolsOptions } from './skill-tools-options.js'
import { modelTool } from './to-ai-tool.js'

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

const BUDGET = 4000

/**
 * An agent's tools and skills, for the AI SDK. They are those of now: call it again where skills may have changed.
 *
 * @throws OPTIONS_INVALID; AGENT_UNKNOWN; APPROVAL_UNSIGNED
 */
export async function skillTools(runtime: Runtime, options: SkillToolsOptions = {}): Promise<SkillTools> {
  checkOptions(options)
  const { agent: id, policy, select, budget = BUDGET, directory = false, secret } = options
  const names = { load: 'load-skill', read: 'read-skill-resource', search: 'search-skills', ...options.names }
  const whole = runtime.forAgent(id ?? policy)
  const agent = select === undefined ? whole : whole.spawn({ allow: select })
  const listed = await agent.listTools()
  const offered = select === undefined ? listed.filter(tool => !isLibrary(tool)) : listed
  const running = offered.filter(({ runs }) => runs)
  const skills = offered.filter(({ runs }) => !runs)
  const catalog = await makeCatalog(skills, {
    budget,
    available: running.map(({ name }) => name),
    library: true,
    content: ({ name }) => contentOf(agent, name),
  })
  const made = await ownTools(runtime, agent, running, names)
  const known = skills.map(({ name }) => name)
  if (known.length > 0) {
    made.set(names.load, loadTool(agent, known, names, directory))
    made.set(names.read, readTool(agent, names))
    const isWhole = catalog.named.length + catalog.unnamed.length === 0
    if (!isWhole && (await whole.findTool(DISCOVER))) made.set(names.search, searchTool(whole, known, names))
  }
  const approval = options.approval === 'sdk' ? sdkApproval(runtime, secret) : null
  return {
    tools: Object.fromEntries([...made].map(([name, tool]) => [name, aiTool(name, tool, approval)])),
    instructions: catalog.text,
    system: catalog.text,
    toolApproval: approval ? toolApprovals(made, approval) : {},
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

/** The tools that do something, under names that models take. */
async function ownTools(
  { globals }: Runtime,
  agent: AgentRuntime,
  running: readonly ToolDef[],
  { load, read, search }: SkillToolNames,
): Promise<Map<string, ModelTool>> {
  const given = await modelNames(
    running.map(({ name }) => name),
    [load, read, search],
  )
  return new Map(
    running.map(tool => [given.get(tool.name) ?? tool.name, modelTool(agent, tool, globals.events)]),
  )
}

/** The content of a skill that belongs in the prompt, unless somebody would have to be asked for it. */
async function contentOf(agent: AgentRuntime, name: string): Promise<string> {
  const { decision, reason } = await agent.authorize(name)
  if (decision !== 'allow') throw new Error(`It is not opened: ${reason}.`)
  return (await agent.open(name)).content
}

/** True for the library's own tools. The layer counts too, as any index could claim the tag. */
function isLibrary({ origin, frontmatter: { tags } }: ToolDef): boolean {
  return origin.layer === 'bundled' && tags.includes('meta-internal')
}
