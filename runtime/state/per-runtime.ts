import type { Globals } from './context.js'

/**
 * A function that gives the one value that a runtime keeps, made when it is first asked for. What agents see of
 * a runtime whose project is not trusted is no other runtime: it has the same value.
 */
export function perRuntime<Value extends object>(make: (own: Globals) => Value): (globals: Globals) => Value {
  const values = new WeakMap<Globals, Value>()
  return globals => {
    const { own = globals } = globals
    const value = values.get(own) ?? make(own)
    values.set(own, value)
    return value
  }
}
