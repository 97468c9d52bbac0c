import { nearest } from '../../../src/base/nearest.js'
import { isRuleName, RULES, type RuleName } from '../../diagnostics/diagnostics.js'
import { fixedSeverity } from '../../diagnostics/rule-settings.js'

/** What the comments in a frontmatter ask not to report. */
export interface IgnoreComments {
  rules: RuleName[]
  /** The names that cannot be ignored: where, and why. */
  refused: { offset: number; rule: string; why: string; hint: string }[]
}

const NO_COMMENTS: IgnoreComments = { rules: [], refused: [] }

/** What begins a comment that names rules to ignore. */
export const IGNORE_COMMENT = /^#[ \t]*agent-apps-ignore\b/

const COMMENT_LINE = /(?<=^|[ \t])#[ \t]*agent-apps-ignore\b([^\n\r]*)/gm

/**
 * Reads the comments `# agent-apps-ignore name-differs, tag-idle` in a frontmatter. What follows ` -- ` is the
 * author's reason.
 */
export function ignoreComments(yaml: string): IgnoreComments {
  if (!yaml.includes('agent-apps-ignore')) return NO_COMMENTS
  const comments: IgnoreComments = { rules: [], refused: [] }
  for (const { 1: written = '', index } of yaml.matchAll(COMMENT_LINE)) {
    const names = (written.split(/(?:^|\s)--(?:\s|$)/)[0] ?? '').split(/[\s,]+/).filter(Boolean)
    const refuse = (rule: string, why: string, hint: string): void => {
      comments.refused.push({ offset: index, rule, why, hint })
    }
    if (names.length === 0)
      refuse('', 'it names no rule', 'Write `# agent-apps-ignore` and the name of a rule.')
    for (const name of names) {
      if (isRuleName(name)) {
        const why = fixedSeverity(name) ?? errorProblem(name)
        if (why === null) comments.rules.push(name)
        else refuse(name, why, 'Remove the comment, and correct what the rule says.')
      } else {
        const near = nearest(name, Object.keys(RULES))
        refuse(
          name,
          'there is no rule of this name',
          near === null ? 'See docs/rules.md for those there are.' : `Did you mean "${near}"?`,
        )
      }
    }
  }
  return comments
}

function errorProblem(rule: RuleName): string | null {
  return RULES[rule].severity === 'error' ? 'it reports an error' : null
}
