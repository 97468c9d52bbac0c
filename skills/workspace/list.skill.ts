import { defineTool, type ToolContext, type ToolResult } from 'agent-apps'
import { throwIfAborted } from '../../workspace/files/aborted.js'
import { pathKey } from '../../workspace/wall/path-key.js'
import { expectSameRules } from '../../workspace/wall/same-rules.js'
import { sessionOf, workspaceOf } from '../../workspace/wall/workspace.js'
import { boundedOutput, MAX_OUTPUT, outputMax } from './files/output-folder.js'
import { startFolder } from './tree/start-folder.js'
import { walkTree } from './tree/walk-tree.js'

interface Arguments {
  path: string
  depth: number
  limit: number
}

export default defineTool({
  name: 'list',
  description: 'Shows a folder of the workspace and the folders below it as a tree.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['read'] },
  params: {
    type: 'object',
    properties: {
      path: { type: 'string', default: '.', description: 'The folder.' },
      depth: { type: 'integer', minimum: 1, maximum: 100, default: 3, description: 'The levels to show.' },
      limit: { type: 'integer', minimum: 1, maximum: 100000, default: 500, description: 'Maximum entries.' },
    },
    additionalProperties: false,
  },
  config: { type: 'object', properties: { maxOutput: MAX_OUTPUT }, additionalProperties: false },
  deriveApprovalKey: ({ path }) => pathKey(String(path ?? '.')),
  execute: async (args, ctx) => list(args as unknown as Arguments, ctx),
})

async function list(args: Arguments, ctx: ToolContext): Promise<ToolResult> {
  const { path, depth, limit } = args
  const workspace = await workspaceOf(ctx)
  const start = await startFolder(path, workspace)
  await expectSameRules(ctx, start, args)
  ctx.update({ title: `Listing ${start.path}` })
  const lines = [start.path === '.' ? './' : `${start.path}/`]
  let isCut = false
  await walkTree(start, workspace, {
    check: () => throwIfAborted(ctx),
    enters: item => item.depth + 1 < depth,
    take: item => {
      isCut = lines.length > limit
      if (isCut) return false
      const sign = { file: '', folder: '/', link: '@' }[item.kind]
      lines.push(`${'  '.repeat(item.depth + 1)}${item.name}${sign}`)
      return undefined
    },
  })
  throwIfAborted(ctx)
  const { output, truncated } = await boundedOutput(
    lines.join('\n'),
    'list',
    sessionOf(workspace, ctx),
    outputMax(ctx),
  )
  const more = isCut ? `\n[Cut after ${limit} entries. Give a deeper folder, or a higher \`limit\`.]` : ''
  return {
    title: `Listed ${start.path}`,
    metadata: { entries: lines.length - 1, truncated: truncated || isCut },
    output: output + more,
  }
}
