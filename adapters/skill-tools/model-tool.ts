import { AgentAppsError, type JsonObject } from 'agent-apps'
import type { AgentRuntime, RunEvents, ToolDef } from 'agent-apps/runtime'
import { type Shown, shownResult } from './shown.js'

/** A tool that a model calls: a tool of the agent, or a way to skills. */
export interface ModelTool {
  /** The tool that it runs; null for a way to skills. */
  runs: string | null
  description: string | undefined
  schema: JsonObject
  /** The call of a tool that the model's input stands for; null where none is made. */
  callOf: (input: unknown) => ToolCall | null
  run: (input: unknown, options: CallOptions) => Promise<unknown>
  show: (result: unknown) => Shown
  /** The listener for its progress. */
  events?: RunEvents | undefined
}

/** A call of a tool, and the agent that makes it. */
export interface ToolCall {
  agent: AgentRuntime
  ref: string
  args: unknown
}

/** As `agent.invoke` takes them. */
export interface CallOptions {
  callId?: string
  sessionId?: string
  signal?: AbortSignal
}

/**
 * A tool of an agent, as a model calls it.
 *
 * @throws NOT_EVALUATED for one whose arguments only its code tells, which was not run
 */
export function modelTool(agent: AgentRuntime, tool: ToolDef, events: RunEvents | undefined): ModelTool {
  const { name, frontmatter } = tool
  if (frontmatter.paramsUnknown)
    throw new AgentAppsError(
      'NOT_EVALUATED',
      `Only the code of "${name}" tells its arguments, and was not run.`,
      {
        hint: 'Look the tool up: `findTool` runs its code. Or run `agent-apps compile`.',
        tool: name,
      },
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

/** Providers take only the schema of an object. What only a call resolves, the runtime checks. */
function objectSchema(params: JsonObject | undefined): JsonObject {
  if (!params || typeof params.$resolve === 'string') return { type: 'object', properties: {} }
  return params.type === undefined ? { ...params, type: 'object' } : params
}
