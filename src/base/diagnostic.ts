/** `error`: it does not work; `warning`: it is probably a mistake; `info`: worth knowing. */
export type Severity = 'error' | 'warning' | 'info'

/** A finding about a skill file, as the index stores it and `--json` prints it. */
export interface Diagnostic {
  /** The file, `/`-separated: relative to the path entry inside an index, relative to `cwd` in output. */
  file: string
  /** Line in the author's file, frontmatter included, from 1. */
  line: number
  /** Column in UTF-16 units, from 1. */
  column: number
  /** The rule's name, kebab-case, stable. */
  rule: string
  severity: Severity
  /** The fault, and the value found. */
  reason: string
  /** The remedy. */
  note: string
  /** True if this prevents the skill from loading. */
  fatal?: true
}

/** Returns a copy of a diagnostic whose `toString` gives its line, as commands print it outside a terminal. */
export function withLine(diagnostic: Diagnostic): Diagnostic {
  return Object.defineProperty({ ...diagnostic }, 'toString', { value: () => lineOf(diagnostic) })
}

export function lineOf({ file, line, column, severity, reason, note, rule }: Diagnostic): string {
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`
  return `${file}:${line}:${column} ${severity} ${sentence} ${note} ${rule}`
}

/** Returns where a diagnostic's rule is explained, inside the package. */
export function ruleUrl(rule: string): string {
  return `agent-apps/docs/rules.md#${rule}`
}
