import { expect, it } from 'vitest'
import type { TermIndex } from '../../src/search/postings.js'
import { TermBlockWriter, termsIn } from '../../src/search/term-block.js'
import { randomFrom } from '../support/policy-model.js'

it('refuses a block with a term of a row that the file does not have, before anything is ranked', () => {
  const block = blockOf(new Map([['deploi', [5, 9]]]))
  expect([...termsIn(block, 10).keys()]).toEqual(['deploi'])
  expect(() => termsIn(block, 9)).toThrow('a block of its search file is invalid')
  expect(() => new TermBlockWriter().merge(block, new Int32Array(9), [], indexOf(new Map()))).toThrow(
    'a block of its search file is invalid',
  )
})

it('merges a block with other terms to what is written at once, whichever rows move, go and come', () => {
  const random = randomFrom(5)
  const below = (end: number): number => Math.floor(random() * end)
  for (let round = 0; round < 300; round++) {
    const kept = Array.from({ length: 1 + below(40) }, () => below(4) > 0)
    // Half of the rounds keep every row where it is.
    const gap = round % 2 === 0 ? 1 : 1 + below(3)
    const rowOf = Int32Array.from(kept, (isKept, row) => (isKept ? row * gap : -1))
    const free = [...kept.keys()].filter(row => gap > 1 || !kept[row]).map(row => row * gap + gap - 1)
    const rowsBefore = someTerms(below, [...kept.keys()])
    const rowsAdded = someTerms(below, free)
    const expected = new Map<string, number[]>()
    for (const [term, rows] of rowsBefore) {
      const moved = rows.map(row => rowOf[row] as number).filter(row => row !== -1)
      if (moved.length > 0) expected.set(term, moved)
    }
    for (const [term, rows] of rowsAdded)
      expected.set(
        term,
        [...(expected.get(term) ?? []), ...rows].toSorted((a, b) => a - b),
      )
    // Weights follow from the new row, so a posting that moves must keep its own.
    const merged = new TermBlockWriter().merge(
      blockOf(rowsBefore, row => row * gap),
      rowOf,
      [...rowsAdded.keys()].toSorted(),
      indexOf(rowsAdded),
    )
    expect(Buffer.from(merged).equals(blockOf(expected))).toBe(true)
  }
})

it('refuses a block that was cut off or changed anywhere, or merges it to one that can be read', () => {
  const block = blockOf(
    new Map([
      ['a', [0, 3, 5]],
      ['bcd', [1]],
      ['é', [2, 4, 5]],
    ]),
  )
  const damaged = [...block.keys()].flatMap(at => [
    block.subarray(0, at),
    ...[0, 1, 64, 127, 128, 255].map(byte => block.with(at, byte)),
  ])
  const rows = Int32Array.of(0, 1, 2, 3, 4, 5)
  let refused = 0
  for (const bytes of damaged)
    for (const rowOf of [rows, rows.with(3, -1)])
      try {
        termsIn(new TermBlockWriter().merge(bytes, rowOf, [], indexOf(new Map())), 6)
      } catch (error) {
        expect((error as Error).message).toContain('a block of its search file is invalid')
        refused++
      }
  expect(refused).toBeGreaterThan(damaged.length)
})

it('refuses a block whose terms are not in order, in which a merge would lose others', () => {
  const [a, last] = ['a', '\u{10ffff}'].map(term => blockOf(new Map([[term, [0]]]))) as [
    Uint8Array,
    Uint8Array,
  ]
  for (const block of [Buffer.concat([last, a]), Buffer.concat([a, a])]) {
    const merge = () =>
      new TermBlockWriter().merge(block, Int32Array.of(0, 1), ['a'], indexOf(new Map([['a', [1]]])))
    expect(merge).toThrow('a block of its search file is invalid')
    expect(() => termsIn(block, 2)).toThrow('a block of its search file is invalid')
  }
})

/** Terms with rows, some of them beyond ASCII and beyond the basic plane. */
function someTerms(below: (end: number) => number, rows: readonly number[]): Map<string, number[]> {
  const terms = ['a', 'ab', 'abc', 'é', '漢字', '𠀀𠀁', '\uff5e', 'zz'].filter(() => below(2) === 0)
  const chosen = terms.map(term => [term, rows.filter(() => below(3) === 0)] as const)
  return new Map(chosen.filter(([, own]) => own.length > 0).map(([term, own]) => [term, [...own]]))
}

/** An index in which a row's weights follow from its number. */
function indexOf(terms: ReadonlyMap<string, number[]>, numberOf = (row: number): number => row): TermIndex {
  return {
    postings: term => {
      const rows = terms.get(term)
      return (
        rows && {
          rows: Uint32Array.from(rows),
          all: Uint8Array.from(rows, row => 1 + (numberOf(row) % 60)),
          declared: Uint8Array.from(rows, row => numberOf(row) % 3),
        }
      )
    },
    beginningWith: () => [],
  }
}

function blockOf(terms: ReadonlyMap<string, number[]>, numberOf?: (row: number) => number): Uint8Array {
  const none = new Int32Array()
  return new TermBlockWriter().merge(
    new Uint8Array(),
    none,
    [...terms.keys()].toSorted(),
    indexOf(terms, numberOf),
  )
}
