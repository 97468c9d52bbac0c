import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool, type ToolContext, type ToolResult } from 'agent-apps'
import { callAborted } from './call-aborted.js'
import { CommandOutput } from './process/command-output.js'
import { type EndedCommand, runCommand } from './process/run-command.js'
import { shellCommand, shellEnvironment } from './process/shell.js'
import { folderIn, outputFolder, workspaceOf } from './workspace-of.js'

interface BashArguments {
  command: string
  cwd: string
  timeoutMs: number
}

/** What a host may set under `config.tools.bash`. */
interface BashConfig {
  wrap?: string[]
  env?: string[]
}

export default defineTool({
  name: 'bash',
  description:
    'Runs a shell command in the workspace; gives its output and exit code. It gets no input. What it leaves running ends with it.',
  tags: ['meta-workspace'],
  permissions: { required: ['execute'] },
  params: {
    type: 'object',
    properties: {
      command: {
        type: 'string',
        // One argument of a program may have 128 KiB.
        maxLength: 30_000,
        pattern: '^[^\\u0000]+$',
        description: 'The command, as bash reads it.',
      },
      cwd: { type: 'string', default: '.', description: 'The folder of the workspace that it runs in.' },
      timeoutMs: {
        type: 'integer',
        default: 120_000,
        minimum: 1,
        maximum: 3_600_000,
        description: 'Milliseconds after which it is ended, with all that it started.',
      },
    },
    required: ['command'],
    additionalProperties: false,
  },
  execute: async (args, ctx) => bash(args as unknown as BashArguments, ctx),
})

async function bash({ command, cwd, timeoutMs }: BashArguments, ctx: ToolContext): Promise<ToolResult> {
  const workspace = await workspaceOf(ctx)
  const folder = await folderIn(workspace, cwd)
  const { wrap, env } = (ctx as { config?: BashConfig }).config ?? {}
  const title = titleOf(command)
  ctx.update({ title })
  const output = new CommandOutput(text => ctx.update({ title, metadata: { output: text } }), openFile)
  try {
    const ended = await runCommand({
      argv: shellCommand(command, { wrap, workspace, cwd: folder }),
      cwd: folder,
      environment: shellEnvironment(env),
      timeoutMs,
      signal: ctx.signal,
      take: output.take,
    })
    return resultOf(title, ended, output, timeoutMs)
  } catch (error) {
    throw ctx.signal?.aborted ? callAborted('bash', ctx.signal.reason) : error
  } finally {
    await output.close()
  }
}

async function openFile() {
  const path = join(await outputFolder(), 'output.txt')
  return { path, handle: await open(path, 'wx', 0o600) }
}

function resultOf(title: string, ended: EndedCommand, output: CommandOutput, timeoutMs: number): ToolResult {
  const { exitCode, signal, durationMs } = ended
  const { text, isTruncated, file } = output.shown()
  const end = endOf(ended, timeoutMs)
  const gap = text === '' || text.endsWith('\n') || end === '' ? '' : '\n'
  return {
    title: end === '' ? title : `${title} ${end}`,
    metadata: { exitCode, signal, durationMs, truncated: isTruncated, file },
    output: text + gap + end,
  }
}

/** How a command ended, where it is worth a line. */
function endOf({ exitCode, signal, isLate, left }: EndedCommand, timeoutMs: number): string {
  const lines: string[] = []
  if (isLate) lines.push(`[ended after ${timeoutMs} ms, the time it had]`)
  else if (signal !== null) lines.push(`[ended by ${signal}]`)
  else if (exitCode !== 0) lines.push(`[exit code ${exitCode}]`)
  if (left.length > 0) lines.push(`[processes that could not be ended: ${left.join(', ')}]`)
  return lines.join('\n')
}

/** The first line of a command, for people. */
function titleOf(command: string): string {
  const [line = ''] = command.trim().split('\n')
  return line.length > 80 || line !== command.trim() ? `${line.slice(0, 79)}…` : line
}
