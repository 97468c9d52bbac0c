import { accessSync, constants } from 'node:fs'
import { AgentAppsError } from 'agent-apps'

const SHELLS = ['/bin/bash', '/bin/sh']

/** The variables of this process that every command sees, besides those that the host names. */
const VARIABLES = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR']

/**
 * The program and the arguments that run a command.
 *
 * @param wrap what is put before the shell, such as `bwrap` and its options. In it, `${workspace}` and `${cwd}`
 *   stand for the two folders
 */
export function shellCommand(
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
    hint: 'Run it where there is a POSIX shell, such as WSL on Windows.',
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

/** The environment of a command: a few variables of this process, and the others that the host names. */
export function shellEnvironment(named: readonly string[]): NodeJS.ProcessEnv {
  const passed = Object.keys(process.env).filter(
    name => VARIABLES.includes(name) || name.startsWith('LC_') || named.includes(name),
  )
  // There is no terminal that could show colours or move a cursor.
  return { TERM: 'dumb', ...Object.fromEntries(passed.map(name => [name, process.env[name]])) }
}
