import { safeStringify } from 'agent-apps'

/** A part of what a model is shown. Data is Base64. */
export type ShownPart = { type: 'text'; text: string } | DataPart

export interface DataPart {
  type: 'data'
  data: string
  mediaType: string
  filename?: string
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,/i

/**
 * The part for an attachment of a result. It is known by the fields that tools commonly give: `data` in Base64 or
 * as bytes, or `url`, of which only a `data:` URL is read; `mediaType`, `mimeType` or `mime`; `filename`; or `text`.
 * Anything else is shown as JSON.
 */
export function partOf(attachment: unknown): ShownPart {
  if (typeof attachment === 'string') return { type: 'text', text: attachment }
  const { data, url, text, filename, mediaType, mimeType, mime } = (attachment ?? {}) as Record<
    string,
    unknown
  >
  const given = [mediaType, mimeType, mime].find(one => typeof one === 'string') as string | undefined
  const name = typeof filename === 'string' ? filename : undefined
  if (typeof url === 'string') return partOfUrl(url, given, name)
  if (data instanceof Uint8Array) return partOfData(toBase64(data), given, name)
  if (typeof data === 'string') return partOfData(data, given, name)
  return { type: 'text', text: typeof text === 'string' ? text : safeStringify(attachment) }
}

/** The part for Base64 data. */
export function partOfData(data: string, mediaType = 'application/octet-stream', name?: string): ShownPart {
  return { type: 'data', data, mediaType, ...(name !== undefined && { filename: name }) }
}

function partOfUrl(url: string, mediaType?: string, name?: string): ShownPart {
  const [prefix, inUrl, base64] = DATA_URL.exec(url) ?? []
  // The SDK would fetch it, wherever it leads, and fail as a whole where it cannot.
  if (prefix === undefined) return { type: 'text', text: url }
  const data = base64 ? url.slice(prefix.length) : decoded(url.slice(prefix.length))
  if (data === null) return { type: 'text', text: url }
  return partOfData(data, mediaType ?? (inUrl || 'text/plain'), name)
}

/** The text of a `data:` URL in Base64; null where it is not encoded as it must be. */
function decoded(text: string): string | null {
  try {
    return toBase64(new TextEncoder().encode(decodeURIComponent(text)))
  } catch {
    return null
  }
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  // In pieces, as a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}
