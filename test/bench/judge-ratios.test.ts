import fc from 'fast-check'
import { expect, it } from 'vitest'
import { judgeRatios } from '../../bench/judge-ratios.js'
import { ratios } from '../../bench/ratios.js'
import { times } from '../support/long.js'

const STAGES = Object.keys(ratios)
const [EMPTY, FLOOR] = [100, 200]

/** Rounds in which each stage takes what was committed, times what is given; each time varied by a factor. */
function rounds(longer: Record<string, number> = {}, vary: () => number = () => 1, count = 15) {
  return Array.from({ length: count }, () => {
    const stages = Object.entries(ratios).map(([name, ratio]): [string, number[]] => [
      name,
      [EMPTY + FLOOR * ratio * (longer[name] ?? 1) * vary()],
    ])
    const floors = STAGES.map(() => EMPTY + FLOOR * vary())
    return { empty: [EMPTY], floor: floors, ...Object.fromEntries(stages) }
  })
}

const tooSlow = (measured: ReturnType<typeof rounds>): string[] =>
  judgeRatios(measured, ratios)
    .filter(({ isTooSlow }) => isTooSlow)
    .map(({ name }) => name)

it('nothing is too slow where every stage takes what was committed, or less', () => {
  expect(tooSlow(rounds())).toEqual([])
  expect(tooSlow(rounds(Object.fromEntries(STAGES.map(name => [name, 0.5]))))).toEqual([])
})

it.each(STAGES)('%s is too slow where it takes 60 % longer, and no other stage is', name => {
  expect(tooSlow(rounds({ [name]: 1.6 }))).toEqual([name])
  expect(tooSlow(rounds({ [name]: 1.4 }))).toEqual([])
})

it.each(STAGES)('%s is seen as well where the machine is busy in some rounds', name => {
  const measured = rounds({ [name]: 1.6 })
  // A busy machine makes all of a round slower, the floor too.
  const busy = measured.map((round, number) =>
    number % 3 === 0
      ? Object.fromEntries(Object.entries(round).map(([one, all]) => [one, all.map(time => 2 * time)]))
      : round,
  )
  expect(judgeRatios(busy, ratios)).toEqual(judgeRatios(measured, ratios))
})

it('60 % are seen, and nothing else is, where each time varies by a few per cent', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...STAGES),
      fc.infiniteStream(fc.double({ min: 0.96, max: 1.04, noNaN: true })),
      (name, factors) => {
        const vary = (): number => factors.next().value
        expect(tooSlow(rounds({}, vary))).toEqual([])
        expect(tooSlow(rounds({ [name]: 1.6 }, vary))).toContain(name)
      },
    ),
    { numRuns: times(25, 100) },
  )
})
