import { defineTool, type ToolContext, type ToolResult } from 'agent-apps'
import { throwIfAborted } from '../../workspace/files/aborted.js'
import { pathKey } from '../../workspace/wall/path-key.js'
import { expectSameRules } from '../../workspace/wall/same-rules.js'
import { sessionOf, workspaceOf } from '../../workspace/wall/workspace.js'
import { boundedOutput, MAX_OUTPUT, outputMax } from './files/output-folder.js'
import { pathPattern } from './tree/path-pattern.js'
import { startFolder } from './tree/start-folder.js'
import { walkTree } from './tree/walk-tree.js'

interface Arguments {
  pattern: string
  path: string
  limit: number
}

export default defineTool({
  name: 'glob',
  description:
    'Finds files of the workspace by a pattern for their paths, such as `src/**/*.ts`; the last changed come first.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['read'] },
  params: {
    type: 'object',
    properties: {
      pattern: {
        type: 'string',
        minLength: 1,
        description: 'With `*`, `?`, `[a-z]` and `{a,b}` within a name, and `**` for any number of folders.',
      },
      path: { type: 'string', default: '.', description: 'The folder where the pattern starts.' },
      limit: { type: 'integer', minimum: 1, maximum: 100000, default: 200, description: 'Maximum paths.' },
    },
    required: ['pattern'],
    additionalProperties: false,
  },
  config: { type: 'object', properties: { maxOutput: MAX_OUTPUT }, additionalProperties: false },
  deriveApprovalKey: ({ path, pattern }) => pathKey(`${path ?? '.'}/${pattern}`),
  execute: async (args, ctx) => glob(args as unknown as Arguments, ctx),
})

async function glob(args: Arguments, ctx: ToolContext): Promise<ToolResult> {
  const { pattern: written, path, limit } = args
  const workspace = await workspaceOf(ctx)
  const pattern = pathPattern(written)
  const start = await startFolder(path, workspace)
  await expectSameRules(ctx, start, args)
  ctx.update({ title: `Looking for ${written}` })
  const found: { path: string; time: number }[] = []
  await walkTree(start, workspace, {
    check: () => throwIfAborted(ctx),
    enters: item => pattern.mayEnter(item.path, item.depth),
    take: item => {
      if (item.kind === 'folder' || !pattern.matches(item.path)) return
      const time = item.folder.stat(item.name)?.mtimeMs
      if (time !== undefined) found.push({ path: item.path, time })
    },
  })
  throwIfAborted(ctx)
  // Equal times keep the order of the walk.
  found.sort((a, b) => b.time - a.time)
  const prefix = start.path === '.' ? '' : `${start.path}/`
  const lines = found.slice(0, limit).map(one => prefix + one.path)
  const isCut = found.length > limit
  const { output, truncated } = await boundedOutput(
    lines.join('\n'),
    'glob',
    sessionOf(workspace, ctx),
    outputMax(ctx),
  )
  const more = isCut
    ? `\n[${found.length - limit} more. Give a narrower pattern, or a higher \`limit\`.]`
    : ''
  return {
    title: `${found.length} ${found.length === 1 ? 'file' : 'files'} for ${written}`,
    metadata: { count: found.length, truncated: truncated || isCut },
    output: found.length === 0 ? '[No files.]' : output + more,
  }
}
