import { isDeepStrictEqual } from 'node:util'
import { runInNewContext } from 'node:vm'
import {
  deserialize,
  parse,
  safeClone,
  safeSnapshot,
  safeStringify,
  serialize,
  stringify,
  transferableSerializerSource,
} from 'agent-apps'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOSTILE } from '../support/hostile-values.js'
import { isLong, times } from '../support/long.js'

const RUNS = times(4, 100_000)

class Point {
  constructor(
    readonly x: number,
    readonly y: number,
  ) {}
}

/** Each row of the table of encodings, and what it comes back as where that is not the value itself. */
const TYPES: Record<string, () => unknown> = {
  null: () => null,
  text: () => 'a"\\\u0000\u2028\ud800é😀',
  number: () => 1.5,
  list: () => [1, [2], []],
  mapping: () => ({ a: { b: {} }, length: 1 }),
  undefined: () => undefined,
  'undefined inside': () => [undefined, [undefined], new Map([[undefined, undefined]])],
  'other numbers': () => [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0],
  bigint: () => -123456789012345678901234567890n,
  symbol: () => Symbol.for('registered'),
  Date: () => new Date(0),
  'invalid Date': () => new Date(Number.NaN),
  RegExp: () => /a\/"+/gi,
  Map: () =>
    new Map<unknown, unknown>([
      [{ k: 1 }, new Map([['a', 1n]])],
      [undefined, -0],
    ]),
  Set: () => new Set<unknown>([1, 'a', new Set([Number.NaN])]),
  Error: () => new Error('broken', { cause: new TypeError('inner') }),
  'error with fields': () => Object.assign(new RangeError('r'), { code: 'E', $fn: 'x', list: [1n] }),
  AggregateError: () => new AggregateError([new Error('y')], 'x'),
  'error with errors': () => Object.assign(new Error('x'), { errors: [new Error('y')] }),
  Uint8Array: () => new Uint8Array([0, 1, 254, 255]),
  BigInt64Array: () => new BigInt64Array([1n, -1n]),
  Float64Array: () => new Float64Array([1.5, Number.NaN]),
  'part of a buffer': () => new Uint8Array(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2),
  ArrayBuffer: () => new Uint8Array([1, 2, 3]).buffer,
  DataView: () => new DataView(new Uint8Array([1, 2, 3]).buffer),
  URL: () => new URL('https://example.org/a?b#c'),
  'error with numbers as keys': () => Object.assign(new Error('e'), { 0: 'a', none: undefined }),
  'own $fn': () => ({ $fn: 'x => x' }),
  'own $ keys': () => [
    { $ref: 1 },
    { $id: 1, $value: 2 },
    { $object: [] },
    { $undefined: true, a: 1 },
    { $: 1 },
    { $undefined: true },
    { $id: 1, $value: { $ref: 1 } },
    { $object: [['$ref', 1]] },
    { $object: [['$object', [['$ref', 1]]]] },
    { $set: [1], a: { $set: [1, 1] } },
    { $map: [[1, { $date: null }]] },
    { $date: new Date(Number.NaN) },
    { $error: { name: 'E', message: 'm', stack: 's' } },
    { $error: new Error('e') },
    { $schema: 'https://json-schema.org/draft/2020-12/schema', $ref: '#/$defs/a', $defs: {} },
    { $ref: '#/$defs/a' },
    { $sparse: [1000, [[1, 2]]] },
    { $bytes: ['Uint8Array', 'AA=='] },
    { $truncated: 'bytes' },
    { $threw: 'x' },
  ],
  'own encoding of an encoding': () => serialize([{ $fn: 'x' }, new Map(), undefined]),
  'own __proto__': () => JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":null}}'),
  'list with holes': () => {
    const list: unknown[] = []
    list[4_000_000_000] = 'end'
    list[3] = list
    return list
  },
  'shared references': () => {
    const shared = { a: 1 }
    const map = new Map<unknown, unknown>([[shared, shared]])
    return { one: shared, two: [shared, map, map] }
  },
  cycles: () => {
    const cycle: Record<string, unknown> = { list: [] }
    cycle.self = cycle
    cycle.map = new Map([[cycle, new Set([cycle])]])
    cycle.error = Object.assign(new Error('c'), { cycle })
    return cycle
  },
}

/** Which of a value's objects are the same, as numbers in the order in which they are met. */
function identities(value: unknown): unknown[] {
  const numbers = new Map<object, number>()
  const seen: unknown[] = []
  const open = [value]
  for (let at = 0; at < open.length; at++) {
    const item = open[at]
    if (typeof item !== 'object' || item === null) continue
    const known = numbers.get(item)
    seen.push(known ?? numbers.size)
    if (known !== undefined) continue
    numbers.set(item, numbers.size)
    if (item instanceof Map) open.push(...[...item].flat())
    else if (item instanceof Set) open.push(...item)
    else open.push(...Object.keys(item).map(key => (item as Record<string, unknown>)[key]))
  }
  return seen
}

function expectSame(back: unknown, value: unknown): void {
  expect(back).toStrictEqual(value)
  expect(identities(back)).toEqual(identities(value))
}

describe('serialize and deserialize', () => {
  it.each(Object.entries(TYPES))('%s', (_, make) => {
    const value = make()
    const structure = serialize(value)
    expect(JSON.parse(JSON.stringify(structure))).toEqual(structure)
    expectSame(deserialize(structure), value)
    expectSame(parse(stringify(value)), value)
  })

  it('encodes as its table says', () => {
    const encoded = serialize([
      undefined,
      Number.NaN,
      1n,
      Symbol.for('a'),
      Symbol('b'),
      new Date(0),
      new Date(Number.NaN),
      /a/g,
      new Map([[1, 2]]),
      new Set([1]),
      new Uint8Array([1]),
      new URL('https://a.b/'),
      Promise.resolve(),
      new WeakMap(),
      { $a: 1 },
      { $ref: 1 },
      new Point(1, 2),
      (a: number) => a,
      {
        get a() {
          throw new Error('no')
        },
      },
    ])
    expect(JSON.stringify(encoded)).toMatchInlineSnapshot(
      `"[{"$undefined":true},{"$number":"NaN"},{"$bigint":"1"},{"$symbol":"a"},{"$opaque":"Symbol(b)"},{"$date":"1970-01-01T00:00:00.000Z"},{"$date":null},{"$regexp":["a","g"]},{"$map":[[1,2]]},{"$set":[1]},{"$bytes":["Uint8Array","AQ=="]},{"$url":"https://a.b/"},{"$opaque":"Promise"},{"$opaque":"WeakMap"},{"$a":1},{"$object":[["$ref",1]]},{"x":1,"y":2},{"$fn":"(a) => a"},{"a":{"$threw":"no"}}]"`,
    )
  })

  it('random values come back as they were', () => {
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: false,
      withNullPrototype: false,
      // A field that is undefined does not come back.
      values: [fc.boolean(), fc.maxSafeInteger(), fc.double(), fc.string(), fc.constantFrom(null, -0)],
      key: fc.oneof(fc.string(), fc.constantFrom('$fn', '__proto__', '$id', '$value', '$ref', '$object')),
    })
    fc.assert(
      fc.property(value, made => {
        expectSame(parse(stringify(made)), made)
        expectSame(parse(stringify([made, made])), [made, made])
        expectSame(deserialize(serialize(serialize(made))), serialize(made))
      }),
      { numRuns: RUNS },
    )
  })

  it('what no JSON makes stays as it is', () => {
    const value = [new Map([[1, { $bigint: '1' }]]), new Date(0), new Uint8Array(3), new WeakMap()]
    const back = deserialize(value) as unknown[]
    expect(back.map((item, at) => item === value[at])).toEqual([true, true, true, true])
  })

  it('what JSON unboxes is written unboxed', () => {
    expect(parse(stringify([Object('a'), Object(1.5), Object(false), Object(-0)]))).toEqual([
      'a',
      1.5,
      false,
      -0,
    ])
    expect(safeClone([Object('a'), Object(1.5), Object(false)])).toEqual(['a', 1.5, false])
  })

  it('text that is not an encoding stays as it is', () => {
    for (const text of [
      '{"$date":"x"}',
      '{"$number":"12"}',
      '{"$ref":9}',
      '{"$bytes":["Array","AA=="]}',
      '{"$bigint":"x"}',
      '{"$regexp":["(","g"]}',
      '{"$url":"x"}',
      '{"$symbol":1}',
      '{"$date":"2026-01-01"}',
      '{"$date":["x"]}',
      '{"$bigint":"012"}',
      '{"$bigint":" 1"}',
      '{"$bytes":["Uint16Array","AA=="]}',
      '{"$bytes":["Uint8Array","AB=="]}',
      '{"$bytes":["Uint8Array","A"]}',
      '{"$url":"https://a.b"}',
      '{"$regexp":["a/b","g"]}',
      '{"$regexp":["a","yg"]}',
      '{"$regexp":["a"]}',
      '{"$set":{"status":"done"}}',
      '{"$set":["a","a"]}',
      '{"$map":{"a":1}}',
      '{"$map":[["a"]]}',
      '{"$map":[["a",1],["a",2]]}',
      '{"$map":[1]}',
      '{"$error":"oops"}',
      '{"$error":{"message":"m"}}',
      '{"$error":{"name":"E","message":"m"}}',
      '{"$error":null}',
      '{"$object":{"a":1}}',
      '{"$object":[]}',
      '{"$object":[["a",1]]}',
      '{"$object":[["$foo",1]]}',
      '{"$object":[["$ref",1],["a",1]]}',
      '{"$id":1,"$value":1}',
      '{"$id":"1","$value":{}}',
      '{"$value":{},"$id":1}',
      '{"$id":0,"$value":{}}',
      '{"$ref":"#/a"}',
      '{"$sparse":[10,[[1,2]]]}',
      '{"$sparse":[1000,[[2,2],[1,1]]]}',
      '{"$sparse":[1000,[[1000,1]]]}',
      '{"$number":1}',
      '{"$undefined":false}',
      '{"$fn":1}',
      '{"a":{"$undefined":true}}',
      '{"$undefined":1}',
      '{"$sparse":[-1,[]]}',
    ])
      expect(JSON.stringify(parse(text))).toBe(text)
  })

  it('reads what is inside a mapping that is not an encoding', () => {
    expect(parse('{"$set":{"at":{"$date":"2026-01-01T00:00:00.000Z"}}}')).toEqual({
      $set: { at: new Date('2026-01-01T00:00:00.000Z') },
    })
    expect(parse('{"$foo":{"$bigint":"1"}}')).toEqual({ $foo: 1n })
    expect(parse('{"$set":[{"$bigint":"1"},{"$bigint":"1"}]}')).toEqual({ $set: [1n, 1n] })
    // Ids are given in order, and each once.
    expect(parse('[{"$id":2,"$value":[]},{"$id":1,"$value":{"a":{"$ref":2}}},{"$ref":3}]')).toEqual([
      [],
      { $id: 1, $value: { a: [] } },
      { $ref: 3 },
    ])
  })

  it('revives functions only where it is asked to', () => {
    const value = {
      arrow: (a: number) => a + 1,
      async: async (a: number) => a,
      method(a: number) {
        return a * 2
      },
      'quoted name'(a: number) {
        return a
      },
      *generator() {
        yield 1
      },
      classy: class {
        a = 1
      },
      plain: (a: number) => a,
      get got() {
        return 1
      },
    }
    const text = stringify(value)
    expect(parse(text)).toMatchObject({ arrow: { $fn: '(a) => a + 1' } })
    const back = parse(text, { functions: true }) as typeof value
    expect([
      back.arrow(1),
      back.method(2),
      back['quoted name'](5),
      back.plain(3),
      [...back.generator()],
    ]).toEqual([2, 4, 5, 3, [1]])
    expect(new back.classy().a).toBe(1)
    const bound = stringify(value.plain.bind(null))
    expect(() => parse(bound, { functions: true })).toThrow(
      expect.objectContaining({ code: 'FUNCTION_INVALID' }),
    )
    for (const source of ['(() => { throw null })()', '(', '', '5'])
      expect(() => deserialize({ $fn: source }, { functions: true })).toThrow(
        expect.objectContaining({ code: 'FUNCTION_INVALID' }),
      )
    expect(parse(bound)).toEqual({ $fn: 'function () { [native code] }' })
  })

  it('throws JSON_INVALID for what is not JSON', () => {
    for (const text of ['', '{', 'undefined', "{'a':1}", '\ufeff{}'])
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'JSON_INVALID' }))
  })
})

/** Those who write and read, this module's and those that are transferred. */
const transferred = new Function(`${transferableSerializerSource()}; return { stringify, parse }`)() as {
  stringify: typeof stringify
  parse: typeof parse
}

/** JSON of a program that knows nothing of encodings, but likes `$` and words that they have. */
const word = fc.constantFrom(
  ...[
    '$set',
    '$error',
    '$object',
    '$ref',
    '$id',
    '$value',
    '$map',
    '$date',
    '$undefined',
    '$number',
    '$bytes',
  ],
  ...[
    '$fn',
    '$sparse',
    '$url',
    '$symbol',
    '$bigint',
    '$regexp',
    '$truncated',
    '$schema',
    '__proto__',
    'a',
    '0',
  ],
)
const { json } = fc.letrec(tie => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      1,
      1000,
      'a',
      '',
      'NaN',
      '12',
      'AA==',
      'Uint8Array',
      'https://a.b/',
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter(number => !Object.is(number, -0)),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.array(fc.tuple(fc.oneof(word, fc.nat(3)), tie('json')), { maxLength: 2 }),
    fc.dictionary(fc.oneof(word, fc.string()), tie('json'), { maxKeys: 3, noNullPrototype: true }),
    fc.tuple(word, tie('json')).map(([key, value]) => ({ [key]: value })),
  ),
}))

/** True where a part of some JSON says by its one key, or its two, that it is an encoding. */
function isSuspect(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const [first = ''] = Object.keys(value)
  return first.startsWith('$') || Object.values(value).some(isSuspect)
}

describe.each([
  ['stringify and parse', { stringify, parse }],
  ['the transferred ones', transferred],
])('%s, in the place of JSON', (_, { stringify, parse }) => {
  it('read JSON of others as it is', () => {
    for (const text of [
      '{"x":{"$set":{"status":"done"}}}',
      '{"$error":"oops"}',
      '{"$object":{"a":1}}',
      '{"$inc":{"n":1},"$set":{"a":[1]}}',
      '{"$schema":"s","$ref":"#/a","$id":"https://a.b/c"}',
      '{"__proto__":{"a":1},"b":{"__proto__":null}}',
    ])
      expect(JSON.stringify(parse(text))).toBe(text)
    fc.assert(
      fc.property(
        fc.jsonValue().filter(value => !isSuspect(value)),
        value => {
          const text = JSON.stringify(value)
          expect(parse(text)).toStrictEqual(JSON.parse(text))
        },
      ),
      { numRuns: RUNS * 10 },
    )
  })

  it('read nothing but what they write: it is written as it was, or is changed in nothing', () => {
    let changed = 0
    fc.assert(
      fc.property(json, value => {
        const text = JSON.stringify(value)
        const read = parse(text)
        const foreign = JSON.parse(text)
        if (isDeepStrictEqual(read, foreign)) return
        changed++
        // What is read as something else is what that is written as, but that marks and ids may not be needed.
        expect(parse(stringify(read))).toStrictEqual(read)
        if (!/"\$(?:id|ref|truncated|object|fn)"/.test(text)) expect(stringify(read)).toBe(text)
      }),
      // Few random values are read as something else; the first one is.
      { numRuns: RUNS * 20, examples: [[JSON.parse(stringify(new Set([1])))]] },
    )
    expect(changed).toBeGreaterThan(0)
  })

  it('give any JSON back', () => {
    fc.assert(
      fc.property(json, value => {
        expect(parse(stringify(value))).toStrictEqual(value)
        expect(parse(stringify(JSON.parse(JSON.stringify(value)), null, 2))).toStrictEqual(value)
      }),
      { numRuns: RUNS * 20 },
    )
  })

  it('write plain data as JSON.stringify does, with or without indent', () => {
    const indent = fc.constantFrom<number | string | undefined>(undefined, 0, 2, 20, '\t', '')
    fc.assert(
      fc.property(
        fc.jsonValue().filter(one => !isSuspect(one)),
        indent,
        (value, space) => {
          const plain = JSON.parse(JSON.stringify(value))
          expect(stringify(plain, null, space)).toBe(JSON.stringify(plain, null, space))
          expect(stringify(plain, undefined, space)).toBe(JSON.stringify(plain, undefined, space))
        },
      ),
      { numRuns: RUNS * 10 },
    )
    const value = { $schema: 's', type: { $ref: '#/a' }, $defs: { a: [{}, []] } }
    expect(stringify(value, null, 2)).toBe(JSON.stringify(value, null, 2))
    expect(stringify({ a: undefined, b: { c: undefined } })).toBe('{"b":{}}')
    expect(stringify(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}')
  })

  it('ask toJSON, but of what has an encoding', () => {
    const money = { amount: 1, toJSON: () => '1.00' }
    const user = { name: 'a', password: 'b', toJSON: () => ({ name: 'a' }) }
    const value = { money, user, list: [user, money], none: { toJSON: () => undefined } }
    expect(stringify({ money, user, none: value.none }, null, 1)).toBe(
      JSON.stringify({ money, user, none: value.none }, null, 1),
    )
    expect(parse(stringify(value))).toEqual({
      money: '1.00',
      user: { name: 'a' },
      list: [{ name: 'a' }, '1.00'],
    })
    expect(stringify({ toJSON: (key: string) => ({ key }) })).toBe('{"key":""}')
    expect(stringify({ a: { toJSON: (key: string) => ({ key }) } })).toBe('{"a":{"key":"a"}}')
    expect(stringify([new Map([[user, money]]), new Set([money])])).toBe(
      '[{"$map":[[{"name":"a"},"1.00"]]},{"$set":["1.00"]}]',
    )
    const encoded = [
      new Date(0),
      Buffer.from('a'),
      Object.assign(new Error('e'), { toJSON: () => 'no' }),
      Object.assign(new Map(), { toJSON: () => 'no' }),
    ]
    const kinds = ['$date', '$bytes', '$error', '$map']
    expect((JSON.parse(stringify(encoded)) as object[]).map(one => Object.keys(one)[0])).toEqual(kinds)
    const itself = { a: 1, toJSON: () => itself }
    expect(stringify(itself)).toBe('{"a":1,"toJSON":{"$fn":"() => itself"}}')
  })

  it('end, whatever toJSON gives', () => {
    const parent: Record<string, unknown> = {}
    parent.children = [{ toJSON: () => ({ parent }) }]
    const back = parse(stringify(parent)) as typeof parent
    expect((back.children as { parent: unknown }[])[0]?.parent).toBe(back)
    const endless = (): object => ({ toJSON: () => ({ next: endless() }) })
    expect(stringify(endless())).toContain('"$truncated":"depth"')
    const throwing = {
      toJSON() {
        throw new Error('no')
      },
    }
    expect(stringify({ a: throwing })).toBe('{"a":{"$threw":"no"}}')
  })

  it('take a replacer and a reviver', () => {
    const value = { a: 1, b: { a: 2, c: 3 } }
    expect(stringify(value, ['a', 'b'], 1)).toBe(JSON.stringify(value, ['a', 'b'], 1))
    const double = (_: string, one: unknown) => (typeof one === 'number' ? one * 2 : one)
    expect(stringify(value, double)).toBe(JSON.stringify(value, double))
    expect(parse('{"a":1,"b":[2]}', double)).toEqual({ a: 2, b: [4] })
    expect(parse('[1]', null)).toEqual([1])
  })
})

it('what is transferred writes what is written here', () => {
  const value = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
    withBoxedValues: true,
    key: fc.oneof(fc.string(), word),
  })
  fc.assert(
    fc.property(fc.oneof(value, json), fc.constantFrom(undefined, 2), (one, indent) => {
      const text = stringify(one, null, indent)
      expect(transferred.stringify(one, null, indent)).toBe(text)
      // Written again: dates that are none are not equal to each other.
      expect(stringify(transferred.parse(text))).toBe(stringify(parse(text)))
    }),
    { numRuns: RUNS * 10 },
  )
  for (const make of Object.values(TYPES)) {
    const one = make()
    expect(transferred.stringify(one)).toBe(stringify(one))
  }
})

describe('redact', () => {
  const secret = 'hunter2'
  it('replaces what its paths find', () => {
    const user = { name: 'a', password: secret }
    const value = {
      user,
      again: user,
      list: [{ token: secret }],
      nested: { deep: { token: secret } },
      env: { A: secret, B: 'b' },
    }
    const text = stringify(value, { redact: ['user.password', '..token', 'env["A"]'] })
    expect(text).not.toContain(secret)
    expect(text).toContain('[redacted]')
    expect(parse(text)).toMatchObject({ user: { name: 'a' }, env: { A: '[redacted]', B: 'b' } })
  })

  it('in maps, sets and causes too', () => {
    const password = { password: secret }
    const error = new Error('outer', { cause: new AggregateError([password], 'inner') })
    const value = { map: new Map([['a', { ...password }]]), set: new Set([{ ...password }]), error }
    expect(stringify(value, { redact: ['..password'] })).not.toContain(secret)
  })

  it('what toJSON gives', () => {
    const user = { toJSON: () => ({ name: 'a', password: secret, deep: { password: secret } }) }
    const value = {
      user,
      list: [user],
      map: new Map([[user, user]]),
      set: new Set([{ toJSON: user.toJSON }]),
    }
    for (const redact of [['..password'], ['user.password', 'user.deep', '..password']])
      expect(stringify(value, { redact })).not.toContain(secret)
    expect(stringify({ user }, { redact: ['user.password', 'user.deep'] })).toBe(
      '{"user":{"name":"a","password":"[redacted]","deep":"[redacted]"}}',
    )
    expect(stringify(user, { redact: ['password', 'deep'] })).not.toContain(secret)
  })

  it('whatever looks different each time', () => {
    const value = {
      get user() {
        return { password: secret }
      },
      proxy: new Proxy({ password: '' }, { get: (_, key) => (key === 'password' ? secret : undefined) }),
    }
    expect(stringify(value, { redact: ['..password'] })).not.toContain(secret)
  })

  it.runIf(isLong)('what has no end', () => {
    const endless = (): object => ({
      password: secret,
      get next() {
        return endless()
      },
    })
    expect(stringify(endless(), { redact: ['..password'] })).not.toContain(secret)
  })

  it('refuses what is not a path', () => {
    expect(() => serialize({}, { redact: ['a['] })).toThrow(expect.objectContaining({ code: 'PATH_INVALID' }))
  })
})

describe('safeClone', () => {
  it('says in words what is not JSON', () => {
    const cycle: unknown[] = [1]
    cycle.push(cycle)
    const value = {
      fn: function named() {},
      arrow: [() => 1],
      promise: Promise.resolve(),
      cycle,
      date: new Date(0),
      bad: new Date(Number.NaN),
      map: new Map([['a', 1]]),
      odd: new Map([[1, 2]]),
      set: new Set([1]),
      re: /a/g,
      big: 1n,
      nan: Number.NaN,
      symbol: Symbol('s'),
      bytes: new Uint8Array(3),
      url: new URL('https://a.b/'),
      none: undefined,
      list: [undefined],
      point: new Point(1, 2),
      get thrown() {
        throw new Error('no')
      },
    }
    expect(safeClone(value)).toMatchInlineSnapshot(`
      {
        "arrow": [
          "[Function: anonymous]",
        ],
        "bad": "Invalid Date",
        "big": "1n",
        "bytes": "[Uint8Array: 3 bytes]",
        "cycle": [
          1,
          "[Circular]",
        ],
        "date": "1970-01-01T00:00:00.000Z",
        "fn": "[Function: named]",
        "list": [
          null,
        ],
        "map": {
          "a": 1,
        },
        "nan": "NaN",
        "odd": [
          [
            1,
            2,
          ],
        ],
        "point": {
          "x": 1,
          "y": 2,
        },
        "promise": "[Promise]",
        "re": "/a/g",
        "set": [
          1,
        ],
        "symbol": "Symbol(s)",
        "thrown": "[Threw: no]",
        "url": "https://a.b/",
      }
    `)
    expect(safeClone(new Error('broken'))).toMatchObject({ name: 'Error', message: 'broken' })
    expect(safeStringify(undefined)).toBe('null')
    expect(
      safeStringify({ a: { toJSON: (key: string) => [key] }, b: [{ toJSON: (key: string) => key }] }),
    ).toBe('{"a":["a"],"b":["0"]}')
    const node: Record<string, unknown> = { toJSON: () => ({ node }) }
    expect(safeStringify({ node, none: { toJSON: () => undefined } })).toBe('{"node":{"node":"[Circular]"}}')
    expect(safeStringify(Object.assign(new Date(0), { toJSON: () => 'no' }))).toBe(
      '"1970-01-01T00:00:00.000Z"',
    )
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (plain, indent) => {
        expect(safeStringify(plain, indent)).toBe(JSON.stringify(plain, null, indent))
      }),
      { numRuns: RUNS * 10 },
    )
    expect(safeStringify({ a: [1] }, 1)).toBe('{\n "a": [\n  1\n ]\n}')
    expect(safeSnapshot({ a: { b: { c: { d: { e: 1 } } } } })).toEqual({ a: { b: { c: { d: '[Object]' } } } })
  })
})

describe('transferableSerializerSource, in a bare context', () => {
  const inContext = (code: string, globals: object = {}): unknown =>
    runInNewContext(`${transferableSerializerSource()}\n${code}`, globals)

  it.each(Object.entries(TYPES).filter(([name]) => name !== 'URL'))('%s', (_, make) => {
    const text = stringify(make())
    expect(inContext('stringify(parse(text))', { text })).toBe(text)
  })

  it('knows functions, and declares only what it is asked for', () => {
    const text = stringify({
      f: (a: number) => a + 1,
      m: {
        g() {
          return 2
        },
      }.g,
    })
    expect(inContext('const it = parse(text, { functions: true }); [it.f(1), it.m()].join()', { text })).toBe(
      '2,2',
    )
    expect(inContext('const it = reviveFns(JSON.parse(text)); it.f(1)', { text })).toBe(2)
    expect(inContext('typeof parse(text).f.$fn', { text })).toBe('string')
    expect(inContext('stringify([new String("a"), Object(-0)])')).toBe('["a",{"$number":"-0"}]')
    expect(inContext('const map = new Map(); reviveFns([map])[0] === map')).toBe(true)
    expect(
      runInNewContext(`${transferableSerializerSource(['stringify'])}; typeof parse + stringify({ a: 1 })`),
    ).toBe('undefined{"a":1}')
    expect(
      runInNewContext(`${transferableSerializerSource(['parse'])}; typeof stringify + parse('[1]')`),
    ).toBe('undefined1')
  })

  it('never throws in stringify', () => {
    for (const name of [
      'revoked proxy',
      'throwing getter',
      'getter that throws what throws',
      'deep list',
      'doubling references',
    ])
      expect(typeof inContext('stringify(value)', { value: HOSTILE[name]?.() })).toBe('string')
  })
})
