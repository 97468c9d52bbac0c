import type { Invocation } from './command.js'

/** What to type for a command, with the paths of an invocation and of its options those that are named. */
export function commandLine(
  command: string,
  { positionals, options }: Invocation,
  names: readonly string[],
): string {
  const flags = names.flatMap(name => flagsOf(name, options[name]))
  return ['agent-apps', command, ...positionals.map(inShell), ...flags].join(' ')
}

function flagsOf(name: string, value: Invocation['options'][string]): string[] {
  if (value === undefined || value === false) return []
  if (value === true) return [`--${name}`]
  return [value].flat().flatMap(text => [`--${name}`, inShell(text)])
}

/** A word as a POSIX shell reads it. */
function inShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
