import type { Issue } from '../base/error.js'
import { describeValue, ISSUES_MAX, type Step, shownPath, valueAt } from './issues.js'
import type { StandardIssue } from './standard-schema.js'

/** Converts the issues of a schema library. They have only a message, which is `expected` too. */
export function standardIssues(issues: readonly StandardIssue[], value: unknown): Issue[] {
  return issues.slice(0, ISSUES_MAX).map(({ message, path = [] }) => {
    const steps = path.map(one => (typeof one === 'object' ? one.key : one)).map(stepOf)
    const where = shownPath(steps)
    return {
      path: where,
      expected: message,
      found: describeValue(valueAt(value, steps)),
      message: where === '' ? message : `${where}: ${message}`,
    }
  })
}

function stepOf(key: PropertyKey): Step {
  return typeof key === 'number' ? key : String(key)
}
