import { AgentAppsError } from '../../src/base/error.js'

export type Awaitable<Value> = Value | PromiseLike<Value>

/** True for a promise, and anything else that `await` waits for. */
export function isThenable<Value>(value: Awaitable<Value>): value is PromiseLike<Value> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Passes a value on; synchronously unless it is a promise. */
export function whenThere<Value, Result>(
  value: Awaitable<Value>,
  goOn: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return isThenable(value) ? Promise.resolve(value).then(goOn) : goOn(value)
}

/** Loads code at its first use, and returns it synchronously from then on. */
export function lazy<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined
  const keep = (module: Module): Module => {
    loaded = module
    return module
  }
  return () => loaded ?? load().then(keep, bundleReplaced)
}

/** The names of a bundle's chunks. */
const CHUNK = /-[0-9A-Z]{8,16}\.m?js$/

/** Rethrows an error of loading a chunk: as BUNDLE_REPLACED if the bundle was replaced. */
export function bundleReplaced(error: unknown): never {
  const { code, url } = Object(error) as { code?: unknown; url: string }
  if (code !== 'ERR_MODULE_NOT_FOUND' || !CHUNK.test(url)) throw error
  throw new AgentAppsError('BUNDLE_REPLACED', `A part of the running bundle is gone: ${url}`, {
    hint: 'Restart the process. While it runs, bundle into another folder.',
    file: url,
    cause: error,
  })
}
