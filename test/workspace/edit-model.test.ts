import fc from 'fast-check'
import { expect, it } from 'vitest'
import { editDifference, editSequences } from '../support/edit-model.js'
import { times } from '../support/long.js'

it('files come to what a plain model of read, write and edit says', async () => {
  await fc.assert(
    fc.asyncProperty(editSequences, async sequence => {
      expect(await editDifference(sequence)).toBeNull()
    }),
    { numRuns: times(10, 10_000) },
  )
})
