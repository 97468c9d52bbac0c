import { directiveReferences } from '../../../src/content/content-references.js'
import { inOrder } from '../../../src/skill/references.js'
import { libraryBelow } from '../../project/library.js'
import type { LinkedPart, Project } from '../../project/project.js'
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

/** Adds the references in the directives of contents to the references of a project's tools. */
export function addDirectiveReferences(
  parts: readonly LinkedPart[],
  contents: readonly LocatedContents[],
): void {
  for (const [number, { records }] of contents.entries()) {
    for (const [name, record] of records) {
      const tool = parts[number]?.linked.names.get(name)?.tool
      if (tool && record)
        tool.references = inOrder([...tool.references, ...directiveReferences(record.parts)])
    }
  }
}
