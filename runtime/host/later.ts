/** Values that may be there at once, or later. */

import { bundleReplaced } from './bundle-replaced.js'

/** A value, or what gives it later. */
export type Awaitable<Value> = Value | PromiseLike<Value>

/** True for a promise, and for all else that `await` waits for. */
export function isThenable<Value>(value: Awaitable<Value>): value is PromiseLike<Value> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Goes on with a value: at once, where it is there. */
export function whenThere<Value, Result>(
  value: Awaitable<Value>,
  goOn: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return isThenable(value) ? Promise.resolve(value).then(goOn) : goOn(value)
}

/** Loads code at its first use; from then on it is there without waiting. */
export function lazy<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined
  const keep = (module: Module): Module => {
    loaded = module
    return module
  }
  return () => loaded ?? load().then(keep, bundleReplaced)
}
