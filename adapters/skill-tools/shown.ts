import { isToolResult, outputForModel, safeStringify } from 'agent-apps'
import { readAttachment } from './attachment.js'

/** A call's result for a model. */
export interface Shown {
  isFailure: boolean
  /** One part, unless there are attachments. */
  parts: ShownPart[]
}

/** A tool's result for a model. It may have been stored as JSON with the messages. */
export function shownResult(result: unknown): Shown {
  const isFailure = isFailed(result)
  const attachments = isToolResult(result) ? (result.attachments ?? []) : []
  return { isFailure, parts: [{ type: 'text', text: textOf(result) }, ...attachments.map(partOf)] }
}

export function shownText(text: string): Shown {
  return { isFailure: false, parts: [{ type: 'text', text }] }
}

/** The text of a result that is nothing but text; null for any other. */
export function onlyText({ parts: [first, ...more] }: Shown): string | null {
  return first?.type === 'text' && more.length === 0 ? first.text : null
}

/** True for `{ error, message? }`, a failure that a tool returns for the model. */
export function isFailed(result: unknown): result is { error: string } {
  return (
    typeof result === 'object' &&
    result !== null &&
    typeof (result as { error?: unknown }).error === 'string' &&
    !isToolResult(result)
  )
}

/** The text of a result. A value that is not JSON, such as a circular one, is shown as well as possible. */
function textOf(result: unknown): string {
  try {
    return outputForModel(result)
  } catch {
    return safeStringify(isToolResult(result) ? result.output : result)
  }
}

/** A part of a result. Data is Base64. */
export type ShownPart = { type: 'text'; text: string } | DataPart

export interface DataPart {
  type: 'data'
  data: string
  mediaType: string
  filename?: string
}

/** The part for an attachment; unknown forms are shown as JSON. */
function partOf(attachment: unknown): ShownPart {
  const { data, mediaType, url, text, name } = readAttachment(attachment)
  if (data !== undefined) return partOfData(data, mediaType, name)
  // Frameworks would fetch any URL, and fail as a whole if they cannot.
  return { type: 'text', text: url ?? text ?? safeStringify(attachment) }
}

/** The part for Base64 data. */
export function partOfData(data: string, mediaType = 'application/octet-stream', name?: string): ShownPart {
  return { type: 'data', data, mediaType, ...(name !== undefined && { filename: name }) }
}
