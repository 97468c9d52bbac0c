import { pathGet, pathQuery, pathRemove, pathSet } from 'agent-apps'
import { expect, it } from 'vitest'
import { processorTime } from '../support/processor-time.js'

it('ends where there are too many ways to what is shared', () => {
  let shared: unknown = { n: 1 }
  for (let level = 0; level < 40; level++) shared = { a: shared, b: shared }
  const exceeds = expect.objectContaining({ code: 'LIMIT_EXCEEDED' })
  const elapsed = processorTime()
  for (const work of [pathQuery, pathRemove]) expect(() => work(shared, '[*]'.repeat(40))).toThrow(exceeds)
  expect(pathGet(shared, `${'[*]'.repeat(40)}.none`)).toBe(undefined)
  expect(() => pathSet(shared, `${'[*]'.repeat(40)}.n`, 2)).toThrow(exceeds)
  expect(elapsed()).toBeLessThan(60_000)
  expect(pathQuery(shared, '..n')).toEqual([1])
})
