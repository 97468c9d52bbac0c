import { AgentAppsError, type JsonObject } from 'agent-apps'
import type { AgentRuntime, RunEvents, ToolDef } from 'agent-apps/runtime'
import { type Shown, shownResult } from './shown.js'

/** A tool that a model calls: a tool of the agent, or one that loads skills. */
export interface ModelTool {
  /** The tool that it runs; null for one that loads skills. */
  runs: string | null
  description: string | undefined
  schema: JsonObject
  /** The tool call that the model's input leads to; null for none. */
  callOf: (input: unknown) => ToolCall | null
  run: (input: unknown, options: CallOptions) => Promise<unknown>
  show: (result: unknown) => Shown
  /** The events of its progress. */
  events?: RunEvents | undefined
}

/** A call of a tool, and the agent that makes it. */
export interface ToolCall {
  agent: AgentRuntime
  ref: string
  args: unknown
}

/** The options of a call, as for `agent.invoke`. */
export interface CallOptions {
  callId?: string
  sessionId?: string
  signal?: AbortSignal
}

/**
 * A tool of an agent for a model.
 *
 * @throws NOT_EVALUATED if only its code, which was not run, declares its arguments
 */
export function modelTool(agent: AgentRuntime, tool: ToolDef, events: RunEvents | undefined): ModelTool {
  const { name, frontmatter } = tool
  if (frontmatter.paramsUnknown)
    throw new AgentAppsError(
      'NOT_EVALUATED',
      `Only the code of "${name}" declares its arguments, and was not run.`,
      { hint: 'Look the tool up: `findTool` runs its code. Or run `agent-apps compile`.', tool: name },
    )
  return {
    runs: name,
    description: frontmatter.description,
    schema: objectSchema(frontmatter.params),
    callOf: input => ({ agent, ref: name, args: input }),
    run: (input, options) => agent.invoke(name, input, options),
    show: shownResult,
    events,
  }
}

/** Providers take only schemas of objects. A schema that only a call resolves is left to the runtime. */
function objectSchema(params: JsonObject | undefined): JsonObject {
  if (!params || typeof params.$resolve === 'string') return { type: 'object', properties: {} }
  return params.type === undefined ? { ...params, type: 'object' } : params
}
