import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonPieces, LongList } from '../../compiler/files/sealed-file.js'
import { LineStore } from '../../compiler/index/line-store.js'
import { times } from '../support/long.js'

const RUNS = times(15, 5_000)
const MEGABYTE = 1024 * 1024

describe('lines outside of the heap', () => {
  it('come back as they were put in, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 200 }), lines => {
        const store = new LineStore()
        const stored = lines.map(line => store.add(line))
        expect(stored.map(line => store.bytes(line).toString())).toEqual(lines)
        expect(stored.toReversed().map(line => store.bytes(line))).toEqual(
          lines.toReversed().map(line => Buffer.from(line)),
        )
      }),
      { numRuns: RUNS },
    )
  })

  it('may be longer than what is asked of the system at a time', () => {
    const store = new LineStore()
    const lines = [
      'a',
      'b'.repeat(3 * MEGABYTE),
      'c',
      'é'.repeat(MEGABYTE / 3),
      'd',
      '',
      '😀'.repeat(MEGABYTE),
    ]
    const stored = lines.map(line => store.add(line))
    // Whether they are equal: a difference would be shown in full.
    expect(stored.map((line, index) => store.bytes(line).toString() === lines[index])).toEqual(
      lines.map(() => true),
    )
  })

  it('of another store are told', () => {
    expect(() => new LineStore().bytes(0)).toThrow('The line is of another store.')
  })
})

describe('JSON in pieces', () => {
  it('is what JSON.stringify gives', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()), (object, list) => {
        const pieces = jsonPieces({ ...object, list: new LongList(list.values()), none: new LongList([]) })
        expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify({ ...object, list, none: [] }))
      }),
      { numRuns: RUNS },
    )
  })

  it('has no piece much longer than another', () => {
    const item = 'x'.repeat(1000)
    const pieces = jsonPieces({ list: new LongList(Array.from({ length: 2000 }, () => item)) })
    expect(pieces.length).toBeGreaterThan(5)
    expect(Math.max(...pieces.map(piece => piece.length))).toBeLessThan(300_000)
  })
})
