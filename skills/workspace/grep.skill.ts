import { defineTool, type ToolContext, type ToolResult } from 'agent-apps'
import { throwIfAborted } from '../../workspace/files/aborted.js'
import { pathKey } from '../../workspace/wall/path-key.js'
import { expectSameRules } from '../../workspace/wall/same-rules.js'
import { outputFolders, sessionOf, workspaceOf } from '../../workspace/wall/workspace.js'
import { boundedOutput, MAX_OUTPUT, outputMax } from './files/output-folder.js'
import { foundText, type Search, sortFound } from './search/found-lines.js'
import { searchPlace } from './search/search-place.js'
import { pathPattern } from './tree/path-pattern.js'
import { startPlace } from './tree/start-folder.js'

interface Arguments extends Search {
  path: string
  glob?: string
}

export default defineTool({
  name: 'grep',
  description:
    'Searches the files of the workspace for a regular expression, line by line, and shows the lines, files or counts.',
  tags: ['meta-runnable', 'meta-workspace'],
  permissions: { required: ['read'] },
  params: {
    type: 'object',
    properties: {
      pattern: {
        type: 'string',
        maxLength: 2000,
        // Arguments of programs cannot contain NUL.
        pattern: '^[^\\u0000]+$',
        description: 'The regular expression.',
      },
      path: { type: 'string', default: '.', description: 'The folder or file to search.' },
      glob: {
        type: 'string',
        pattern: '^[^\\u0000]+$',
        description: 'Only files that this matches, such as `*.ts` or `src/**`.',
      },
      context: {
        type: 'integer',
        minimum: 0,
        maximum: 100,
        default: 0,
        description: 'Lines around each match.',
      },
      ignoreCase: { type: 'boolean', default: false, description: 'Whether to ignore case.' },
      mode: {
        enum: ['content', 'files', 'count'],
        default: 'content',
        description: 'The output: matching lines, files, or counts per file.',
      },
      limit: { type: 'integer', minimum: 1, maximum: 100000, default: 200, description: 'Maximum matches.' },
    },
    required: ['pattern'],
    additionalProperties: false,
  },
  config: {
    type: 'object',
    properties: {
      maxOutput: MAX_OUTPUT,
      ripgrep: { type: 'boolean', default: true, description: 'Whether to use ripgrep if it is installed.' },
    },
    additionalProperties: false,
  },
  deriveApprovalKey: ({ path, pattern }) => `${pathKey(String(path ?? '.'))}: ${pattern}`,
  execute: async (args, ctx) => grep(args as unknown as Arguments, ctx),
})

async function grep(args: Arguments, ctx: ToolContext): Promise<ToolResult> {
  const { path, glob, ...search } = args
  const workspace = await workspaceOf(ctx)
  const session = sessionOf(workspace, ctx)
  const names = glob === undefined ? null : { written: glob, pattern: pathPattern(glob, true) }
  const place = await startPlace(path, workspace, await outputFolders(session))
  await expectSameRules(ctx, place, args)
  ctx.update({ title: `Searching for ${search.pattern}` })
  const check = (): void => throwIfAborted(ctx)
  const { found, engine, prefix } = await searchPlace(place, workspace, search, names, {
    check,
    signal: ctx.signal,
    usesRipgrep: ctx.config.ripgrep !== false,
  })
  check()
  sortFound(found)
  const { output, truncated } = await boundedOutput(
    foundText(found, search.mode, prefix),
    'grep',
    session,
    outputMax(ctx),
  )
  const files =
    search.mode === 'content' ? new Set(found.lines.map(line => line.path)).size : found.files.length
  const matches =
    search.mode === 'content'
      ? found.lines.filter(({ isMatch }) => isMatch).length
      : found.files.reduce((sum, { count }) => sum + count, 0)
  const notes = [
    ...(found.truncated ? ['[There is more. Give a narrower pattern or path, or a higher `limit`.]'] : []),
    ...(found.passed > 0
      ? [`[${found.passed} lines are too long for this pattern, and were not searched.]`]
      : []),
  ]
  return {
    title: `${matches} ${matches === 1 ? 'match' : 'matches'} for ${search.pattern}`,
    metadata: { matches, files, truncated: truncated || found.truncated, engine },
    output: [matches === 0 ? '[No matches.]' : output, ...notes].join('\n'),
  }
}
