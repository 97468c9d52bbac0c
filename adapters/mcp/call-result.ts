import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { isToolResult, outputForModel, safeStringify, type ToolDef } from 'agent-apps'
import { isObject } from '../is-object.js'
import { readAttachment } from '../skill-tools/attachment.js'
import { isFailed } from '../skill-tools/shown.js'
import { skillUri } from './skill-uris.js'

/** A tool's result for a client: text for the model, the value for programs, and attachments. */
export function callResult(result: unknown, tool: ToolDef): CallToolResult {
  if (isFailed(result)) return failureResult(result)
  if (isOpened(result, tool)) return { content: openedContent(result, tool) }
  const shown = isToolResult(result) ? result.output : result
  const attachments = isToolResult(result) ? (result.attachments ?? []) : []
  return {
    content: [text(outputForModel(result)), ...attachments.map(attachmentBlock)],
    ...(isStructured(shown, tool) && {
      structuredContent: JSON.parse(JSON.stringify(shown)) as Record<string, unknown>,
    }),
  }
}

/** The result of a failed call. */
export function failureResult(failure: object): CallToolResult {
  return { content: [text(JSON.stringify(failure))], isError: true }
}

/** A skill's text, with links to its other files, which the Skills extension serves. */
export function openedContent({ content, resources }: Opened, tool: ToolDef): ContentBlock[] {
  const links = resources.map(
    ({ path, size }): ContentBlock => ({
      type: 'resource_link',
      uri: skillUri(tool.name, path),
      name: path,
      size,
    }),
  )
  return [text(content), ...links]
}

/** An opened skill. The result for a skill without other files is only its text. */
export function openedOf(result: unknown, tool: ToolDef): Opened {
  return isOpened(result, tool) ? result : { content: outputForModel(result), resources: [] }
}

interface Opened {
  content: string
  resources: { path: string; size: number }[]
}

function isOpened(result: unknown, { runs }: ToolDef): result is Opened {
  return !runs && isObject(result) && typeof result.content === 'string' && Array.isArray(result.resources)
}

/** A value that fits `returns`, or without `returns` any object, can be given as structured content. */
function isStructured(value: unknown, { runs, frontmatter }: ToolDef): boolean {
  return runs && value !== undefined && (frontmatter.returns !== undefined || isObject(value))
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}

/** An attachment as a part of a message: an image, a sound, a file, a link, or text. */
function attachmentBlock(attachment: unknown): ContentBlock {
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
