import type { ContentBlock } from '@modelcontextprotocol/server'
import { safeStringify } from 'agent-apps'
import { readAttachment } from '../skill-tools/attachment.js'

/** An attachment as the part of a message: an image, a sound, a file, a link, or a text. */
export function attachmentBlock(attachment: unknown): ContentBlock {
  const { data, mediaType, url, text, name = 'attachment' } = readAttachment(attachment)
  if (data !== undefined) return dataBlock(data, mediaType ?? 'application/octet-stream', name)
  if (url !== undefined)
    return { type: 'resource_link', uri: url, name, ...(mediaType !== undefined && { mimeType: mediaType }) }
  return { type: 'text', text: text ?? safeStringify(attachment) }
}

function dataBlock(data: string, mimeType: string, name: string): ContentBlock {
  const [kind] = mimeType.split('/')
  if (kind === 'image' || kind === 'audio') return { type: kind, data, mimeType }
  return {
    type: 'resource',
    resource: { uri: `attachment:${encodeURIComponent(name)}`, mimeType, blob: data },
  }
}
