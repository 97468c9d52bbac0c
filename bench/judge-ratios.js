import { quantile } from './measure.js'
import { MOST } from './ratios.js'

/**
 * Holds what each stage takes, relative to the floor and without an empty process, against its committed ratio.
 * What else a machine does lasts longer than a round, so each stage is compared with the floor of the same
 * round, and the median of the rounds counts. That varies a third less than a ratio of two medians.
 *
 * @param rounds of each the processor times by name, `empty` and `floor` among them: a name has one for every time it ran
 * @param committed the ratio of each stage to be judged
 * @returns for each stage its `name`, `ratio`, `committed`, and `isTooSlow`
 */
export function judgeRatios(rounds, committed) {
  return Object.entries(committed).map(([name, known]) => {
    const ratio = quantile(
      rounds.map(round => net(round, name) / net(round, 'floor')),
      0.5,
    )
    return { name, ratio, committed: known, isTooSlow: ratio > known * MOST }
  })
}

/** What a process took in a round besides what an empty one did. */
export function net(round, name) {
  return mean(round[name]) - mean(round.empty)
}

function mean(times) {
  return times.reduce((sum, time) => sum + time, 0) / times.length
}
