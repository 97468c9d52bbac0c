import { expect, it } from 'vitest'
import { lifecycleLoad } from '../support/lifecycle-load.js'
import { times } from '../support/long.js'

const CALLS = times(80, 1_000)
const ROUNDS = times(1, 20)

it(`${CALLS} calls while tools are deactivated, reloaded and closed lose nothing, ${ROUNDS} times`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const timers = (): number => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
    const before = timers()
    const { outcomes, ...rest } = await lifecycleLoad(CALLS)
    expect(rest).toEqual({ faults: [], left: 0, running: 0 })
    const { result = 0, ...errors } = outcomes
    expect(result).toBeGreaterThan(0)
    expect(Object.keys(errors).sort()).toEqual(expect.arrayContaining(['RUNTIME_CLOSED', 'TOOL_INACTIVE']))
    const known = ['RUNTIME_CLOSED', 'TOOL_INACTIVE', 'RUN_ABORTED', 'TimeoutError']
    expect(Object.keys(errors).filter(code => !known.includes(code))).toEqual([])
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(CALLS)
    expect(timers()).toBeLessThanOrEqual(before)
  }
})
