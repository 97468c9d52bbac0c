import type { Invocation } from './command.js'

/** The `compile` that repeats an invocation's paths and the named ones of its options. */
export function compileLine({ positionals, options }: Invocation, names: readonly string[]): string {
  const flags = names.flatMap(name => flagsOf(name, options[name]))
  return ['agent-apps compile', ...positionals.map(inShell), ...flags].join(' ')
}

function flagsOf(name: string, value: Invocation['options'][string]): string[] {
  if (value === undefined || value === false) return []
  if (value === true) return [`--${name}`]
  return [value].flat().flatMap(text => [`--${name}`, inShell(text)])
}

/** Quotes a word for a POSIX shell. */
function inShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
