import { isAgentAppsError, pathGet, pathKeys, pathQuery, pathRemove, pathSet } from 'agent-apps'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLong, times } from '../support/long.js'
import { runCode } from '../support/processes.js'

const RUNS = times(60, 1_000_000)

const object = () => ({
  a: { b: 1, 'x.y': 2, c: null },
  list: [
    { name: 'one', n: 1 },
    { name: 'two', n: 2, inner: { n: 3 } },
  ],
  empty: [] as unknown[],
})

describe('reading', () => {
  it.each<[string, unknown[]]>([
    ['a.b', [1]],
    ['a["b"]', [1]],
    ["a['x.y']", [2]],
    ['a.c', [null]],
    ['a.d', []],
    ['a.b.c', []],
    ['list[0].name', ['one']],
    ['list.0.name', ['one']],
    ['list[-1].name', ['two']],
    ['list[-3]', []],
    ['list[2]', []],
    ['list[*].name', ['one', 'two']],
    ['list.*.n', [1, 2]],
    ['list[?name=two].n', [2]],
    ['list[?name="two"].n', [2]],
    ['list[?n=1].name', ['one']],
    ['list..n', [1, 2, 3]],
    ['..n', [1, 2, 3]],
    ['list..[0].name', ['one']],
    ['..inner..n', [3]],
    ['list.length', []],
    ['a.toString', []],
    ['__proto__', []],
    ['constructor.name', []],
    ['a["__proto__"]', []],
    ['empty[0]', []],
    ['', [object()]],
  ])('%s', (expression, found) => {
    expect(pathQuery(object(), expression)).toEqual(found)
    expect(pathGet(object(), expression)).toEqual(found[0])
  })

  it.each<[string, number]>([
    ['.a', 1],
    ['a.', 3],
    ['a..', 4],
    ['a...b', 4],
    ['a b', 2],
    ['a[', 2],
    ['a[b]', 2],
    ['a["b]', 2],
    ['a[0]b', 5],
    ['a.[0]', 3],
    ['[?=x]', 1],
    ['a]', 2],
  ])('%s is refused, with its column', (expression, column) => {
    for (const use of [pathGet, pathQuery, pathRemove]) {
      try {
        use({}, expression)
        expect.unreachable()
      } catch (error) {
        expect(isAgentAppsError(error) && [error.code, error.position?.column]).toEqual([
          'PATH_INVALID',
          column,
        ])
      }
    }
  })

  it('goes on past what throws, and never ends in cycles', { tags: 'long' }, () => {
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const hostile: Record<string, unknown> = {
      get throwing() {
        throw new Error('no')
      },
      revoked: revoked.proxy,
      z: { n: 1 },
    }
    hostile.self = hostile
    expect(pathQuery(hostile, '..n')).toEqual([1])
    expect(pathQuery(hostile, 'throwing.x')).toEqual([])
    expect(pathQuery(hostile, 'revoked[*]')).toEqual([])
    expect(pathQuery(hostile, '..n'.repeat(300))).toEqual([])
    let deep: unknown = { n: 1 }
    for (let level = 0; level < 100_000; level++) deep = { x: deep }
    expect(pathQuery(deep, '..n')).toEqual([1])
    expect(pathQuery(deep, '..n..n..n')).toEqual([])
    expect(() => pathGet({}, 'a'.repeat(1_000_000))).toThrow('longer')
    expect(() => pathGet({}, `[?a=${' '.repeat(990)}`)).toThrow('expected')
    const wide: unknown[] = []
    wide.push(wide, wide, wide)
    expect(pathQuery(wide, `${'[*]'.repeat(300)}.x`)).toEqual([])
    expect(pathQuery({ bytes: new Uint8Array(2 ** 27) }, 'bytes[*]')).toEqual([])
  })

  it('at any depth, looks into maps, sets and errors too', () => {
    const held = [
      new Map<unknown, unknown>([
        ['a', { n: 1 }],
        [{ n: 2 }, 0],
      ]),
      new Set([{ n: 3 }]),
    ]
    const error = new Error('outer', { cause: new Error('inner', { cause: { n: 4 } }) })
    expect(pathQuery([...held, error], '..n').sort()).toEqual([1, 2, 3, 4])
    expect(pathQuery(error, 'cause.message')).toEqual(['inner'])
  })

  it.runIf(isLong)('takes many out of a long list in one go', () => {
    const list = Array.from({ length: 200_000 }, (_, index) => ({ even: index % 2 === 0 }))
    pathRemove({ list }, 'list[?even=true]')
    expect(list).toHaveLength(100_000)
    expect(list.every(({ even }) => !even)).toBe(true)
  })
})

it('what is not text is not a path expression', () => {
  const invalid = expect.objectContaining({ code: 'PATH_INVALID' })
  for (const one of [undefined, null, 5, {}, Symbol('s')] as unknown as string[]) {
    for (const work of [pathGet, pathQuery, pathRemove]) expect(() => work({}, one)).toThrow(invalid)
    expect(() => pathSet({}, one, 1)).toThrow(invalid)
  }
})

describe('writing', () => {
  it.each<[string, unknown]>([
    ['a', { a: 1 }],
    ['a.b.c', { a: { b: { c: 1 } } }],
    ['a[0]', { a: [1] }],
    ['a[1].b', { a: [undefined, { b: 1 }] }],
    ['a["x.y"]', { a: { 'x.y': 1 } }],
    ['a.toString', { a: { toString: 1 } }],
    ['a[*].b', {}],
  ])('%s', (expression, result) => {
    const made = {}
    pathSet(made, expression, 1)
    expect(made).toEqual(result)
  })

  it('writes at every place of a pattern', () => {
    const made = object()
    pathSet(made, 'list[*].n', 0)
    pathSet(made, 'list[-1].name', 'last')
    expect(made.list).toEqual([
      { name: 'one', n: 0 },
      { name: 'last', n: 0, inner: { n: 3 } },
    ])
  })

  it.each([
    '',
    '__proto__.x',
    'a.__proto__',
    'constructor',
    'a.b.c.d',
    'list.x',
    'empty[-1]',
    'empty[200000]',
  ])('refuses %s', expression => {
    const made = object()
    expect(() => pathSet(made, expression, 1)).toThrow(expect.objectContaining({ code: 'PATH_INVALID' }))
    expect(JSON.stringify(made)).toBe(JSON.stringify(object()))
  })

  it('removes', () => {
    const made = object()
    for (const expression of ['a.b', 'list[*].n', 'list[0]', 'list..n', 'none', 'a["x.y"]'])
      pathRemove(made, expression)
    expect(made).toEqual({ a: { c: null }, list: [{ name: 'two', inner: {} }], empty: [] })
    const list = [1, 2, 3]
    pathRemove({ list }, 'list[*]')
    expect(list).toEqual([])
  })

  it('gives the keys that expressions begin with', () => {
    const keys = (...expressions: string[]) => [...pathKeys(object(), expressions)].sort()
    expect(keys('a')).toEqual(['a'])
    expect(keys('a.b', 'none', 'list[0]')).toEqual(['a', 'list'])
    expect(keys('a.none')).toEqual([])
    expect(keys('*')).toEqual(['a', 'empty', 'list'])
    expect(keys('..n')).toEqual(['list'])
    expect(keys('..a')).toEqual(['a'])
    expect(keys('*.b')).toEqual(['a'])
  })
})

const step = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'a', 'b', '0', '["__proto__"]', '[0]'),
  fc.constantFrom('..', '.', '[*]', '[-1]', '*', '..__proto__', '[?a=1]', "['constructor']"),
  fc.string({ maxLength: 3 }),
)

describe('prototypes', () => {
  it('are never reached', () => {
    const before = Reflect.ownKeys(Object.prototype).length + Reflect.ownKeys(Array.prototype).length
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), fc.anything(), fc.boolean(), (steps, value, dotted) => {
        const expression = steps.join(dotted ? '.' : '')
        const target = { a: [{ b: {} }], b: value }
        for (const use of [pathSet, pathQuery, pathRemove]) {
          try {
            const found = use(target, expression, 'written')
            for (const item of Array.isArray(found) ? found : []) {
              expect([Object.prototype, Array.prototype, Object, Array, Function.prototype]).not.toContain(
                item,
              )
            }
          } catch (error) {
            if (!isAgentAppsError(error)) expect(error).toBeInstanceOf(TypeError)
          }
        }
        expect(Object.getPrototypeOf(target)).toBe(Object.prototype)
      }),
      { numRuns: RUNS },
    )
    expect(Reflect.ownKeys(Object.prototype).length + Reflect.ownKeys(Array.prototype).length).toBe(before)
  })

  it('may be frozen', () => {
    const code = `
      const { pathSet, pathRemove, interpolate, serialize, deserialize, safeClone, parse } = await import('agent-apps')
      for (const it of [Object, Array, Map, Set, Error, Function, RegExp, Date]) Object.freeze(it.prototype)
      const made = {}
      pathSet(made, 'toString.valueOf[0].constructo', 1)
      pathSet(made, 'hasOwnProperty', 2)
      pathRemove(made, 'hasOwnProperty')
      const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
      const back = [parse(text), deserialize(serialize(JSON.parse(text))), safeClone(JSON.parse(text)), interpolate(JSON.parse(text), {})]
      console.log(JSON.stringify([made, ...back]), {}.polluted)`
    const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    expect(runCode(code).trim()).toBe(
      `[{"toString":{"valueOf":[{"constructo":1}]}},${[hostile, hostile, hostile, hostile].join()}] undefined`,
    )
  })
})
