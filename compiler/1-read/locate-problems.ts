import { addToGroup } from '../../src/base/add-to-group.js'
import { FILE_START, type Finding, finding, type Place } from '../diagnostics/diagnostics.js'
import type { Locator } from '../diagnostics/source-text.js'
import type { DirectoryProblem, LinkedDirectory } from '../records/linked-directory.js'
import { fileOf, type WalkedSkill } from '../records/walked.js'
import { parseSkill } from './read-skills.js'

/** Makes the problems of a directory's cascades findings, by file, each at the key at fault. */
export async function locateProblems(
  problems: readonly DirectoryProblem[],
  { names }: LinkedDirectory,
  skills: readonly WalkedSkill[],
  placeIn: PlaceIn,
): Promise<Map<string, Finding[]>> {
  const findings = new Map<string, Finding[]>()
  if (problems.length === 0) return findings
  const walked = new Map(skills.map(skill => [skill.path, skill]))
  for (const { code, name, path, found } of problems) {
    const named = names.get(name)
    const skill = named && walked.get(named.unit.path)
    if (!named || !skill) continue
    addToGroup(findings, skill.path, finding(code, await placeIn(skill, name, path), ...found))
  }
  return findings
}

/** Finds the place of a path in the metadata of one of a file's tools. */
export type PlaceIn = (skill: WalkedSkill, name: string, path: readonly (string | number)[]) => Promise<Place>

/** Makes a `PlaceIn` that reads each file once. */
export function placesInFiles(): PlaceIn {
  const files = new Map<string, Map<string, Locator>>()
  return async (skill, name, path) => {
    const file = fileOf(skill)
    const locators =
      files.get(file) ?? new Map((await parseSkill(skill)).tools.map(tool => [tool.name, tool.at]))
    files.set(file, locators)
    const at = locators.get(name)
    return at ? placeOf(path, at) : FILE_START
  }
}

/** The place of a path in a tool's metadata: of the key, or of the value if the path leads into an array. */
export function placeOf(path: readonly (string | number)[], at: Locator): Place {
  const isKey = path.every(step => typeof step === 'string')
  return isKey ? at.key('metadata', ...(path as string[])) : at.value('metadata', ...path)
}
