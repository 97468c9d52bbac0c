import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pathPattern } from '../../skills/workspace/tree/path-pattern.js'
import { compileGlob } from '../../src/patterns/glob.js'
import { matchGlob } from '../../src/patterns/match-glob.js'
import { times } from '../support/long.js'

const segment = fc.constantFrom(
  '*',
  '**',
  '*.ts',
  '*.d.ts',
  '*.{ts,tsx}',
  '*.{d.ts,a}',
  'src',
  'a.b',
  '?.ts',
  '[a-c]*',
  'src*',
  '{src,a}',
  '.x',
)
const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'))
const name = fc.constantFrom(
  'a.ts',
  '.ts',
  'ts',
  'x.d.ts',
  'a.tsx',
  'src',
  'a.b',
  'b',
  '.x',
  'srcs',
  'a',
  '{src,a}',
  'x.{ts,tsx}',
  'a.bts',
)
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'))

it('patterns match what their programs match, and no folder on the way is left out', () => {
  fc.assert(
    fc.property(pattern, path, (written, found) => {
      const program = (() => {
        try {
          return compileGlob(written)
        } catch {
          return fc.pre(false)
        }
      })()
      const { matches, mayEnter } = pathPattern(written)
      const isMatch = matchGlob(program as never, found)
      expect(matches(found)).toBe(isMatch)
      if (!isMatch) return
      const folders = found.split('/').slice(0, -1)
      for (const [depth] of folders.entries())
        expect(mayEnter(folders.slice(0, depth + 1).join('/'), depth), `${written} ${found}`).toBe(true)
    }),
    { numRuns: times(100, 500_000) },
  )
})
