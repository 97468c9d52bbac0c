import { isAbsolute, sep } from 'node:path'
import { inspect } from 'node:util'
import { AgentAppsError, isAgentAppsError } from '../src/base/error.js'
import { fromCwd, fromHere } from './from-here.js'
import { type Output, printable } from './output.js'

/**
 * Prints an error: one of ours with its hint, any other with its stack.
 *
 * @param cwd the directory for paths in JSON; human-readable output shows paths relative to the current directory
 */
export function showError(thrown: unknown, output: Output, cwd: string): void {
  const error = packageMissing(thrown) ?? thrown
  if (!isAgentAppsError(error)) return showUnexpected(error, output)
  const { code, hint, tool, position } = error
  const named = (path: string): string => (output.json ? fromCwd : fromHere)(path, cwd)
  const file = shownFile(error, named)
  const message = messageFor(error, named)
  if (output.json) return output.jsonResult({ error: code, message, hint, tool, file, position })
  const [label, shownCode] = [
    output.style('red', 'error', output.stderr),
    output.style('dim', `(${code})`, output.stderr),
  ]
  output.error(`${label} ${printable(message)} ${shownCode}`)
  if (file !== undefined && !message.includes(file)) output.error(`  at ${printable(file + suffix(error))}`)
  output.error(`  ${printable(hint)}`)
}

/** An error's message, in which each form of its file's path is replaced by the shown one. */
export function messageFor(error: AgentAppsError, named: (path: string) => string): string {
  const { message, file } = error
  const shown = shownFile(error, named)
  if (file === undefined || shown === undefined) return message
  const end = suffix(error)
  // If no line number follows, the end of a path could be any word.
  const ends = end === '' ? [] : file.split(sep).map((_, index, parts) => parts.slice(index).join('/'))
  const written = [file, ...ends].find(way => message.includes(way + end))
  if (written !== undefined) return message.replaceAll(written + end, () => shown + end)
  return message.replaceAll(file, () => shown)
}

/** An error's file as users see it; a relative path stays as it is. */
function shownFile({ file }: AgentAppsError, named: (path: string) => string): string | undefined {
  return file !== undefined && isAbsolute(file) ? named(file) : file
}

function suffix({ position }: AgentAppsError): string {
  return position ? `:${position.line}:${position.column}` : ''
}

/** The error for an imported package that is not installed, such as an `external` one; null for other errors. */
function packageMissing(thrown: unknown): AgentAppsError | null {
  const { code, message = '' } = (thrown ?? {}) as NodeJS.ErrnoException
  const [, name] = /^Cannot find package '((?:@[\w.-]+\/)?\w[\w.-]*)'/.exec(message) ?? []
  if (code !== 'ERR_MODULE_NOT_FOUND' || name === undefined) return null
  return new AgentAppsError('MODULE_MISSING', `${message}.`, { hint: `Install it: \`npm install ${name}\`.` })
}

/** Prints an error of a tool's code, or a bug of ours, with its stack. */
function showUnexpected(thrown: unknown, output: Output): void {
  const { name, message, stack, code } = (thrown instanceof Error ? thrown : {}) as NodeJS.ErrnoException
  if (output.json)
    return output.jsonResult({
      error: code ?? name ?? 'Error',
      message: message ?? textOf(thrown),
      hint: output.verbose ? '`stack` shows where it was thrown.' : '`--verbose` adds the stack.',
      ...(output.verbose && { stack }),
    })
  const lines = (stack ?? message ?? textOf(thrown)).split('\n')
  const theirs = lines.filter(line => !isOurs(line))
  const isTheirs = theirs.some(line => FRAME.test(line))
  output.error((isTheirs && !output.verbose ? theirs : lines).map(printable).join('\n'))
}

function textOf(thrown: unknown): string {
  return typeof thrown === 'object' ? inspect(thrown) : String(thrown)
}

const FRAME = /^ +at /
const OUR_CODE = new URL('..', import.meta.url).href

/** True for a stack line of agent-apps or Node itself. */
function isOurs(line: string): boolean {
  return FRAME.test(line) && (line.includes(OUR_CODE) || /\(?node:/.test(line))
}
