/** The functions that can be transferred. */
export type TransferableName = 'stringify' | 'parse' | 'reviveFns'

/**
 * JavaScript source of `stringify`, `parse` and `reviveFns`, which know functions as `{ $fn: source }` and need
 * nothing from outside: for a place that cannot import this module, like a sandbox. Evaluated, it declares the
 * functions named.
 *
 * `vm.runInContext(transferableSerializerSource(['stringify']) + '; stringify({ a: () => 1 })', context)`
 */
export function transferableSerializerSource(
  names: readonly TransferableName[] = ['stringify', 'parse', 'reviveFns'],
): string {
  const wanted = new Set<TransferableName>(names)
  if (wanted.has('parse')) wanted.add('reviveFns')
  return [...wanted].map(name => SOURCES[name]).join('\n')
}

const SOURCES: Readonly<Record<TransferableName, string>> = {
  stringify: `function stringify(value, indent) {
  const above = []
  return JSON.stringify(value, function (key, item) {
    if (typeof item === 'function') return { $fn: Function.prototype.toString.call(item) }
    if (typeof item === 'bigint') return { $bigint: String(item) }
    if (typeof item !== 'object' || item === null) return item
    while (above.length > 0 && above[above.length - 1] !== this) above.pop()
    if (above.includes(item)) return '[Circular]'
    above.push(item)
    return item
  }, indent)
}`,
  reviveFns: `function reviveFns(value) {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reviveFns)
  const keys = Object.keys(value)
  if (keys.length === 1 && keys[0] === '$fn' && typeof value.$fn === 'string') return (0, eval)('(' + value.$fn + ')')
  if (keys.length === 1 && keys[0] === '$bigint') return BigInt(value.$bigint)
  const revived = {}
  for (const key of keys) Object.defineProperty(revived, key, { value: reviveFns(value[key]), writable: true, enumerable: true, configurable: true })
  return revived
}`,
  parse: `function parse(text, options) {
  const value = JSON.parse(text)
  return options && options.functions ? reviveFns(value) : value
}`,
}
