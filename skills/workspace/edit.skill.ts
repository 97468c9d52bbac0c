import {
  AgentAppsError,
  defineTool,
  type PreviewContext,
  type ToolContext,
  type ToolResult,
} from 'agent-apps'
import { throwIfAborted } from '../../workspace/files/aborted.js'
import { nearPaths } from '../../workspace/files/open-to-read.js'
import { replaceFile } from '../../workspace/files/replace-file.js'
import { notFile, notFound } from '../../workspace/wall/open-place.js'
import { pathKey } from '../../workspace/wall/path-key.js'
import { foreseen } from '../../workspace/wall/same-rules.js'
import { foreseenChange, plainTexts, takesLong, unforeseen } from './files/foreseen-change.js'
import { inTurn, type Turn } from './files/in-turn.js'
import { type KnownContents, knownAs, knownContents, knownSize } from './files/known-text.js'
import { type Edit, replaceText } from './files/replace-text.js'
import { textChange } from './files/text-diff.js'

interface Arguments extends Partial<Edit> {
  path: string
  edits?: Edit[]
}

export default defineTool({
  name: 'edit',
  description:
    'Replaces text in a file that was read before: `old` by `new`, or several `edits`, all of them or none.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['write'] },
  params: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file, relative to the root of the workspace.' },
      old: {
        type: 'string',
        minLength: 1,
        description: 'The text to replace, exactly as in the file, with enough context to occur once.',
      },
      new: { type: 'string', description: 'The new text.' },
      all: { type: 'boolean', default: false, description: 'Replaces every occurrence.' },
      edits: {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        description: 'Instead of `old` and `new`: several replacements, in order.',
        items: {
          type: 'object',
          properties: {
            old: { type: 'string', minLength: 1, description: 'As `old` above.' },
            new: { type: 'string', description: 'As `new` above.' },
            all: { type: 'boolean', default: false, description: 'As `all` above.' },
          },
          required: ['old', 'new'],
          additionalProperties: false,
        },
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
  deriveApprovalKey: ({ path }) => pathKey(String(path)),
  preview: (args, ctx) => preview(args as unknown as Arguments, ctx),
  execute: async (args, ctx) => edit(args as unknown as Arguments, ctx),
})

async function edit(args: Arguments, ctx: ToolContext): Promise<ToolResult> {
  const edits = editsOf(args)
  return inTurn(args, ctx, async turn => {
    const { place, session } = turn
    const { path } = place
    ctx.update({ title: `Editing ${path}` })
    const { known, text, replaced } = await planned(edits, turn)
    const bytes = Buffer.from(text)
    const stat = await replaceFile(place, bytes, known.stat, () => throwIfAborted(ctx))
    session.read.set(place.real, knownAs(bytes, stat))
    const { diff } = textChange(path, known.text, text)
    return { title: `Edited ${path}`, metadata: { path, replaced, diff }, output: diff }
  })
}

/** The current file, and its text after the edits. */
async function planned(
  edits: readonly Edit[],
  { place, workspace, session }: Turn,
): Promise<{ known: KnownContents & { text: string }; text: string; replaced: number }> {
  if (!place.exists) throw notFound(place, await nearPaths(place, workspace))
  const { stat, text } = await knownContents(place, session)
  if (text === null) throw notFile(place, 'is not text')
  return { known: { stat, text }, ...replaceText(text, edits, place.path) }
}

async function preview(args: Arguments, ctx: PreviewContext): Promise<string> {
  const edits = editsOf(args)
  const plain = plainTexts(edits.flatMap(one => [['-', one.old] as const, ['+', one.new] as const]))
  const look = (): Promise<string> =>
    inTurn(args, ctx, async turn => {
      if (takesLong(knownSize(turn), edits.length)) return unforeseen(turn.place.path, plain)
      const { known, text } = await planned(edits, turn)
      return foreseenChange(turn.place.path, known, text, plain)
    })
  return foreseen(ctx, args.path, look, plain)
}

function editsOf({ old, new: wanted, all, edits }: Arguments): readonly Edit[] {
  const isOne = old !== undefined && wanted !== undefined
  if (isOne && edits === undefined) return [{ old, new: wanted, ...(all !== undefined && { all }) }]
  if (edits !== undefined && old === undefined && wanted === undefined) return edits
  throw new AgentAppsError('ARGS_INVALID', 'The arguments of "edit" do not say what to replace.', {
    hint: 'Give either `old` and `new`, or `edits`.',
    tool: 'edit',
  })
}
