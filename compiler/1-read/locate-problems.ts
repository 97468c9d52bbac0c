import type { DirectoryProblem } from '../cascade-problem.js'
import { FILE_START, type Finding, finding, type Place } from '../diagnostics.js'
import type { LinkedDirectory } from '../linked-directory.js'
import type { Locator } from './check-frontmatter.js'
import { parseSkill } from './read-skills.js'
import type { WalkedSkill } from './walk.js'

/** The problems of a directory's cascades as findings of its files, each at the key at fault. */
export async function locateProblems(
  problems: readonly DirectoryProblem[],
  { names }: LinkedDirectory,
  skills: readonly WalkedSkill[],
): Promise<Map<string, Finding[]>> {
  const findings = new Map<string, Finding[]>()
  if (problems.length === 0) return findings
  const walked = new Map(skills.map(skill => [skill.path, skill]))
  for (const { code, name, path, found } of problems) {
    const named = names.get(name)
    const skill = named && walked.get(named.unit.path)
    if (!named || !skill) continue
    const located = finding(code, await placeIn(skill, name, path), ...found)
    findings.set(skill.path, [...(findings.get(skill.path) ?? []), located])
  }
  return findings
}

/** Where something in the metadata of one of a file's tools stands. */
export async function placeIn(
  skill: WalkedSkill,
  name: string,
  path: readonly (string | number)[],
): Promise<Place> {
  const at = (await parseSkill(skill)).tools.find(one => one.name === name)?.at
  return at ? placeOf(path, at) : FILE_START
}

/** Where something in a tool's metadata stands: a key, or what is in a list. */
export function placeOf(path: readonly (string | number)[], at: Locator): Place {
  const isKey = path.every(step => typeof step === 'string')
  return isKey ? at.key('metadata', ...(path as string[])) : at.value('metadata', ...path)
}
