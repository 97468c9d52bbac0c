import { AgentAppsError } from '../../src/base/error.js'
import type { SkillFolder } from '../1-read/discover/elsewhere.js'
import { type WalkEntryOptions, type WalkedEntry, walkEntry } from '../1-read/discover/walk-entry.js'
import type { ProjectDirectory } from '../project/project.js'

/**
 * Walks one of a project's directories.
 *
 * @throws NO_SKILL_PATHS for a repository in which there are no skills, and no place for them, unless it has agents
 */
export function walkProject(directory: ProjectDirectory, options: WalkEntryOptions): WalkedEntry {
  const walked = walkEntry(directory, { ...options, isIgnored: directory.isIgnored })
  const { units, manifests, skipped } = walked
  if (!directory.discover || directory.mayBeEmpty || units.length + manifests.length + skipped.length > 0)
    return walked
  throw noSkillPaths(directory.dir)
}

/** The error for a project without a directory of skills. */
export function noSkillPaths(directory: string): AgentAppsError {
  return new AgentAppsError('NO_SKILL_PATHS', `No skill directory is configured or found in ${directory}.`, {
    hint: 'Name one, put skills into ./skills, or run `agent-apps init`.',
  })
}

/**
 * Walks one of a project's directories for a compile, which does not guess where skills are.
 *
 * @throws NO_SKILL_PATHS also for a repository whose skills are in none of the places where they are looked for
 */
export function walkToCompile(directory: ProjectDirectory, options: WalkEntryOptions): WalkedEntry {
  const walked = walkProject(directory, { ...options, elsewhere: 'count' })
  const { elsewhere } = walked
  if (!elsewhere?.guessed) return walked
  const paths = JSON.stringify({ paths: elsewhere.paths })
  throw new AgentAppsError(
    'NO_SKILL_PATHS',
    `No plugin manifest and no convention leads to the skills in ${directory.dir}: ${shownPlaces(elsewhere.places)}.`,
    { hint: `Write ${paths} into agent-apps.config.json, or run \`agent-apps init\`.` },
  )
}

const SHOWN = 10

function shownPlaces(elsewhere: readonly SkillFolder[]): string {
  const shown = elsewhere.slice(0, SHOWN).map(({ path, skills }) => `${path === '' ? '.' : path} (${skills})`)
  const more = elsewhere.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
