import { isToolResult, outputForModel, safeStringify } from 'agent-apps'
import { type OutputPart, partOf } from './output-part.js'

/** What a model is shown of a result, as the SDK's version takes it. */
export type ModelOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: OutputPart[] }

/** What a model is shown of a tool's result. It may have been stored as JSON meanwhile, with the messages. */
export function modelOutput(result: unknown): ModelOutput {
  if (isFailure(result)) return { type: 'error-text', value: textOf(result) }
  const text = textOf(result)
  if (!isToolResult(result) || !result.attachments?.length) return { type: 'text', value: text }
  return { type: 'content', value: [{ type: 'text', text }, ...result.attachments.map(partOf)] }
}

/** True for `{ error, message? }`, a failure that a tool returns for the model. */
function isFailure(result: unknown): boolean {
  return (
    typeof result === 'object' &&
    result !== null &&
    typeof (result as { error?: unknown }).error === 'string' &&
    !isToolResult(result)
  )
}

/** What is no JSON, such as a circle, is shown as well as it can be: this may run long after the call. */
function textOf(result: unknown): string {
  try {
    return outputForModel(result)
  } catch {
    return safeStringify(isToolResult(result) ? result.output : result)
  }
}
