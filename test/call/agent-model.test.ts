import { createRuntime, registerTool } from 'agent-apps'
import { expect, it } from 'vitest'
import { STEPS, type Step } from '../../src/policy/decide.js'
import { agentDifferences, type Makers } from '../support/agent-model.js'
import { times } from '../support/long.js'

/** Eight calls in each; test/long/policy-model.test.ts has a million calls. */
const WORLDS = times(2, 40)
const OWN = { createRuntime, registerTool } as Makers
/** The runtime as it is written, whose steps can be left out. */
const fromSource = async (): Promise<Makers> =>
  (await import('../../runtime/agent-apps.js')) as unknown as Makers

it('agents that spawn others, open skills and call tools that call do what the model says', async () => {
  expect(await agentDifferences(1, WORLDS, OWN)).toEqual([])
})

it('a runtime made of the source does, too', { tags: 'long' }, async () => {
  expect(await agentDifferences(2, times(4, 20), await fromSource())).toEqual([])
})

// The first is taken where a name is looked up, too: leaving it out of the decision changes nothing.
it.each([...STEPS.keys()].slice(1))(
  'the model sees that a runtime leaves out the step at %i',
  { tags: 'long' },
  async at => {
    const steps = STEPS as Step[]
    const [left] = steps.splice(at, 1)
    try {
      expect(await agentDifferences(3, 40, await fromSource())).toHaveLength(1)
    } finally {
      steps.splice(at, 0, left as Step)
    }
  },
)
