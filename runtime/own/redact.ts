import { defineField } from '../../src/base/json.js'
import type { Globals } from '../state/context.js'
import { perRuntime } from '../state/per-runtime.js'

/** Shorter values are no secrets: replacing every `1` would make a message unreadable. */
const SHORTEST = 4

/** The text in place of a hidden value. */
const HIDDEN = '[redacted]'

/** The secrets of a runtime, each with the forms that it may be written in. */
const secretsOf = perRuntime(() => new Map<string, readonly string[]>())

/** Removes a value from messages, events and diagnostics from now on. */
export function hideSecret(value: string, globals: Globals): void {
  if (value.length < SHORTEST) return
  secretsOf(globals).set(value, [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(wellFormed(value)),
  ])
  const { own = globals } = globals
  own.redact ??= given => redacted(given, own)
}

/**
 * Removes the runtime's secrets from a value. Arrays and plain objects are copied if they contain one; errors are
 * changed in place; other objects stay as they are.
 */
export function redacted<Value>(value: Value, globals: Globals): Value {
  const secrets = [...secretsOf(globals).values()].flat()
  // A secret that contains another must be replaced first.
  secrets.sort((a, b) => b.length - a.length)
  return clean(value, secrets, new Map()) as Value
}

function clean(value: unknown, secrets: readonly string[], seen: Map<object, unknown>): unknown {
  if (typeof value === 'string') return cleanText(value, secrets)
  if (typeof value !== 'object' || value === null) return value
  if (seen.has(value)) return seen.get(value)
  seen.set(value, value)
  if (value instanceof Error) return cleanError(value, secrets, seen)
  const prototype = Object.getPrototypeOf(value)
  if (Array.isArray(value)) return cleanFields(value, [], secrets, seen)
  return prototype === Object.prototype || prototype === null
    ? cleanFields(value, Object.create(prototype), secrets, seen)
    : value
}

function cleanFields<Copy extends object>(
  value: object,
  copy: Copy,
  secrets: readonly string[],
  seen: Map<object, unknown>,
): object {
  let isSame = true
  for (const [key, item] of Object.entries(value)) {
    const cleaned = clean(item, secrets, seen)
    isSame &&= cleaned === item
    defineField(copy as Record<string, unknown>, key, cleaned)
  }
  if (isSame) return value
  seen.set(value, copy)
  return copy
}

function cleanError(error: Error, secrets: readonly string[], seen: Map<object, unknown>): Error {
  for (const key of new Set(['message', 'stack', 'cause', ...Object.keys(error)])) {
    const written: unknown = Reflect.get(error, key)
    const cleaned = clean(written, secrets, seen)
    if (cleaned === written) continue
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, key)
    Object.defineProperty(error, key, { value: cleaned, enumerable, writable: true, configurable: true })
  }
  return error
}

function cleanText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text)
}

/** Replaces lone surrogates, which have no form in a URL. */
function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD')
}
