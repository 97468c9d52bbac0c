import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'skills-ref'
import { describe, expect, it } from 'vitest'
import { corpus } from '../support/corpus.js'
import { exportAgain } from '../support/export-again.js'
import { temporary } from '../support/temporary.js'

const source = corpus()
if (source === null) console.log('corpus: skipped, there is none beside the project and CORPUS names none')
const collections = source === null ? [] : readdirSync(source).filter(name => name.includes('__'))

/** The reference validator's port counts UTF-16 units, the specification characters; ours is too long here and there. */
const TOO_LONG = /^(?:Description|Compatibility) exceeds/

describe.skipIf(source === null)(
  'real skills, exported, compile again to the same names and contents:',
  () => {
    it.each(collections)('%s', async name => {
      const cwd = temporary()
      cpSync(join(source ?? '', name), cwd, { recursive: true, verbatimSymlinks: true })
      const again = await exportAgain(cwd, ['.'])
      if (again === null) throw new Error('Nothing was exported')
      const { before, after, errors, dir, result } = again
      console.log(`${name}: ${result.skills.length} exported, ${result.leftOut.length} left out`)
      expect(Object.keys(before).length).toBeGreaterThan(10)
      expect(errors).toEqual([])
      expect(after).toEqual(before)
      for (const skill of Object.keys(after)) {
        const problems = (await validate(join(dir, skill))).filter(problem => !TOO_LONG.test(problem))
        expect(problems, skill).toEqual([])
      }
    })
  },
)
