import { accessSync, constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { PreviewContext, ToolContext, ToolResult } from 'agent-apps'
import { AgentAppsError } from 'agent-apps'
import { callAborted } from '../../../workspace/files/aborted.js'
import { pathKey } from '../../../workspace/wall/path-key.js'
import { expectSameRules, foreseen } from '../../../workspace/wall/same-rules.js'
import { sessionOf, workspaceOf } from '../../../workspace/wall/workspace.js'
import { keptOutput } from '../files/output-folder.js'
import { startFolder } from '../tree/start-folder.js'
import { CommandOutput, type OutputFile } from './command-output.js'
import { type EndedCommand, runCommand } from './run-command.js'

export interface BashArguments {
  command: string
  cwd: string
  timeoutMs: number
}

/**
 * The approval key of a call: the exact command. Another folder adds `cd … &&`, so that no rule for the start of a command
 * covers it.
 */
export function commandKey({
  command,
  cwd = '.',
}: Pick<BashArguments, 'command'> & { cwd?: string }): string {
  const folder = pathKey(cwd)
  if (folder === '.') return command
  const isPlain = /^[\w./-]+$/.test(folder) && !folder.startsWith('-')
  return `cd ${isPlain ? folder : `'${folder.replaceAll("'", "'\\''")}'`} && ${command}`
}

/** The command for a person, unless its folder cannot be used. */
export function commandPreview(args: BashArguments, ctx: PreviewContext): Promise<string> {
  const { command, cwd } = args
  const look = async (): Promise<string> => {
    await commandFolder(args, ctx)
    return command
  }
  return foreseen(ctx, cwd, look, command)
}

async function commandFolder(args: BashArguments, ctx: PreviewContext): Promise<string> {
  const place = await startFolder(args.cwd, await workspaceOf(ctx))
  await expectSameRules(ctx, place, args, 'cwd')
  return place.real
}

/**
 * Runs a command. The result says how it ended.
 *
 * @throws FILE_NOT_FOUND, FILE_UNUSABLE, PATH_OUTSIDE for its folder; RUN_ABORTED
 */
export async function bash(args: BashArguments, ctx: ToolContext): Promise<ToolResult> {
  const { command, timeoutMs } = args
  const workspace = await workspaceOf(ctx)
  const folder = await commandFolder(args, ctx)
  const { wrap, env } = ctx.config as unknown as { wrap: string[]; env: string[] }
  const title = titleOf(command)
  ctx.update({ title })
  const output = new CommandOutput(
    text => ctx.update({ title, metadata: { output: text } }),
    async () => openFile(await keptOutput('', 'bash', sessionOf(workspace, ctx))),
  )
  try {
    const ended = await runCommand({
      argv: shellCommand(command, { wrap, workspace: workspace.root, cwd: folder }),
      cwd: folder,
      environment: shellEnvironment(env),
      timeoutMs,
      signal: ctx.signal,
      take: output.take,
    })
    return resultOf(title, ended, output, timeoutMs)
  } catch (error) {
    throw ctx.signal.aborted ? callAborted('bash', ctx.signal.reason) : error
  } finally {
    await output.close()
  }
}

async function openFile(path: string): Promise<OutputFile> {
  return { path, handle: await open(path, 'a') }
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

/** The note about how a command ended; empty after success. */
function endOf({ exitCode, signal, isLate, left }: EndedCommand, timeoutMs: number): string {
  const lines: string[] = []
  if (isLate) lines.push(`[ended after ${timeoutMs} ms, its time limit]`)
  else if (signal !== null) lines.push(`[ended by ${signal}]`)
  else if (exitCode !== 0) lines.push(`[exit code ${exitCode}]`)
  if (left.length > 0) lines.push(`[processes that could not be ended: ${left.join(', ')}]`)
  return lines.join('\n')
}

/** A title for people: the first line of a command. */
function titleOf(command: string): string {
  const [line = ''] = command.trim().split('\n')
  return line.length > 80 || line !== command.trim() ? `${line.slice(0, 79)}…` : line
}

const SHELLS = ['/bin/bash', '/bin/sh']

/** The variables of this process for every command. */
const VARIABLES = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR']

/**
 * The program and the arguments that run a command.
 *
 * @param wrap words before the shell, such as `bwrap` and its options, in which `${workspace}` and `${cwd}` stand for the
 *   folders
 */
function shellCommand(
  command: string,
  { wrap, workspace, cwd }: { wrap: readonly string[]; workspace: string; cwd: string },
): string[] {
  const places = new Map([
    ['workspace', workspace],
    ['cwd', cwd],
  ])
  const before = wrap.map(part => part.replace(/\$\{(workspace|cwd)\}/g, (_, name) => places.get(name) ?? ''))
  return [...before, findShell(), '-c', command]
}

/** @throws FILE_NOT_FOUND */
function findShell(): string {
  const shell = SHELLS.find(isExecutable)
  if (shell) return shell
  throw new AgentAppsError('FILE_NOT_FOUND', 'There is neither /bin/bash nor /bin/sh on this machine.', {
    hint: 'Run it on a system with a POSIX shell, such as WSL on Windows.',
    tool: 'bash',
  })
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The environment of a command: a few variables of this process, and those that the host names. */
function shellEnvironment(named: readonly string[]): NodeJS.ProcessEnv {
  const passed = Object.keys(process.env).filter(
    name => VARIABLES.includes(name) || name.startsWith('LC_') || named.includes(name),
  )
  // There is no terminal.
  return { TERM: 'dumb', ...Object.fromEntries(passed.map(name => [name, process.env[name]])) }
}
