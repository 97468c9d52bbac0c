import { defineTool, type ToolContext, type ToolResult } from 'agent-apps'
import { mustGoOn } from '../../workspace/files/going-on.js'
import { oneAtATime } from '../../workspace/files/one-at-a-time.js'
import { replaceFile } from '../../workspace/files/replace-file.js'
import { pathKey } from '../../workspace/wall/path-key.js'
import { placeOf } from '../../workspace/wall/place.js'
import { expectWritable } from '../../workspace/wall/protected-files.js'
import { expectSameRules } from '../../workspace/wall/same-rules.js'
import { sessionOf, workspaceOf } from '../../workspace/wall/workspace.js'
import { knownAs, knownContents } from './files/known-text.js'
import { inStyleOf } from './files/line-endings.js'
import { textDiff } from './files/text-diff.js'

interface Arguments {
  path: string
  content: string
}

export default defineTool({
  name: 'write',
  description:
    'Creates a file of the workspace, or replaces the content of one that was read before. To change a part, use edit.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['write'] },
  params: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file, relative to the root of the workspace.' },
      content: { type: 'string', description: 'All of its text.' },
    },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  deriveApprovalKey: ({ path }) => pathKey(String(path)),
  preview: ({ path, content }) => textDiff(pathKey(String(path)), '', String(content)),
  execute: async (args, ctx) => write(args as unknown as Arguments, ctx),
})

async function write(args: Arguments, ctx: ToolContext): Promise<ToolResult> {
  const { path: given, content } = args
  const workspace = await workspaceOf(ctx)
  const session = sessionOf(workspace, ctx)
  const { real } = await placeOf(given, workspace)
  return oneAtATime(real, async () => {
    mustGoOn(ctx)
    // An earlier call may have created it, or a folder on the way.
    const place = await placeOf(given, workspace)
    expectWritable(workspace.protected, place)
    await expectSameRules(ctx, place, args)
    const { path } = place
    ctx.update({ title: `Writing ${path}` })
    const known = place.exists ? await knownContents(place, session) : null
    const text = known?.text ? inStyleOf(known.text, content) : content
    const bytes = Buffer.from(text)
    const stat = await replaceFile(place, bytes, known?.stat ?? null, () => mustGoOn(ctx))
    session.read.set(place.real, knownAs(bytes, stat))
    const diff = known?.text === null ? '' : textDiff(path, known?.text ?? '', text)
    const title = known ? `Wrote ${path}` : `Created ${path}`
    return {
      title,
      metadata: { path, created: known === null, diff, bytes: bytes.length },
      output: `${title}: ${bytes.length} bytes.`,
    }
  })
}
