import { isJsonObject } from '../base/json.js'

/** A result that is more than what a model is shown. */
export interface ToolResult {
  /** One line for people. */
  title: string
  /** For the host. */
  metadata: Record<string, unknown>
  /** What the model is shown. */
  output: unknown
  attachments?: unknown[]
}

/** True for a result that says itself what the model is to be shown, and what is the host's. */
export function isToolResult(value: unknown): value is ToolResult {
  return (
    isJsonObject(value) &&
    typeof value.title === 'string' &&
    isJsonObject(value.metadata) &&
    Object.hasOwn(value, 'output') &&
    (value.attachments === undefined || Array.isArray(value.attachments))
  )
}
