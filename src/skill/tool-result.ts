import { isJsonObject } from '../base/json.js'

/** A result of which a model is shown only a part. */
export interface ToolResult {
  /** One line for people. */
  title: string
  /** For the host. */
  metadata: Record<string, unknown>
  /** The text shown to the model. */
  output: unknown
  attachments?: unknown[]
}

/**
 * The text of a result for a model: its `output` if the result specifies that; JSON of
 * all that is not a string.
 */
export function outputForModel(result: unknown): string {
  const output = isToolResult(result) ? result.output : result
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
}

/** True for a result that separates the model's output from the host's data. */
export function isToolResult(value: unknown): value is ToolResult {
  return (
    isJsonObject(value) &&
    typeof value.title === 'string' &&
    isJsonObject(value.metadata) &&
    Object.hasOwn(value, 'output') &&
    (value.attachments === undefined || Array.isArray(value.attachments))
  )
}

/** True for `{ error, message? }`, a failure that a tool returns for the model. */
export function isFailure(result: unknown): boolean {
  return isJsonObject(result) && typeof result.error === 'string'
}
