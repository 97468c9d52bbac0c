import { disk } from '#disk'
import { attempt, orNull, thrownText } from '../../src/base/attempt.js'
import { canonicalText } from '../../src/base/canonical-text.js'
import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, type JsonObject } from '../../src/base/json.js'

/**
 * The objects in a file of the user's own, a line of JSON each, in which a person's answers outlive the process.
 * None where the file is not to be believed: what cannot be read allows nothing. A line that is damaged may have
 * ended what stands before it, and does.
 *
 * @param projects the folders, absolute, in none of which the file may lie
 */
export async function userLines(file: string, projects: readonly string[]): Promise<JsonObject[]> {
  const state = await disk.userState(projects)
  const text = orNull(() => state?.readText(file)) ?? ''
  const lines: JsonObject[] = []
  for (const line of text.split('\n').filter(one => one !== '')) {
    const value = attempt((): unknown => JSON.parse(line))
    if (await hasItsSum(value)) lines.push(value as JsonObject)
    else lines.length = 0
  }
  return lines
}

/**
 * Adds a line. False where the user has no place for it, or what was written is not there to be read; throws where
 * the place cannot be written to.
 */
export async function addUserLine(file: string, project: string, line: object): Promise<boolean> {
  const state = await disk.userState([project])
  if (!state) return false
  const whole = await withSum(line)
  // A disk that was full may have left a part of one.
  const start = /[^\n]$/.test(state.readText(file) ?? '') ? '\n' : ''
  if (!state.append(file, start + JSON.stringify(whole))) return false
  return (await userLines(file, [project])).some(({ sum }) => sum === whole.sum)
}

/**
 * Adds a line that ends what others before it say.
 *
 * @throws REVOKE_FAILED where it is not there afterwards
 */
export async function addRevocation(file: string, project: string, line: object): Promise<void> {
  let cause: unknown
  try {
    if (await addUserLine(file, project, line)) return
  } catch (error) {
    cause = error
  }
  const why = cause === undefined ? 'its line is not there afterwards' : thrownText(cause)
  throw new AgentAppsError('REVOKE_FAILED', `Nothing is revoked: ${file} cannot be written to: ${why}.`, {
    hint: `Mend that and revoke again, or delete ${file} in the user's folder of state: then nothing that it remembers counts.`,
    cause,
  })
}

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
