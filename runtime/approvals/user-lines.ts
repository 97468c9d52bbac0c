import { disk } from '#disk'
import { attempt, orNull, thrownText } from '../../src/base/attempt.js'
import { canonicalText } from '../../src/base/canonical-text.js'
import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, type JsonObject } from '../../src/base/json.js'

/**
 * Reads the answers that outlive a process from a file of the user, one JSON object a line. Empty if the file cannot be
 * read or trusted. A damaged line may have been a revocation, so it drops all lines before it.
 *
 * @param projects absolute folders that must not contain the file
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
 * Adds a line. False if the user has no folder for it, or the line cannot be read back; throws if it cannot be
 * written.
 */
export async function addUserLine(file: string, project: string, line: object): Promise<boolean> {
  const state = await disk.userState([project])
  if (!state) return false
  const whole = await withSum(line)
  // A full disk may have left part of a line.
  const start = /[^\n]$/.test(state.readText(file) ?? '') ? '\n' : ''
  if (!state.append(file, start + JSON.stringify(whole))) return false
  return (await userLines(file, [project])).some(({ sum }) => sum === whole.sum)
}

/**
 * Adds a line that revokes earlier ones.
 *
 * @throws REVOKE_FAILED if it was not stored
 */
export async function addRevocation(file: string, project: string, line: object): Promise<void> {
  let cause: unknown
  try {
    if (await addUserLine(file, project, line)) return
  } catch (error) {
    cause = error
  }
  const why = cause === undefined ? 'the line could not be read back' : thrownText(cause)
  throw new AgentAppsError('REVOKE_FAILED', `Nothing was revoked: ${file} cannot be written: ${why}.`, {
    hint: `Correct that and revoke again, or delete ${file} in the user's state folder, which revokes all its answers.`,
    cause,
  })
}

/** SHA-256, hexadecimal. It works on every host: a bundle's `#disk` computes no digests. */
export async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** A record with a `sum` over it, by which a damaged answer is recognised. */
export async function withSum(given: object): Promise<JsonObject> {
  const record = JSON.parse(JSON.stringify(given)) as JsonObject
  return { ...record, sum: await sha256(canonicalText(record)) }
}

/** True for an intact record of `withSum`. */
export async function hasItsSum(value: unknown): Promise<boolean> {
  if (!isJsonObject(value)) return false
  const { sum, ...record } = value
  return sum === (await sha256(canonicalText(record)))
}
