import { describe, expect, it } from 'vitest'
import {
  type DeclaredTool,
  declareTools,
  declareVirtualTools,
} from '../../compiler/4-bundle/types/declare-tools.js'
import { schemaType } from '../../compiler/4-bundle/types/schema-type.js'
import type { JsonObject, JsonValue } from '../../src/base/json.js'
import { isLong } from '../support/long.js'

const type = (schema: JsonObject): string => schemaType(schema, true)

const closed = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  additionalProperties: false,
})

/** By name `a0`, `a1`, …: as many of one kind. */
const many = <Kind extends JsonValue>(count: number, make: (index: number) => Kind): Record<string, Kind> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, make(index)]))

describe('the type of a schema', () => {
  it('has a reference within itself once more, then anything', () => {
    const node = closed({ next: { $ref: '#/$defs/node' }, n: { type: 'integer' } })
    expect(type({ $ref: '#/$defs/node', $defs: { node } })).toBe(
      '{ "next"?: { "next"?: unknown; "n"?: number }; "n"?: number }',
    )
    expect(type(closed({ all: { $ref: '#' } }))).toBe('{ "all"?: { "all"?: { "all"?: unknown } } }')
  })

  it('stays small where a schema refers to itself in many places', () => {
    const e = closed(many(4, () => ({ $ref: '#/$defs/e' })))
    expect(type({ $ref: '#/$defs/e', $defs: { e } }).length).toBeLessThan(1_000)
    const all = many(30, () => closed(many(30, index => ({ $ref: `#/$defs/a${index}` }))))
    expect(type({ $ref: '#/$defs/a0', $defs: all }).length).toBeLessThan(100_000)
  })

  it('stays small where references double', () => {
    const doubling = many(30, index =>
      closed({ l: { $ref: `#/$defs/a${index + 1}` }, r: { $ref: `#/$defs/a${index + 1}` } }),
    )
    const all = { ...doubling, a30: { type: 'string' } }
    expect(type({ $ref: '#/$defs/a10', $defs: all }).length).toBeLessThan(100_000)
  })

  it.each<[string, JsonObject]>([
    ['a text', { const: 'x'.repeat(100_000) }],
    ['a description', { type: 'object', properties: { a: { description: 'x'.repeat(100_000) } } }],
    ['values', { enum: Object.keys(many(10_000, () => null)) }],
    ['names', { type: 'object', required: Object.keys(many(10_000, () => null)) }],
  ])('stays small where a long one is referred to often: %s', (_what, long) => {
    const properties = many(1_000, () => ({ $ref: '#/$defs/long' }))
    expect(type({ type: 'object', properties, $defs: { long } }).length).toBeLessThan(2_000_000)
  })

  it('tells what is said before it became too much', () => {
    const told = type(closed(many(2_000, () => ({ type: 'string' }))))
    expect(told).toContain('"a900"?: string')
    expect(told).toContain('"a1999"?: unknown')
  })

  it.runIf(isLong)('takes lists of any length', () => {
    const names = Object.keys(many(200_000, () => null))
    expect(type({ type: 'object', required: names })).toContain('"a199999": unknown')
    expect(type({ allOf: names.map(() => ({ type: 'string' })) })).toBe('string')
  })

  it('is anything for a reference that leads nowhere', () => {
    const $defs = { '50%': { type: 'string' } }
    for (const $ref of ['#/$defs/50%', '#/$defs/none', '#name', 'https://example.com/#/$defs/50%25'])
      expect(type({ $ref, $defs, type: ['null', 'boolean'] }), $ref).toBe('null | boolean')
    expect(type({ $ref: '#/$defs/50%25', $defs })).toBe('string')
  })
})

describe('declarations', () => {
  const ENDS = 'a\u2028b\u2029c\nd'
  const tool: DeclaredTool = {
    name: ENDS,
    description: ENDS,
    isLibrary: false,
    params: { type: 'object', properties: { [ENDS]: { const: ENDS } }, required: [`${ENDS}e`] },
    returns: { enum: [ENDS] },
  }
  const NAME = '"a\\u2028b\\u2029c\\nd"'

  it.each([
    ['of a bundle', declareTools, '  '],
    ['of the virtual module', declareVirtualTools, '    '],
  ])('write names and values so that no line ends in them: %s', (_what, declare, indent) => {
    const text = declare([tool])
    expect(text).not.toMatch(/[\u2028\u2029]/)
    const named = `{ ${NAME}?: ${NAME}; ${NAME.replace(/"$/, 'e"')}: unknown }`
    expect(text).toContain(
      `\n${indent}/** a b c d */\n${indent}${NAME}: { args: ${named}; result: ${NAME} }\n`,
    )
  })
})
