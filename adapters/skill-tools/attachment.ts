/** An attachment of a result, in whatever form the tool gives it. */
export interface Attachment {
  /** Base64. */
  data: string | undefined
  mediaType: string | undefined
  /** Its URL, if its data is not included. */
  url: string | undefined
  text: string | undefined
  name: string | undefined
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,/i

/**
 * Reads an attachment by the fields that tools commonly give: `data` in Base64 or as bytes, or `url`, of which a
 * `data:` URL is data; `mediaType`, `mimeType` or `mime`; `filename` or `name`; or `text`.
 */
export function readAttachment(attachment: unknown): Attachment {
  if (typeof attachment === 'string') return { ...NOTHING, text: attachment }
  const given = (attachment ?? {}) as Record<string, unknown>
  const first = (...names: string[]): string | undefined =>
    names.map(name => given[name]).find(value => typeof value === 'string') as string | undefined
  const { data } = given
  const found = {
    mediaType: first('mediaType', 'mimeType', 'mime'),
    text: first('text'),
    name: first('filename', 'name'),
  }
  if (data instanceof Uint8Array) return { ...found, data: toBase64(data), url: undefined }
  if (typeof data === 'string') return { ...found, data, url: undefined }
  return { ...NOTHING, ...found, ...ofUrl(first('url'), found.mediaType) }
}

const NOTHING: Attachment = {
  data: undefined,
  mediaType: undefined,
  url: undefined,
  text: undefined,
  name: undefined,
}

/** The URL of an attachment, or its data. */
function ofUrl(url: string | undefined, mediaType: string | undefined): Partial<Attachment> {
  const [prefix, inUrl, base64] = DATA_URL.exec(url ?? '') ?? []
  if (url === undefined || prefix === undefined) return { url }
  const data = base64 ? url.slice(prefix.length) : decoded(url.slice(prefix.length))
  return data === null ? { url } : { data, mediaType: mediaType ?? (inUrl || 'text/plain') }
}

/** The text of a `data:` URL in Base64; null if it is malformed. */
function decoded(text: string): string | null {
  try {
    return toBase64(new TextEncoder().encode(decodeURIComponent(text)))
  } catch {
    return null
  }
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  // In chunks, since the number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}
