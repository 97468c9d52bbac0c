import type { MessageContent } from '@langchain/core/messages'
import { onlyText, type Shown } from '../skill-tools/shown.js'
import type { ShownPart } from '../skill-tools/shown-part.js'

/** A shown result as the content of a message. */
export function messageContent(shown: Shown): MessageContent {
  return onlyText(shown) ?? shown.parts.map(contentBlock)
}

function contentBlock(part: ShownPart) {
  if (part.type === 'text') return part
  const { data, mediaType, filename } = part
  const [kind = ''] = mediaType.split('/')
  return {
    type: ['image', 'audio', 'video'].includes(kind) ? kind : 'file',
    mimeType: mediaType,
    data,
    ...(filename !== undefined && { metadata: { filename } }),
  }
}
