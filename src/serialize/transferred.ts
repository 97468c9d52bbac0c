import { deserialize } from './deserialize.js'
import { stringify as stringifyWithin } from './serialize.js'

export { parse } from './deserialize.js'

/** `stringify` without a limit of bytes, unless the options have one. */
export const stringify: typeof stringifyWithin = (value, options, indent) => {
  const isReplacer = typeof options === 'function' || Array.isArray(options)
  return stringifyWithin(value, isReplacer ? options : { maxBytes: Infinity, ...options }, indent)
}

/** `deserialize`, with functions. */
export function reviveFns(structure: unknown, functions = true): unknown {
  return deserialize(structure, { functions })
}
