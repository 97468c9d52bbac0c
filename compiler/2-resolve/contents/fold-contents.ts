import { libraryBelow } from '../../project/library.js'
import type { Project } from '../../project/project.js'
import { directivesOf } from '../../records/skill-unit.js'
import type { ContentsPart, LocatedContents } from './project-contents.js'

/**
 * Finds the directives in the contents of a project's skills, and runs those that are static. What does that
 * is loaded only for a project that may have a directive.
 *
 * @param evaluate whether the project's own are run as well
 */
export async function foldContents(
  parts: readonly ContentsPart[],
  project: Project,
  evaluate: boolean,
): Promise<LocatedContents[]> {
  if (!parts.some(hasDirectives)) return parts.map(() => ({ records: new Map(), findings: new Map() }))
  const { projectContents } = await import('./project-contents.js')
  return projectContents(parts, libraryBelow(project), project, evaluate)
}

function hasDirectives({ linked: { units } }: ContentsPart): boolean {
  return units.some(({ tools }) => tools.some(tool => directivesOf(tool).length > 0))
}
