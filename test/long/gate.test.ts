import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { measureStages } from '../../bench/gate.js'
import { judgeRatios } from '../../bench/judge-ratios.js'
import { ROOT } from '../support/processes.js'

// Whatever machine this is: against the ratio that was measured on it just before.
it('the gate sees a stage that takes 60 % longer, and takes the same stage as it is', async () => {
  const [known] = judgeRatios(await measureStages(['check']), { check: 1 })
  const committed = { check: known?.ratio ?? 0 }
  const judge = async (slower: object) =>
    judgeRatios(await measureStages(['check'], { ...slower }), committed)
  expect(await judge({ check: 1.6 })).toMatchObject([{ name: 'check', isTooSlow: true }])
  expect(await judge({})).toMatchObject([{ name: 'check', isTooSlow: false }])
})

it('the bench fails where a stage is made three times as slow, and names it', () => {
  const args = ['bench/bench.js', '--quick', '--gate', '--only=check', '--slower=check=3']
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  expect(stdout).toMatch(/^ {2}check .* MISSED$/m)
  expect(status).toBe(1)
})
