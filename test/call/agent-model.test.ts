import { createRuntime, registerTool } from 'agent-apps'
import { expect, it } from 'vitest'
import * as source from '../../runtime/agent-apps.js'
import { STEPS, type Step } from '../../src/policy/decide.js'
import { agentDifferences, type Makers } from '../support/agent-model.js'

/** Eight calls in each; `npm run test:long` has a million calls. */
const WORLDS = 40
const OWN = { createRuntime, registerTool } as Makers
const SOURCE = { createRuntime: source.createRuntime, registerTool: source.registerTool } as unknown as Makers

it('agents that spawn others, open skills and call tools that call do what the model says', async () => {
  expect((await agentDifferences(1, WORLDS, OWN)).slice(0, 1)).toEqual([])
})

it('a runtime made of the source does, too', async () => {
  expect((await agentDifferences(2, 20, SOURCE)).slice(0, 1)).toEqual([])
})

// The first is taken where a name is looked up, too: leaving it out of the decision changes nothing.
it.each([...STEPS.keys()].slice(1))('the model sees that a runtime leaves out the step at %i', async at => {
  const steps = STEPS as Step[]
  const [left] = steps.splice(at, 1)
  try {
    expect((await agentDifferences(3, 40, SOURCE)).length).toBeGreaterThan(0)
  } finally {
    steps.splice(at, 0, left as Step)
  }
})
