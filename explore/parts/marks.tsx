import type { JSX } from 'preact'
import type { SkillRow } from '../../cli/explore/page-data.js'
import { counted } from './text.js'

export type Severity = 'error' | 'warning' | 'info'

/** The sign of a severity: its form tells it too, not its colour alone. */
export function SeverityMark({ severity }: { severity: Severity }): JSX.Element {
  return <span class={`severity ${severity}`} role="img" aria-label={severity} />
}

/** How many diagnostics a skill has of each severity. */
export function Severities({ of: { errors, warnings, infos } }: { of: SkillRow }): JSX.Element {
  const counts: [Severity, number][] = [
    ['error', errors],
    ['warning', warnings],
    ['info', infos],
  ]
  return (
    <span class="severities">
      {counts.map(
        ([severity, count]) =>
          count > 0 && (
            <span key={severity} title={counted(count, severity)}>
              <SeverityMark severity={severity} />
              {count}
            </span>
          ),
      )}
    </span>
  )
}

/** The permissions that a skill requires, and in a lighter form those that it can do without. */
export function Permissions({ of: { required, optional } }: { of: SkillRow }): JSX.Element {
  return (
    <span class="permission-list">
      {required.map(one => (
        <span key={one} class={`permission ${one}`}>
          {one}
        </span>
      ))}
      {optional.map(one => (
        <span key={one} class={`permission optional ${one}`} title={`${one}, if it is granted`}>
          {one}
        </span>
      ))}
    </span>
  )
}
