import { createRuntime, registerTool } from 'agent-apps'
import { expect, it } from 'vitest'
import { agentDifferences, CALLS, type Makers } from '../support/agent-model.js'
import { progress, times } from '../support/long.js'
import { differences } from '../support/policy-model.js'

/** Worlds of each round, with four calls in each. */
const WORLDS = 250

it('a runtime decides, runs and lists as the model says, over a million calls', async () => {
  const rounds = times(1, 1_000)
  for (let round = 1; round <= rounds; round++) {
    expect(await differences(100 + round, WORLDS)).toEqual([])
    progress(round, `${round * WORLDS * 4} calls`)
  }
})

/** Worlds of each round, with eight calls in each. */
const AGENT_WORLDS = 125

it('agents that spawn others, open skills and call tools that call do what the model says, over a million calls', async () => {
  const makers = { createRuntime, registerTool } as Makers
  const rounds = times(1, 1_000)
  for (let round = 1; round <= rounds; round++) {
    expect(await agentDifferences(1_000 + round, AGENT_WORLDS, makers)).toEqual([])
    progress(round, `${round * AGENT_WORLDS * CALLS} calls`)
  }
})
