import type { ComponentChildren, JSX } from 'preact'
import { visibleLines, visibleText } from '../../src/policy/shown-text.js'

/** A string of a skill on one line. Characters that cannot be seen, or turn the direction of writing, are shown as escapes. */
export function Text({ children }: { children: string }): JSX.Element {
  return <>{visibleText(children.replace(/[\t\n\r]+/g, ' '))}</>
}

/** A string of a skill with its line breaks. */
export function Lines({ children }: { children: string }): JSX.Element {
  return <>{visibleLines(children)}</>
}

/** A heading of a part of a view, with the number of what is in it. */
export function Heading({ children, count }: { children: ComponentChildren; count?: number }): JSX.Element {
  return (
    <h2>
      {children}
      {count !== undefined && <span class="count">{grouped(count)}</span>}
    </h2>
  )
}

/** Formats `1204` as `1,204`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

export function counted(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`
}
