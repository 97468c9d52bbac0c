import { expect, it } from 'vitest'
import { progress, times } from '../support/long.js'
import { differences } from '../support/policy-model.js'

/** Worlds of each round, with four calls in each. */
const WORLDS = 250

it('a runtime decides, runs and lists as the model says, over a million calls', async () => {
  const rounds = times(1, 1_000)
  for (let round = 1; round <= rounds; round++) {
    expect((await differences(100 + round, WORLDS)).slice(0, 1)).toEqual([])
    progress(round, `${round * WORLDS * 4} calls`)
  }
})
