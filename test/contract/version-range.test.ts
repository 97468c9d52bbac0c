import fc from 'fast-check'
import { satisfies, validRange } from 'semver'
import { expect, it } from 'vitest'
import { isInRange } from '../../src/own/version-range.js'
import { times } from '../support/long.js'

const NUMBER = fc.nat(3).map(String)
const PARTIAL = fc.oneof(
  fc
    .tuple(NUMBER, NUMBER, NUMBER, fc.constantFrom('', '', '-0', '-1.2'))
    .map(([a, b, c, tag]) => `${a}.${b}.${c}${tag}`),
  fc.tuple(NUMBER, NUMBER, fc.constantFrom('', '.x', '.*')).map(([a, b, any]) => `${a}.${b}${any}`),
  fc.tuple(NUMBER, fc.constantFrom('', '.x', '.X.*')).map(([a, any]) => `${a}${any}`),
  fc.constantFrom('*', 'x', 'x.x'),
)
const COMPARATOR = fc
  .tuple(fc.constantFrom('', '<', '<=', '>', '>=', '=', '^', '~', '~>', '>= ', '^ '), PARTIAL)
  .map(parts => parts.join(''))
const SET = fc.oneof(
  COMPARATOR,
  fc.tuple(COMPARATOR, COMPARATOR).map(parts => parts.join(' ')),
  fc.tuple(PARTIAL, PARTIAL).map(parts => parts.join(' - ')),
  fc.constant(''),
)
const RANGE = fc.array(SET, { minLength: 1, maxLength: 3 }).map(sets => sets.join(' || '))
const VERSION = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map(numbers => numbers.join('.'))

it('a range of versions is read as npm reads it', () => {
  fc.assert(
    fc.property(VERSION, RANGE, (version, range) => {
      const met = isInRange(version, range)
      if (met === null) expect(validRange(range)).toBe(null)
      else expect(met).toBe(satisfies(version, range, { includePrerelease: true }))
    }),
    { numRuns: times(100, 100_000) },
  )
})

it('a caret before a prerelease of 0.0.x reaches its release', () => {
  expect(isInRange('0.0.2', '^0.0.2-1.2')).toBe(true)
  expect(isInRange('0.0.3', '^0.0.2-1.2')).toBe(false)
})

it('a text that npm does not read as a range is none, or is read as npm reads it', () => {
  const text = fc.string({ unit: fc.constantFrom(...' 0123.xX*<>=~^|-'), maxLength: 10 })
  fc.assert(
    fc.property(VERSION, text, (version, range) => {
      const met = isInRange(version, range)
      if (met !== null) expect(met).toBe(satisfies(version, range, { includePrerelease: true }))
    }),
    { numRuns: times(100, 100_000) },
  )
  for (const none of ['1.2.3.4', '>>1', 'a', '>', '1.02', '>=1 |', '1 -2', '1..2', 'git 2', '< = 0'])
    expect(isInRange('1.2.3', none)).toBe(null)
})

it('a prerelease counts as the release that it precedes', () => {
  expect(isInRange('0.2.0-beta.1', '>=0.2.0')).toBe(true)
  expect(isInRange('0.2.0-beta.1', '<0.2.0')).toBe(false)
})
