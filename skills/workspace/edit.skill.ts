import { AgentAppsError, defineTool, type ToolContext, type ToolResult } from 'agent-apps'
import { mustGoOn } from '../../workspace/files/going-on.js'
import { nearPaths } from '../../workspace/files/near-paths.js'
import { oneAtATime } from '../../workspace/files/one-at-a-time.js'
import { replaceFile } from '../../workspace/files/replace-file.js'
import { notFile, notFound } from '../../workspace/wall/open-place.js'
import { pathKey } from '../../workspace/wall/path-key.js'
import { placeOf } from '../../workspace/wall/place.js'
import { expectWritable } from '../../workspace/wall/protected-files.js'
import { expectSameRules } from '../../workspace/wall/same-rules.js'
import { sessionOf, workspaceOf } from '../../workspace/wall/workspace.js'
import { knownAs, knownContents } from './files/known-text.js'
import { type Edit, replaceText } from './files/replace-text.js'
import { textDiff } from './files/text-diff.js'

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
        description:
          'The text to be replaced, exactly as in the file, and with enough around it to occur once.',
      },
      new: { type: 'string', description: 'What takes its place.' },
      all: { type: 'boolean', default: false, description: 'Replaces every occurrence.' },
      edits: {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        description: 'Instead of `old` and `new`: several replacements, made one after the other.',
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
  preview: args => {
    const { path, ...given } = args as unknown as Arguments
    return editsOf({ path, ...given })
      .map(one => textDiff(pathKey(path), ...asLines(one)))
      .join('')
  },
  execute: async (args, ctx) => edit(args as unknown as Arguments, ctx),
})

async function edit(args: Arguments, ctx: ToolContext): Promise<ToolResult> {
  const edits = editsOf(args)
  const workspace = await workspaceOf(ctx)
  const session = sessionOf(workspace, ctx)
  const { real } = await placeOf(args.path, workspace)
  return oneAtATime(real, async () => {
    mustGoOn(ctx)
    const place = await placeOf(args.path, workspace)
    expectWritable(workspace.protected, place)
    await expectSameRules(ctx, place, args)
    const { path } = place
    if (!place.exists) throw notFound(place, await nearPaths(place, workspace))
    ctx.update({ title: `Editing ${path}` })
    const known = await knownContents(place, session)
    if (known.text === null) throw notFile(place, 'is not text')
    const { text, replaced } = replaceText(known.text, edits, path)
    const bytes = Buffer.from(text)
    const stat = await replaceFile(place, bytes, known.stat, () => mustGoOn(ctx))
    session.read.set(place.real, knownAs(bytes, stat))
    const diff = textDiff(path, known.text, text)
    return { title: `Edited ${path}`, metadata: { path, replaced, diff }, output: diff }
  })
}

/** Both texts of an edit, for a person: a piece of a line is no line without its end. */
function asLines({ old, new: wanted }: Edit): [string, string] {
  return old.endsWith('\n') || wanted.endsWith('\n') ? [old, wanted] : [`${old}\n`, `${wanted}\n`]
}

function editsOf({ old, new: wanted, all, edits }: Arguments): readonly Edit[] {
  const isOne = old !== undefined && wanted !== undefined
  if (isOne && edits === undefined) return [{ old, new: wanted, ...(all !== undefined && { all }) }]
  if (edits !== undefined && old === undefined && wanted === undefined) return edits
  throw new AgentAppsError(
    'ARGS_INVALID',
    'The arguments of "edit" are invalid: it is unclear what to replace.',
    {
      hint: 'Give either `old` and `new`, or `edits`.',
      tool: 'edit',
    },
  )
}
