import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { measureStages } from '../../bench/gate.js'
import { judgeRatios } from '../../bench/judge-ratios.js'
import { ROOT } from '../support/processes.js'

// Whatever machine this is: against the ratio that was measured on it just before.
it('the gate takes a stage as it is', async () => {
  const rounds = await measureStages(['check'], {}, 7)
  const half = Math.floor(rounds.length / 2)
  const [known] = judgeRatios(rounds.slice(0, half), { check: 1 })
  const committed = { check: known?.ratio ?? 0 }
  expect(judgeRatios(rounds.slice(half), committed)).toMatchObject([{ name: 'check', isTooSlow: false }])
})

it('the bench fails where a stage is made three times as slow, and names it', () => {
  const args = ['bench/bench.js', '--quick', '--gate', '--only=check', '--slower=check=3']
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  expect(stdout).toMatch(/^ {2}check .* MISSED$/m)
  expect(status).toBe(1)
})
