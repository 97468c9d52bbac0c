import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { ROOT } from '../support/processes.js'

it('examples/agent reviews a change', () => {
  const said = execFileSync(process.execPath, ['examples/agent/review.js'], { cwd: ROOT, encoding: 'utf8' })
  expect(said.split('\n')).toEqual([
    ...['Step 1: read-diff', 'Step 2', 'Step 3: give-result', 'reject: It has no test.', ''],
  ])
})
