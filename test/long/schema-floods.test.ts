import type { JsonObject } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { call } from '../support/call-with-schema.js'

describe('a comparison has an end', () => {
  const zeros = Array.from({ length: 120_000 }, () => 0)
  const empty = Array.from({ length: 60_000 }, () => ({}))
  const of = (v: JsonObject): JsonObject => ({ type: 'object', properties: { v } })
  const alternatives = (depth: number): JsonObject =>
    depth === 0 ? { type: 'string' } : { anyOf: Array.from({ length: 6 }, () => alternatives(depth - 1)) }
  const refs = Object.fromEntries(
    Array.from({ length: 900 }, (_, n) => [`d${n}`, { $ref: n === 899 ? '#' : `#/$defs/d${n + 1}` }]),
  )
  const levels = (count: number): object => {
    let value = {}
    for (let level = 0; level < count; level++) value = { v: value }
    return value
  }
  let shared: unknown[] = []
  for (let level = 0; level < 40; level++) shared = [shared, shared]

  const CASES: Record<string, [schema: JsonObject, value: unknown]> = {
    'many texts, each short enough for the pattern': [
      of({ items: { pattern: '^(a|b){0,500}(a|b){0,500}c' } }),
      Array.from({ length: 1_000 }, () => 'ab'.repeat(60)),
    ],
    'a text too long for a pattern that it must not match': [
      of({ not: { pattern: '([ab]{0,1000}){2}c' } }),
      'ab'.repeat(100_000),
    ],
    'a long list in many alternatives': [of({ items: alternatives(3) }), zeros],
    'a long list compared by many': [
      of({ allOf: Array.from({ length: 900 }, () => ({ items: { type: 'string' } })) }),
      zeros,
    ],
    'a long list looked through by many': [
      of({ allOf: Array.from({ length: 400 }, () => ({ contains: alternatives(1) })) }),
      zeros,
    ],
    'a long list that many want without doubles': [
      of({ allOf: Array.from({ length: 500 }, () => ({ uniqueItems: true })) }),
      zeros.map((_, at) => at),
    ],
    'a long list and a long enum': [
      of({ items: { enum: Array.from({ length: 15_000 }, (_, at) => at + 1) } }),
      zeros,
    ],
    'a long list and many names': [
      of({ items: { required: Array.from({ length: 12_000 }, (_, at) => `k${at}`) } }),
      [...empty, { k0: 1 }],
    ],
    'a long text measured by many': [
      of({ allOf: Array.from({ length: 2_000 }, (_, at) => ({ minLength: at })) }),
      'x'.repeat(200_000),
    ],
    'a large default in many places': [
      of({ items: { properties: { a: { default: Array(15_000).fill(1) } } } }),
      empty,
    ],
    'defaults looked for by many': [
      of({ allOf: Array.from({ length: 900 }, () => ({ items: { properties: { b: { default: 1 } } } })) }),
      empty,
    ],
    'what is shared, and a tree once it is copied': [of({}), shared],
    'a deep value, with many schemas for each level': [
      { type: 'object', properties: { v: { $ref: '#/$defs/d0' } }, required: ['v'], $defs: refs },
      levels(290),
    ],
  }
  it.each(Object.entries(CASES))('%s', async (_name, [schema, v]) => {
    const before = process.cpuUsage()
    const { error } = await call(schema, { v })
    const { user, system } = process.cpuUsage(before)
    expect([error?.code, error?.issues?.length]).toEqual(['ARGS_INVALID', expect.any(Number)])
    expect((user + system) / 1e6).toBeLessThan(10)
    for (const { message } of error?.issues ?? []) expect(message.length).toBeLessThan(1_000)
  })

  it('that an honest one does not come near', async () => {
    const list = zeros.map(id => ({ id, name: 'a name' }))
    const item = object({ id: { type: 'integer' }, name: { type: 'string', pattern: '^[a-z ]+$' } }, [])
    expect((await call(of({ items: item }), { v: list })).error).toBe(undefined)
    const { error } = await call(of({ items: item }), { v: [...list, { id: 'x', name: 'X' }] })
    expect(error?.issues?.map(({ path }) => path)).toEqual(['v[120000].id', 'v[120000].name'])
    const tree = { type: 'object', properties: { v: { items: { $ref: '#/properties/v' } } } }
    expect((await call(tree, { v: zeros.map(() => [[]]) })).error).toBe(undefined)
  })
})

function object(properties: JsonObject, required: string[], more: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...more,
  }
}
