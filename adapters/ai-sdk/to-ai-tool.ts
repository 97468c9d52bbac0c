import type { AgentRuntime, RunEvents, ToolDef } from 'agent-apps/runtime'
import type { Tool } from 'ai'
import { modelTool } from '../skill-tools/model-tool.js'
import { aiTool } from './ai-tool.js'

/**
 * A tool of an agent, as the SDK takes it. Where a person has to approve a call, the runtime's `interact` is asked.
 *
 * @param options `events`: those of the runtime, `runtime.globals.events`, from which the tool's progress becomes
 *   preliminary results
 */
export function toAiTool(
  agent: AgentRuntime,
  tool: ToolDef,
  options: { events?: RunEvents } = {},
): Tool<unknown, unknown> {
  return aiTool(tool.name, modelTool(agent, tool, options.events), null)
}
