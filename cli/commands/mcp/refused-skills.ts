import { count, type Output, printable } from '../../output.js'

/** Milliseconds after the last refused skill until they are summed up: a client lists page by page. */
const DELAY = 1000

/** Says how many skills are served as tools and prompts only, and why; with `--verbose`, which. */
export function noteRefused(output: Output): (uri: string, reason: string) => void {
  const reasons = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const sumUp = (): void => {
    const total = [...reasons.values()].reduce((sum, number) => sum + number, 0)
    output.note(`${count(total, 'skill')} not served under the Skills extension:`)
    const sorted = [...reasons].sort(([, a], [, b]) => b - a)
    for (const [reason, number] of sorted) output.note(`  ${count(number)}  ${printable(reason)}`)
  }
  return (uri, reason) => {
    if (output.verbose) output.note(printable(`${uri}: ${reason}`))
    // What is the skill's own in it would make each a reason of its own.
    const alike = reason.replace(/"[^"]*"/g, '…')
    reasons.set(alike, (reasons.get(alike) ?? 0) + 1)
    clearTimeout(timer)
    timer = setTimeout(sumUp, DELAY)
    timer.unref()
  }
}
