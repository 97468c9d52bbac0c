import { disk } from '#disk'
import { attempt, orNull, thrownText } from '../../src/base/attempt.js'
import { AgentAppsError } from '../../src/base/error.js'
import type { JsonObject } from '../../src/base/json.js'
import { hasItsSum, withSum } from './sha256.js'

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
