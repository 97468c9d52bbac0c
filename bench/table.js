const WIDTHS = [54, 12, 10, 34, 16]
let missed = 0
let judged = 0

/** Prints the heading of a group of figures. */
export function heading(title) {
  console.log(`\n${title}`)
}

/**
 * Prints one figure.
 *
 * @param what what was measured
 * @param value the figure with its unit
 * @param extra `net`: the same without an empty process; `note`: what it is compared with
 * @param goal the verdict that `atMost` or `atLeast` gives, where there is a goal
 */
export function row(what, value, { net = '', note = '' } = {}, goal = null) {
  if (goal) {
    judged++
    if (!goal.met) missed++
  }
  const cells = [what, value, net, note, goal ? goal.text : '']
  const line = cells.map((cell, index) =>
    index === 1 || index === 2 ? cell.padStart(WIDTHS[index]) : `  ${cell}`.padEnd(WIDTHS[index]),
  )
  console.log(line.join('').trimEnd() + (goal ? (goal.met ? '  OK' : '  MISSED') : ''))
}

/** The verdict on a figure that has a limit. */
export function atMost(value, limit, unit = '') {
  return { met: value <= limit, text: `goal ≤ ${limit}${unit}` }
}

/** The verdict on a figure that has a floor. */
export function atLeast(value, limit, unit = '') {
  return { met: value >= limit, text: `goal ≥ ${limit}${unit}` }
}

/** Prints how many goals were met. */
export function summary() {
  console.log(`\n${judged - missed} of ${judged} goals met${missed > 0 ? `, ${missed} missed` : ''}.`)
}

export function ms(value) {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`
}

export function times(value, of) {
  return `${value.toFixed(2)} × ${of}`
}
