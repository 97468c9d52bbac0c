import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { isToolResult, outputForModel, safeStringify, type ToolDef } from 'agent-apps'
import { readAttachment } from '../skill-tools/attachment.js'
import { isFailed } from '../skill-tools/shown.js'
import { skillUri } from './skill-uris.js'

/** A tool's result as a client gets it: the text for the model, the value for programs, and what is attached. */
export function callResult(result: unknown, tool: ToolDef): CallToolResult {
  if (isFailed(result)) return failureResult(result)
  if (isOpened(result, tool)) return { content: openedContent(result, tool) }
  const shown = isToolResult(result) ? result.output : result
  const attachments = isToolResult(result) ? (result.attachments ?? []) : []
  return {
    content: [text(outputForModel(result)), ...attachments.map(attachmentBlock)],
    ...(isStructured(shown, tool) && { structuredContent: plain(shown) as Record<string, unknown> }),
  }
}

/** The result that a model gets for a failed call. */
export function failureResult(failure: object): CallToolResult {
  return { content: [text(JSON.stringify(failure))], isError: true }
}

/** A skill's text, and where its other files are read: the links lead to what the Skills extension serves. */
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

/** An opened skill; a skill without other files is its text. */
export function openedOf(result: unknown, tool: ToolDef): Opened {
  return isOpened(result, tool) ? result : { content: outputForModel(result), resources: [] }
}

export interface Opened {
  content: string
  resources: { path: string; size: number }[]
}

function isOpened(result: unknown, { runs }: ToolDef): result is Opened {
  return !runs && isObject(result) && typeof result.content === 'string' && Array.isArray(result.resources)
}

/** A value of a tool with `returns` was compared with that; of others, only an object may be given. */
function isStructured(value: unknown, { runs, frontmatter }: ToolDef): boolean {
  return runs && value !== undefined && (frontmatter.returns !== undefined || isObject(value))
}

/** As JSON has it: what a tool returns may hold more. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An attachment as the part of a message: an image, a sound, a file, a link, or a text. */
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
