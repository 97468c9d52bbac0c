import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { foreignText } from 'agent-apps'

/** The limits of an answer: characters of text, and of attachments as base64. */
const LIMITS = { text: 100_000, attached: 4 * 1024 * 1024 }

/** A server's answer as a tool result, with its text marked as foreign and cut to the limits. */
export function resultOf(
  { content = [], structuredContent, isError }: CallToolResult,
  { server, tool }: { server: string; tool: string },
): unknown {
  const written = content.map(textOf).filter(text => text !== null)
  const whole =
    written.length === 0 && structuredContent !== undefined
      ? JSON.stringify(structuredContent)
      : written.join('\n')
  const shown = foreignText(whole.slice(0, LIMITS.text), `the server "${server}"`)
  const more = whole.length > LIMITS.text ? '\n[The answer was cut.]' : ''
  if (isError) return { error: 'TOOL_FAILED', message: shown + more }
  const { kept, left } = attachmentsIn(content)
  const note = left === 0 ? '' : `\n[${left} attached files were left out, since they are too large.]`
  const isKept =
    structuredContent !== undefined && JSON.stringify(structuredContent).length <= LIMITS.attached
  return {
    title: tool,
    metadata: { server, tool, ...(isKept && { structuredContent }) },
    output: shown + more + note,
    ...(kept.length > 0 && { attachments: kept }),
  }
}

/** The text of a block. A link becomes text, so that no host fetches it automatically. */
function textOf(block: ContentBlock): string | null {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return `${block.name}: ${block.uri}`
    case 'resource':
      return 'text' in block.resource ? block.resource.text : null
    default:
      return null
  }
}

interface Attachment {
  mimeType: string
  /** Base64. */
  data: string
  filename?: string
}

function attachmentsIn(content: readonly ContentBlock[]): { kept: Attachment[]; left: number } {
  const kept: Attachment[] = []
  let room = LIMITS.attached
  let left = 0
  for (const attachment of content.map(attachmentOf)) {
    if (attachment === null) continue
    if (attachment.data.length > room) left++
    else {
      room -= attachment.data.length
      kept.push(attachment)
    }
  }
  return { kept, left }
}

function attachmentOf(block: ContentBlock): Attachment | null {
  if (block.type === 'image' || block.type === 'audio') return { mimeType: block.mimeType, data: block.data }
  if (block.type !== 'resource' || !('blob' in block.resource)) return null
  const { blob, mimeType = 'application/octet-stream', uri } = block.resource
  return { mimeType, data: blob, filename: uri.replace(/^.*[/\\]/, '') }
}
