import type { StandardIssue } from '../standard-schema.js'
import { describeValue, ISSUES_MAX, type Issue, type Step, shownPath } from './issues.js'

/** What a schema library says is wrong with a value, in our form. What it expected stands in its message. */
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

function valueAt(value: unknown, path: readonly Step[]): unknown {
  return path.reduce<unknown>(
    (holder, step) =>
      typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step)
        ? (holder as Record<Step, unknown>)[step]
        : undefined,
    value,
  )
}
