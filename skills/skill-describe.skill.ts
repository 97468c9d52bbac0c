import { type Context, ctxFolder, ctxTool, type ToolResult } from 'agent-apps'
import { schemasOf, summaryOf } from './tool-summary.js'

export const frontmatter = {
  name: 'skill-describe',
  description:
    'Describes one tool: tags, arguments, result, files; on demand its content, without running it.',
  metadata: {
    tags: ['meta-runnable'],
    params: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of the tool.' },
        content: { type: 'boolean', default: false, description: 'Also give its instructions in full.' },
      },
      required: ['name'],
      additionalProperties: false,
    },
  },
}

export default async function skillDescribe(
  ctx: Context,
  { name, content }: { name: string; content: boolean },
): Promise<ToolResult> {
  const tool = await ctxTool(ctx, name, content)
  const { kind, frontmatter: about, origin } = tool
  const allowed = about['allowed-tools']
  return {
    title: tool.name,
    metadata: { layer: origin.layer, via: origin.via },
    output: {
      ...summaryOf(tool),
      kind,
      ...(about.role && { role: about.role }),
      ...(about.visibility && { visibility: about.visibility }),
      ...schemasOf(tool, ctx),
      ...(allowed !== undefined && { allowedTools: allowed }),
      ...(await ctxFolder(ctx, tool)),
      ...(content && tool.content && { content: await tool.content() }),
    },
  }
}
