import { deserialize, parse, safeClone, safeSnapshot, safeStringify, serialize, stringify } from 'agent-apps'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { character } from '../support/characters.js'
import { deep, HOSTILE } from '../support/hostile-values.js'
import { times } from '../support/long.js'

const RUNS = times(75, 100_000)

describe('what never throws', () => {
  it.each(Object.entries(HOSTILE))('%s', (_, make) => {
    const value = make()
    const text = stringify(value)
    expect(() => parse(text)).not.toThrow()
    expect(safeStringify(value, 2).length).toBeGreaterThan(0)
    expect(Buffer.byteLength(JSON.stringify(safeSnapshot(value)) ?? '')).toBeLessThan(10 * 1024 + 200)
    expect(() => deserialize(value)).not.toThrow()
  })

  it('random values', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
          withBoxedValues: true,
        }),
        value => {
          safeStringify(value)
          stringify(value)
          deserialize(value)
          const clone = safeClone(value)
          if (clone !== undefined)
            expect(JSON.parse(JSON.stringify(clone))).toEqual(JSON.parse(safeStringify(value)))
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('takes no memory for holes that a text speaks of', () => {
    const before = process.memoryUsage().rss
    const text = JSON.stringify(new Array(100).fill({ $sparse: [30_000_000, [[1, 'a']]] }))
    const lists = parse(text) as unknown[][]
    expect(lists.map(list => [list.length, list[1]])).toEqual(new Array(100).fill([30_000_000, 'a']))
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })

  it('reads all of a text, however much of it is not an encoding', () => {
    const text = JSON.stringify([...new Array(200).fill({ $sparse: [-1, []] }), { $set: [1] }])
    expect((parse(text) as unknown[]).at(-1)).toEqual(new Set([1]))
  })

  it('reads JSON of any depth', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(Array.isArray(parse(text))).toBe(true)
    expect(Array.isArray(parse(`${'{"$set":['.repeat(50_000)}${']}'.repeat(50_000)}`))).toBe(false)
  })
})

describe('limits', () => {
  it('of depth hold', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
    for (const maxDepth of [0, 1, 2, 10, 400]) {
      expect(
        depthOf(
          safeClone(
            deep(1000, a => ({ a })),
            { maxDepth },
          ),
        ),
      ).toBe(maxDepth)
      expect(
        depthOf(
          serialize(
            deep(1000, a => ({ a })),
            { maxDepth },
          ),
        ),
      ).toBe(maxDepth + 1)
    }
    const whole = deep(500, inner => [inner])
    expect(deserialize(serialize(whole))).toEqual(whole)
    const deeper = deep(1000, inner => [inner])
    expect(depthOf(serialize(deeper, { maxDepth: 1000 }))).toBe(501)
    expect(serialize(deeper, { maxDepth: 1000 })).toEqual(serialize(deeper))
    const maps = deep(400, inner => new Map([[{}, inner]]))
    expect(JSON.stringify(serialize(deserialize(serialize(maps))))).toBe(JSON.stringify(serialize(maps)))
  })

  it('of bytes hold, and change nothing that fits', () => {
    const text = fc.oneof(
      fc.string({ unit: character }),
      fc.string({ maxLength: 2000 }),
      fc.constantFrom('\u0000'.repeat(500), 'é'.repeat(500), '😀'.repeat(300)),
    )
    const value = fc.oneof(
      fc.anything({ withBigInt: true, withMap: true, withSet: true, withTypedArray: true, maxDepth: 4 }),
      fc.array(text),
      fc.dictionary(text, text),
    )
    fc.assert(
      fc.property(value, fc.nat({ max: 3000 }), (made, maxBytes) => {
        for (const copy of [serialize, safeClone]) {
          const bytes = Buffer.byteLength(JSON.stringify(copy(made, { maxBytes })) ?? '')
          expect(bytes).toBeLessThanOrEqual(maxBytes + 100)
          const whole = JSON.stringify(copy(made)) ?? ''
          expect(JSON.stringify(copy(made, { maxBytes: Buffer.byteLength(whole) * 10 + 100 })) ?? '').toBe(
            whole,
          )
        }
      }),
      { numRuns: RUNS },
    )
    expect(stringify(new Uint8Array(10_000), { maxBytes: 1000 })).toBe('{"$truncated":"bytes"}')
    expect(stringify({ a: 1, b: 'x'.repeat(100), c: 1 }, { maxBytes: 80 })).toMatch(
      /^\{"a":1,"b":"x+…","\$truncated":"bytes"\}$/,
    )
  })
})
