import { join } from 'node:path'
import { validate } from 'skills-ref'
import { describe, expect, it } from 'vitest'
import { exportAgain } from '../support/export-again.js'
import { oneIn } from '../support/long.js'
import { layOut, samples } from '../support/sample.js'

/** What is too long stays so, and the reference validator's port counts UTF-16 units, the specification characters. */
const TOO_LONG = /^(?:Description|Compatibility) exceeds/

/** One of six in every run, and all of them in `npm run test:long`. */
const SAMPLES = oneIn(24, samples())

describe('exported skills compile again to the same names and contents', () => {
  it.each(SAMPLES.map(sample => [sample.id, sample] as const))('of the sample %s', async (_, sample) => {
    const { cwd, paths } = layOut(sample)
    const again = await exportAgain(cwd, paths)
    if (again === null) return
    const { before, after, errors, dir } = again
    expect(errors).toEqual([])
    expect(after).toEqual(before)
    for (const name of Object.keys(after)) {
      const problems = (await validate(join(dir, name))).filter(problem => !TOO_LONG.test(problem))
      expect(problems, name).toEqual([])
    }
  })
})
