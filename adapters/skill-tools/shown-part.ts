import { safeStringify } from 'agent-apps'
import { readAttachment } from './attachment.js'

/** A part of what a model is shown. Data is Base64. */
export type ShownPart = { type: 'text'; text: string } | DataPart

export interface DataPart {
  type: 'data'
  data: string
  mediaType: string
  filename?: string
}

/** The part for an attachment of a result. What says nothing that is known is shown as JSON. */
export function partOf(attachment: unknown): ShownPart {
  const { data, mediaType, url, text, name } = readAttachment(attachment)
  if (data !== undefined) return partOfData(data, mediaType, name)
  // A framework would fetch a URL, wherever it leads, and fail as a whole where it cannot.
  return { type: 'text', text: url ?? text ?? safeStringify(attachment) }
}

/** The part for Base64 data. */
export function partOfData(data: string, mediaType = 'application/octet-stream', name?: string): ShownPart {
  return { type: 'data', data, mediaType, ...(name !== undefined && { filename: name }) }
}
