import { disk } from '#disk'
import { attempt, orNull } from '../../src/base/attempt.js'
import { isJsonObject, type JsonObject } from '../../src/base/json.js'

/**
 * The objects in a file of the user's own, a line of JSON each, in which a person's answers outlive the process.
 * None where the file is not to be believed: what cannot be read allows nothing.
 *
 * @param projects the folders, absolute, in none of which the file may lie
 */
export async function userLines(file: string, projects: readonly string[]): Promise<JsonObject[]> {
  const state = await disk.userState(projects)
  const text = orNull(() => state?.readText(file)) ?? ''
  return text.split('\n').flatMap(line => {
    // A disk that was full may have torn one.
    const value = line === '' ? undefined : attempt((): unknown => JSON.parse(line))
    return isJsonObject(value) ? [value] : []
  })
}

/** Adds a line. False where the user has no place for it; throws where that cannot be written to. */
export async function addUserLine(file: string, project: string, line: object): Promise<boolean> {
  const state = await disk.userState([project])
  return state?.append(file, JSON.stringify(line)) ?? false
}
