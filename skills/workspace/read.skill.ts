import { AgentAppsError, defineTool, type ToolContext, type ToolResult } from 'agent-apps'
import { throwIfAborted } from '../../workspace/files/aborted.js'
import { openToRead } from '../../workspace/files/open-to-read.js'
import type { OpenFile } from '../../workspace/wall/open-place.js'
import { pathKey } from '../../workspace/wall/path-key.js'
import { type Place, placeOf } from '../../workspace/wall/place.js'
import { expectSameRules } from '../../workspace/wall/same-rules.js'
import { outputFolders, type Session, sessionOf, workspaceOf } from '../../workspace/wall/workspace.js'
import { ATTACHED_MAX, attachedType } from './files/attached-file.js'
import { knownAs } from './files/known-text.js'
import { NotText, numberedLines } from './files/numbered-lines.js'
import { MAX_OUTPUT, outputMax } from './files/output-folder.js'

interface Arguments {
  path: string
  offset: number
  limit: number
}

export default defineTool({
  name: 'read',
  description:
    'Reads a text file of the workspace, with line numbers, or shows an image or PDF. Read a file before you change it.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['read'] },
  params: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file, relative to the root of the workspace.' },
      offset: { type: 'integer', minimum: 1, default: 1, description: 'The first line, from 1.' },
      limit: { type: 'integer', minimum: 1, maximum: 10000, default: 2000, description: 'Maximum lines.' },
    },
    required: ['path'],
    additionalProperties: false,
  },
  config: { type: 'object', properties: { maxOutput: MAX_OUTPUT }, additionalProperties: false },
  deriveApprovalKey: ({ path }) => pathKey(String(path)),
  execute: async (args, ctx) => read(args as unknown as Arguments, ctx),
})

async function read(args: Arguments, ctx: ToolContext): Promise<ToolResult> {
  const workspace = await workspaceOf(ctx)
  const session = sessionOf(workspace, ctx)
  const place = await placeOf(args.path, workspace, await outputFolders(session))
  await expectSameRules(ctx, place, args)
  const file = await openToRead(place, workspace)
  try {
    ctx.update({ title: `Reading ${place.path}` })
    const mime = await attachedType(file.handle)
    if (mime !== null) return await attached(file, place, mime, session)
    return await lines(file, place, args, session, ctx)
  } finally {
    await file.handle.close()
  }
}

async function lines(
  { handle, stat }: OpenFile,
  place: Place,
  { offset, limit }: Arguments,
  session: Session,
  ctx: ToolContext,
): Promise<ToolResult> {
  const { path } = place
  try {
    const page = { from: offset, most: limit, bound: outputMax(ctx) }
    const found = await numberedLines(handle, page, () => throwIfAborted(ctx))
    const { bytes, digest, last, truncated } = found
    if (offset > 1 && offset > found.lines) {
      throw new AgentAppsError('FILE_UNUSABLE', `${path} has only ${found.lines} lines.`, {
        hint: `Give an \`offset\` of at most ${Math.max(1, found.lines)}.`,
        file: path,
      })
    }
    session.read.set(place.real, { size: bytes, time: stat.mtimeMs, digest })
    const more =
      last < found.lines
        ? `\n[Lines ${offset} to ${last} of ${found.lines}. Continue with offset ${last + 1}.]`
        : ''
    return {
      title: `Read ${path}`,
      metadata: { path, bytes, lines: found.lines, truncated },
      output: found.lines === 0 ? '[The file is empty.]' : found.text + more,
    }
  } catch (error) {
    if (!(error instanceof NotText)) throw error
    throw new AgentAppsError('FILE_UNUSABLE', `${path} is not text: it is a binary file.`, {
      hint: 'Only text in UTF-8, images (PNG, JPEG, GIF, WebP) and PDF can be read.',
      file: path,
    })
  }
}

async function attached(
  { handle, stat }: OpenFile,
  place: Place,
  mime: string,
  session: Session,
): Promise<ToolResult> {
  const { path } = place
  if (stat.size > ATTACHED_MAX) {
    throw new AgentAppsError('FILE_UNUSABLE', `${path} is too large to be shown: ${stat.size} bytes.`, {
      hint: `Images and PDFs of up to ${ATTACHED_MAX} bytes can be read.`,
      file: path,
    })
  }
  const data = await handle.readFile()
  session.read.set(place.real, knownAs(data, stat))
  return {
    title: `Read ${path}`,
    metadata: { path, bytes: data.length, lines: 0, truncated: false },
    output: `[${path} is attached: ${mime}, ${data.length} bytes.]`,
    attachments: [{ type: 'file', mime, name: path, data: data.toString('base64') }],
  }
}
