import { createRuntime, defineTool, type Runtime, type ToolContext } from 'agent-apps'

export type Execute = (args: unknown, context: ToolContext) => unknown

/** A runtime with one tool, `work`. */
export function runtimeWith(execute: Execute): Runtime {
  const runtime = createRuntime({ paths: [] })
  runtime.register(defineTool({ name: 'work', description: 'Works.', execute }))
  return runtime
}
