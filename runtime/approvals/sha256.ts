import { canonicalText } from '../../src/base/canonical-text.js'
import { isJsonObject, type JsonObject } from '../../src/base/json.js'

/** The SHA-256 of a text, hexadecimal, on every host: bundles have no `#disk` that digests. */
export async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** A record as JSON keeps it, with a `sum` over all of it: an answer that was damaged since is none. */
export async function withSum(given: object): Promise<JsonObject> {
  const record = JSON.parse(JSON.stringify(given)) as JsonObject
  return { ...record, sum: await sha256(canonicalText(record)) }
}

/** True for a record as `withSum` made it. */
export async function hasItsSum(value: unknown): Promise<boolean> {
  if (!isJsonObject(value)) return false
  const { sum, ...record } = value
  return sum === (await sha256(canonicalText(record)))
}
