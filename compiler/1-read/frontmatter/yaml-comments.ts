import { nearest } from '../../../src/base/nearest.js'
import { isRuleName, RULES, type RuleName } from '../../diagnostics/diagnostics.js'
import { fixedSeverity } from '../../diagnostics/rule-settings.js'
import { lineEnd } from '../../diagnostics/source-text.js'
import { NOT_PLAIN } from './repair-colon.js'
import { topLevelKeys } from './yaml.js'

/** The rules that comments in frontmatter turn off. */
interface IgnoreComments {
  rules: RuleName[]
  /** The names that cannot be ignored: where, and why. */
  refused: { offset: number; rule: string; why: string; hint: string }[]
}

const NO_COMMENTS: IgnoreComments = { rules: [], refused: [] }

/** The beginning of a comment that names rules to ignore. */
const IGNORE_COMMENT = /^#[ \t]*agent-apps-ignore\b/

const COMMENT_LINE = /(?<=^|[ \t])#[ \t]*agent-apps-ignore\b([^\n\r]*)/gm

/**
 * Reads the comments `# agent-apps-ignore name-differs, tag-idle` in frontmatter. The part after ` -- ` is the
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
        else refuse(name, why, 'Remove the comment, and correct the fault.')
      } else {
        const near = nearest(name, Object.keys(RULES))
        refuse(
          name,
          'no rule has this name',
          near === null ? 'docs/rules.md lists the rules.' : `Did you mean "${near}"?`,
        )
      }
    }
  }
  return comments
}

function errorProblem(rule: RuleName): string | null {
  return RULES[rule].severity === 'error' ? 'it reports an error' : null
}

/** A value whose end YAML takes for a comment. */
interface CutValue {
  key: string
  offset: number
  /** The part that is cut off, as written. */
  cut: string
}

/** Finds ` #` in an unquoted name or description, which YAML silently ends there. */
export function commentsInValues(source: string): CutValue[] {
  if (!source.includes('#')) return []
  const keys = topLevelKeys(source)
  return ['name', 'description'].flatMap(key => {
    const start = keys.get(key)?.value
    if (start === undefined || NOT_PLAIN.test(source.slice(start, start + 1))) return []
    const offset = commentIn(source, start)
    return offset === null || IGNORE_COMMENT.test(source.slice(offset))
      ? []
      : [{ key, offset, cut: source.slice(offset, lineEnd(source, offset)).trimEnd() }]
  })
}

/** The offset of the first comment after the value at `start`; null without one. */
function commentIn(source: string, start: number): number | null {
  for (let position = start; position < source.length; ) {
    const end = lineEnd(source, position)
    const comment = /[ \t]#/.exec(source.slice(position - 1, end))
    // A comment on its own line is intended.
    if (comment && (position === start || source.slice(position, position + comment.index).trim() !== ''))
      return position + comment.index
    position = end + 1
    if (/^\S/.test(source.slice(position, position + 1))) return null
  }
  return null
}
