import type { AgentRuntime, ToolDef } from 'agent-apps/runtime'
import type { CallOptions, ModelTool } from '../../skill-tools/model-tool.js'
import { CATALOG_BUDGET, modelTools, OFFER_NAMES } from '../../skill-tools/model-tools.js'
import { readTool } from '../../skill-tools/skill-access.js'
import type { AgentRun } from './agent-run.js'
import { type ExpectedResult, RESULT_TOOL, resultTool } from './result-tool.js'

/** The files of the skill that an agent follows. */
export interface OwnFiles {
  /** The skill's name. */
  name: string
  /** Its files besides the text, with their sizes in bytes. */
  files: readonly { path: string; size: number }[]
  /** Reads one of them by its path. */
  read: (path: string) => Promise<Uint8Array>
}

/** The tools and texts for an agent's model. */
export interface AgentTools {
  agent: AgentRuntime
  /** True for a tool that the agent may call, but the model does not get. */
  isLeftOut: (tool: ToolDef) => boolean
  /** The names of unlisted tools that the model gets if the agent may call them. */
  named: readonly string[]
  /** True to tell the model the folders of skills. */
  directory: boolean
  own: OwnFiles | null
  expected: ExpectedResult | null
}

const { load, read } = OFFER_NAMES

/** The tools of an agent's model, and the description of its skills. */
export async function agentTools(
  { agent, isLeftOut, named, directory, own, expected }: AgentTools,
  run: AgentRun,
): Promise<{ tools: Map<string, ModelTool>; about: string }> {
  const callable = (await agent.offer()).tools.filter(tool => !isLeftOut(tool))
  const offered = [...callable, ...(await unlisted(agent, named, callable))]
  const { tools: offers, instructions } = await modelTools({
    ...{ agent, offered, names: OFFER_NAMES, taken: [RESULT_TOOL] },
    ...{ budget: CATALOG_BUDGET, directory, searching: agent },
  })
  const tools = new Map(offers)
  const hasFiles = own !== null && own.files.length > 0
  if (hasFiles) tools.set(read, readTool(agent, OFFER_NAMES, own))
  const bound = [...tools].map(([name, tool]): [string, ModelTool] => [name, boundTo(run, name, tool)])
  if (expected) bound.push([RESULT_TOOL, resultTool(expected, run.finish)])
  const about = [...(instructions === '' ? [] : [instructions]), ...(hasFiles ? [listed(own)] : [])]
  return { tools: new Map(bound), about: about.join('\n\n') }
}

async function unlisted(
  agent: AgentRuntime,
  names: readonly string[],
  known: readonly ToolDef[],
): Promise<ToolDef[]> {
  const found = await Promise.all(names.map(name => agent.findTool(name)))
  return found.filter(tool => tool !== null).filter(({ name }) => known.every(one => one.name !== name))
}

/** True for a tool that opens skills for a model, whose results can be dropped again. */
export function opens(name: string): boolean {
  return name === load || name === read
}

/** A tool bound to one run, which makes its call ids unique and records what it opens. */
function boundTo(run: AgentRun, name: string, tool: ModelTool): ModelTool {
  return {
    ...tool,
    async run(input, { callId = '', ...options }) {
      const own: CallOptions = { ...options, callId: `${run.id}:${run.step}:${callId}` }
      const result = await tool.run(input, own)
      const { name: skill, path } = Object(input) as { name?: string; path?: string }
      if (skill !== undefined && name === load) run.noteOpened(callId, skill)
      if (skill !== undefined && name === read) run.noteOpened(callId, skill, path)
      return result
    },
  }
}

function listed({ name, files }: OwnFiles): string {
  const lines = files.map(({ path, size }) => `- ${path} (${size} bytes)`)
  return `Files of the skill ${JSON.stringify(name)}, for ${read}:\n${lines.join('\n')}`
}
