/** A value for all code that a function starts, directly or not. */
export interface AsyncStorage<Value> {
  getStore: () => Value | undefined
  run: <Result>(value: Value, work: () => Result) => Result
}

interface Host {
  process?: {
    getBuiltinModule?: (
      name: string,
    ) => { AsyncLocalStorage?: new <Value>() => AsyncStorage<Value> } | undefined
  }
}

/** Creates a storage; null on hosts without one, such as browsers. */
export function asyncStorage<Value>(): AsyncStorage<Value> | null {
  const { AsyncLocalStorage } = (globalThis as Host).process?.getBuiltinModule?.('node:async_hooks') ?? {}
  return AsyncLocalStorage ? new AsyncLocalStorage<Value>() : null
}
