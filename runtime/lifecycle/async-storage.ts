/** A value for all code that a function starts, directly or not. */
export interface AsyncStorage<Value> {
  getStore: () => Value | undefined
  run: <Result>(value: Value, work: () => Result) => Result
}

/** The values of all storages. */
type Values = ReadonlyMap<object, unknown>

interface Host {
  process?: {
    getBuiltinModule?: (
      name: string,
    ) => { AsyncLocalStorage?: new <Value>() => AsyncStorage<Value> } | undefined
  }
}

/** Undefined until a storage is first needed. */
let shared: AsyncStorage<Values> | null | undefined

/** Creates a storage; null on hosts without one, such as browsers. */
export function asyncStorage<Value>(): AsyncStorage<Value> | null {
  shared ??= hostStorage()
  return shared && new OwnValue<Value>(shared)
}

/**
 * One of the values in the storage that all share. Before Node 24 each `AsyncLocalStorage` that was ever used slows
 * every promise of its process, and is never freed, so that a runtime cannot have one of its own.
 */
class OwnValue<Value> implements AsyncStorage<Value> {
  constructor(private readonly all: AsyncStorage<Values>) {}

  getStore(): Value | undefined {
    return this.all.getStore()?.get(this) as Value | undefined
  }

  run<Result>(value: Value, work: () => Result): Result {
    return this.all.run(new Map(this.all.getStore()).set(this, value), work)
  }
}

function hostStorage(): AsyncStorage<Values> | null {
  const { AsyncLocalStorage } = (globalThis as Host).process?.getBuiltinModule?.('node:async_hooks') ?? {}
  return AsyncLocalStorage ? new AsyncLocalStorage<Values>() : null
}
