import { defineTool, type PreviewContext, type ToolContext, type ToolResult } from 'agent-apps'
import { throwIfAborted } from '../../workspace/files/aborted.js'
import { replaceFile } from '../../workspace/files/replace-file.js'
import { expectFolders } from '../../workspace/wall/open-place.js'
import { pathKey } from '../../workspace/wall/path-key.js'
import { foreseen } from '../../workspace/wall/same-rules.js'
import { foreseenChange, plainTexts, takesLong, unforeseen } from './files/foreseen-change.js'
import { inTurn, type Turn } from './files/in-turn.js'
import { type KnownContents, knownAs, knownContents, knownSize } from './files/known-text.js'
import { inStyleOf } from './files/line-endings.js'
import { textChange } from './files/text-diff.js'

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
      content: { type: 'string', description: 'The whole text.' },
    },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  deriveApprovalKey: ({ path }) => pathKey(String(path)),
  preview: (args, ctx) => preview(args as unknown as Arguments, ctx),
  execute: async (args, ctx) => write(args as unknown as Arguments, ctx),
})

async function write(args: Arguments, ctx: ToolContext): Promise<ToolResult> {
  return inTurn(args, ctx, async turn => {
    const { place, session } = turn
    const { path } = place
    ctx.update({ title: `Writing ${path}` })
    const { known, text } = await planned(args, turn)
    const bytes = Buffer.from(text)
    const stat = await replaceFile(place, bytes, known?.stat ?? null, () => throwIfAborted(ctx))
    session.read.set(place.real, knownAs(bytes, stat))
    const diff = known?.text === null ? '' : textChange(path, known?.text ?? '', text).diff
    const title = known ? `Wrote ${path}` : `Created ${path}`
    return {
      title,
      metadata: { path, created: known === null, diff, bytes: bytes.length },
      output: `${title}: ${bytes.length} bytes.`,
    }
  })
}

/** The current file, null if there is none, and its new text. */
async function planned(
  { content }: Arguments,
  { place, session }: Turn,
): Promise<{ known: KnownContents | null; text: string }> {
  if (!place.exists) await expectFolders(place)
  const known = place.exists ? await knownContents(place, session) : null
  return { known, text: known?.text ? inStyleOf(known.text, content) : content }
}

async function preview(args: Arguments, ctx: PreviewContext): Promise<string> {
  const plain = plainTexts([['+', args.content]])
  const look = (): Promise<string> =>
    inTurn(args, ctx, async turn => {
      if (takesLong(knownSize(turn) + args.content.length)) return unforeseen(turn.place.path, plain)
      const { known, text } = await planned(args, turn)
      return foreseenChange(turn.place.path, known, text, plain)
    })
  return foreseen(ctx, args.path, look, plain)
}
