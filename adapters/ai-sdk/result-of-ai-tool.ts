import { safeStringify } from 'agent-apps'
import type { Tool } from 'ai'

type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>

/** The result of an SDK tool in the form of our tools, with the whole returned value beside it. */
export function resultOf(title: string, output: unknown, shown: ModelOutput): unknown {
  const metadata = { output }
  switch (shown.type) {
    case 'text':
    case 'json':
      return { title, metadata, output: shown.value }
    case 'content':
      return { title, metadata, ...contentOf(shown.value as readonly Part[]) }
    case 'execution-denied':
      return { error: 'TOOL_FAILED', message: shown.reason ?? 'The call was denied.' }
    default:
      return { error: 'TOOL_FAILED', message: textOf(shown.value) }
  }
}

/** A part of what a model is shown, of either version. */
interface Part {
  type: string
  text?: string
  /** Base64; in version 7, data or a URL. */
  data?: string | { type: string; data?: unknown; url?: unknown }
  url?: string
  mediaType?: string
  filename?: string
}

function contentOf(parts: readonly Part[]): { output: string; attachments?: unknown[] } {
  const isText = ({ type }: Part): boolean => type === 'text'
  const output = parts.filter(isText).map(({ text }) => text)
  const attachments = parts.filter(part => !isText(part)).map(attachmentOf)
  return { output: output.join('\n'), ...(attachments.length > 0 && { attachments }) }
}

/** A part with data or a URL, as an attachment has them. Another is one as it is. */
function attachmentOf(part: Part): unknown {
  const { data, url, mediaType, filename } = part
  const given = typeof data === 'object' ? { data: data.data, url: data.url } : { data, url }
  if (given.data === undefined && given.url === undefined) return part
  return JSON.parse(JSON.stringify({ ...given, url: textUrl(given.url), mediaType, filename }))
}

function textUrl(url: unknown): string | undefined {
  return url === undefined ? undefined : String(url)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : safeStringify(value)
}
