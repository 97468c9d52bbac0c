/** `error`: something does not work as written; `warning`: it works, and is likely not what was meant; `info`: worth knowing. */
export type Severity = 'error' | 'warning' | 'info'

/**
 * Something to say about a skill file, as plain data. The index stores these; the compiler's API hands them
 * out as `vfile-message` objects; `--json` prints them as they are.
 */
export interface Diagnostic {
  /** The file, `/`-separated: relative to the path entry inside an index, to `cwd` where it is shown. */
  file: string
  /** Line in the author's file, frontmatter included, from 1. */
  line: number
  /** Column in UTF-16 units, from 1. */
  column: number
  /** The rule's name, kebab-case, stable. */
  rule: string
  severity: Severity
  /** What is wrong, with what was found. */
  reason: string
  /** What to do about it. */
  note: string
  /** True where this keeps the skill from loading. */
  fatal?: true
}

/** Where a diagnostic's rule is explained, inside the package. */
export function ruleUrl(rule: string): string {
  return `agent-apps/docs/rules.md#${rule}`
}
