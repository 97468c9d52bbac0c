/** A value that all code sees which was started, however indirectly, by a function. */
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

/** A storage of the host's; null where the host has none, as browsers do not. */
export function asyncStorage<Value>(): AsyncStorage<Value> | null {
  const { AsyncLocalStorage } = (globalThis as Host).process?.getBuiltinModule?.('node:async_hooks') ?? {}
  return AsyncLocalStorage ? new AsyncLocalStorage<Value>() : null
}
