/** Values that are made to break whoever looks at them. */
export const HOSTILE: Record<string, () => unknown> = {
  'revoked proxy': () => revoked({}),
  'revoked list': () => ({ a: [revoked([]), revoked(() => 1)] }),
  'proxy that throws': () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error('get')
        },
        ownKeys() {
          throw new Error('keys')
        },
        getPrototypeOf() {
          throw new Error('proto')
        },
      },
    ),
  'proxy without end': () => {
    const handler: ProxyHandler<object> = {
      get: () => new Proxy({}, handler),
      ownKeys: () => ['a', 'b'],
      getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 1 }),
    }
    return new Proxy({}, handler)
  },
  'throwing getter': () => ({
    get a() {
      throw new Error('no')
    },
    b: 1,
  }),
  'getter that throws what throws': () => ({
    get a() {
      throw {
        toString() {
          throw new Error('again')
        },
      }
    },
  }),
  'getter that throws a revoked proxy': () => ({
    get a() {
      throw revoked({})
    },
  }),
  'getters of itself': () => ({
    get a() {
      return this
    },
    get b() {
      return this
    },
  }),
  'deep list': () => deep(100_000, inner => [inner]),
  'deep mapping': () => deep(100_000, a => ({ a })),
  'deep map': () => deep(100_000, inner => new Map([[inner, inner]])),
  'deep cause': () => deep(100_000, cause => new Error('x', { cause })),
  'doubling references': () => deep(60, inner => [inner, inner]),
  'huge text': () => 'x'.repeat(2 ** 28),
  'huge key': () => ({ ['é'.repeat(2 ** 24)]: 1 }),
  'huge typed array': () => new Uint8Array(2 ** 27),
  'huge boxed text': () => new String('x'.repeat(2 ** 28)),
  'huge sparse list': () => new Array(2 ** 32 - 1),
  'huge list': () => new Array(10 ** 6).fill(0),
  'toJSON that throws': () => ({
    toJSON() {
      throw new Error('no')
    },
  }),
  'toJSON without end': () => {
    const endless = (): object => ({ toJSON: () => [endless(), endless()] })
    return endless()
  },
  'forged classes': () =>
    [Date, Map, Set, RegExp, URL, Error, Promise, ArrayBuffer, Uint8Array].map(one =>
      Object.create(one.prototype),
    ),
  'overridden methods': () => [
    Object.assign(new Date(0), {
      toISOString: () => ({}),
      getTime: () => {
        throw new Error('no')
      },
    }),
    Object.assign(new Map([[1, 2]]), {
      [Symbol.iterator]: function* () {
        for (;;) yield [1, 2]
      },
    }),
    Object.assign([1], {
      [Symbol.iterator]: function* () {
        for (;;) yield 1
      },
      map: null,
    }),
    Object.assign(/a/, { toString: () => ({}) }),
    Object.assign(() => 1, { toString: null }),
    Object.defineProperty(() => 1, 'name', {
      get() {
        throw new Error('no')
      },
    }),
    Object.defineProperty(() => 1, 'name', { value: Object.create(null) }),
  ],
  'null prototype': () => Object.assign(Object.create(null), { a: 1 }),
  'a toStringTag that throws': () => ({
    get [Symbol.toStringTag]() {
      throw new Error('no')
    },
  }),
  globalThis: () => globalThis,
  process: () => process,
}

export function deep(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 'bottom'
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}
