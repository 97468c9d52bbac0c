import type { JsonObject } from 'agent-apps'
import type { AgentRuntime, RunEvents, ToolDef } from 'agent-apps/runtime'
import type { Tool } from 'ai'
import { aiTool, type ModelTool } from './ai-tool.js'
import { modelOutput } from './model-output.js'

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

/** A tool of an agent, as a model calls it. */
export function modelTool(agent: AgentRuntime, tool: ToolDef, events: RunEvents | undefined): ModelTool {
  const { name, frontmatter } = tool
  return {
    description: frontmatter.description,
    schema: objectSchema(frontmatter.params),
    callOf: input => ({ agent, ref: name, args: input }),
    run: (input, options) => agent.invoke(name, input, options),
    show: modelOutput,
    events,
  }
}

/** Providers take only the schema of an object. What only a call resolves, the runtime checks. */
function objectSchema(params: JsonObject | undefined): JsonObject {
  if (!params || typeof params.$resolve === 'string') return { type: 'object', properties: {} }
  return params.type === undefined ? { ...params, type: 'object' } : params
}
