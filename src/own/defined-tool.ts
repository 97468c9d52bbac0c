import type { JsonObject } from '../base/json.js'

/** Marks the result of `defineTool` of any copy of the package. */
export const DEFINED_TOOL = Symbol.for('agent-apps.defined-tool')

/** The result of `defineTool`: an object that every copy of the package recognizes as a tool. */
export interface DefinedTool<Result = unknown> {
  readonly name: string
  /** The tool as a function `(context, args)`, the form in which all tools are called. */
  readonly fn: (context: unknown, args?: unknown) => Promise<Result>
  /** Its frontmatter, with its schemas as JSON Schema. */
  readonly frontmatter: () => Promise<JsonObject>
}

/** True for the result of any copy of the package's `defineTool`. */
export function isDefinedTool(value: unknown): value is DefinedTool {
  return (
    typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[DEFINED_TOOL] === true
  )
}
