import type { ContentBlock } from '@modelcontextprotocol/server'

/**
 * What is attached to a result, as the part of a message: an image, a sound, a file, or a link. It is read as
 * `{ mimeType | mediaType | mime, data | url, filename? }`; anything else is shown as JSON.
 */
export function attachmentBlock(attachment: unknown): ContentBlock {
  const { mimeType, data, uri, name } = partsOf(attachment)
  if (data !== undefined && mimeType !== undefined) {
    const [kind] = mimeType.split('/')
    if (kind === 'image' || kind === 'audio') return { type: kind, data, mimeType }
    return {
      type: 'resource',
      resource: { uri: `attachment:${encodeURIComponent(name)}`, mimeType, blob: data },
    }
  }
  if (uri !== undefined)
    return { type: 'resource_link', uri, name, ...(mimeType !== undefined && { mimeType }) }
  return {
    type: 'text',
    text: typeof attachment === 'string' ? attachment : (JSON.stringify(attachment) ?? ''),
  }
}

interface Parts {
  mimeType: string | undefined
  /** Base64. */
  data: string | undefined
  uri: string | undefined
  name: string
}

function partsOf(attachment: unknown): Parts {
  const given = (typeof attachment === 'object' && attachment !== null ? attachment : {}) as Record<
    string,
    unknown
  >
  const { data, url } = given
  const [, dataType, inUrl] = typeof url === 'string' ? (/^data:([^;,]+);base64,(.*)$/s.exec(url) ?? []) : []
  return {
    mimeType: text(given.mimeType) ?? text(given.mediaType) ?? text(given.mime) ?? dataType,
    data: data instanceof Uint8Array ? Buffer.from(data).toString('base64') : (text(data) ?? inUrl),
    uri: inUrl === undefined ? text(url) : undefined,
    name: text(given.filename) ?? text(given.name) ?? 'attachment',
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
