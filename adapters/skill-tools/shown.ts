import { isToolResult, outputForModel, safeStringify } from 'agent-apps'
import { readAttachment } from './attachment.js'

/** A call's result as a model is shown it. */
export interface Shown {
  isFailure: boolean
  /** One part, unless there are attachments. */
  parts: ShownPart[]
}

/** A tool's result as a model is shown it. It may have been stored as JSON meanwhile, with the messages. */
export function shownResult(result: unknown): Shown {
  const isFailure = isFailed(result)
  const attachments = isToolResult(result) ? (result.attachments ?? []) : []
  return { isFailure, parts: [{ type: 'text', text: textOf(result) }, ...attachments.map(partOf)] }
}

export function shownText(text: string): Shown {
  return { isFailure: false, parts: [{ type: 'text', text }] }
}

/** The only text that is shown; null where there is more, or something else. */
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

/** The text of a result. A value that is not JSON, such as a circle, is shown as well as possible: this may run long after the call. */
function textOf(result: unknown): string {
  try {
    return outputForModel(result)
  } catch {
    return safeStringify(isToolResult(result) ? result.output : result)
  }
}

/** A part of what a model is shown. Data is Base64. */
export type ShownPart = { type: 'text'; text: string } | DataPart

export interface DataPart {
  type: 'data'
  data: string
  mediaType: string
  filename?: string
}

/** The part for an attachment of a result. What says nothing that is known is shown as JSON. */
function partOf(attachment: unknown): ShownPart {
  const { data, mediaType, url, text, name } = readAttachment(attachment)
  if (data !== undefined) return partOfData(data, mediaType, name)
  // A framework would fetch a URL, wherever it leads, and fail as a whole where it cannot.
  return { type: 'text', text: url ?? text ?? safeStringify(attachment) }
}

/** The part for Base64 data. */
export function partOfData(data: string, mediaType = 'application/octet-stream', name?: string): ShownPart {
  return { type: 'data', data, mediaType, ...(name !== undefined && { filename: name }) }
}
