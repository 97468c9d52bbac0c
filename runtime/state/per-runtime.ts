import type { Globals } from './context.js'

/** Makes one value per runtime, when first needed. The view of an untrusted project shares its runtime's value. */
export function perRuntime<Value extends object>(make: (own: Globals) => Value): (globals: Globals) => Value {
  const values = new WeakMap<Globals, Value>()
  return globals => {
    const { own = globals } = globals
    const value = values.get(own) ?? make(own)
    values.set(own, value)
    return value
  }
}
