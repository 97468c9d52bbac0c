import { directiveReferences } from '../../src/content/content-references.js'
import { inOrder } from '../../src/skill/reference.js'
import { checkDelegates } from '../1-read/code/delegates.js'
import type { WalkedEntry } from '../1-read/discover/walk-entry.js'
import { type ReadSkills, readSkills, toolParser } from '../1-read/read-skills.js'
import { hasCascades } from '../2-resolve/cascade/cascade-tools.js'
import type { LocatedContents } from '../2-resolve/contents/project-contents.js'
import { attachModules, NO_MODULES } from '../2-resolve/modules/unit-modules.js'
import { libraryBelow } from '../project/library.js'
import type { LinkedPart, Project, ProjectDirectory, ProjectPart } from '../project/project.js'
import type { Stage } from '../project/stage.js'
import { countTokens } from '../records/catalog-cost.js'
import type { LinkedDirectory } from '../records/linked-directory.js'
import { hasDirectives } from '../records/skill-unit.js'
import type { Walk } from '../records/walked.js'
import type { LocatedCascades } from './project-cascades.js'
import { walkProject } from './read-project.js'

/** A directory whose skill files are all read, regardless of an index. */
export interface ReadDirectory {
  directory: ProjectDirectory
  walked: WalkedEntry
  read: Pick<ReadSkills, 'units'>
  linked: LinkedDirectory
}

/** Finds a directory's skill files. */
export const walkAll: Stage<Pick<ReadDirectory, 'directory'>, Pick<ReadDirectory, 'walked'>> = {
  name: 'walk',
  run: ({ directory }) => ({ walked: walkProject(directory, {}) }),
}

/** Finds a directory's skill files, and those of a repository outside the places that are searched. */
export const walkEverywhere: typeof walkAll = {
  name: 'walk',
  run: ({ directory }) => ({ walked: walkProject(directory, { elsewhere: 'read' }) }),
}

/** Reads all of a directory's skill files. */
export const readAll: Stage<Pick<ReadDirectory, 'directory' | 'walked'>, Pick<ReadDirectory, 'read'>> = {
  name: 'read',
  run: async ({ directory, walked }) => ({
    read: await readSkills(directory.dir, walked.skills, null, { walkedAt: 0 }),
  }),
}

/** Finds the faults of code that show without running it. */
export const checkCode: Stage<Pick<ReadDirectory, 'directory' | 'read'>, object> = {
  name: 'modules',
  when: ({ read: { units } }) => units.some(({ sources }) => sources.length > 0),
  idle: () => ({}),
  async run({ directory: { dir }, read: { units } }) {
    await checkDelegates(dir, units)
    await attachModules(dir, units, NO_MODULES, {})
    return {}
  },
}

/** Counts the tokens that listing each tool takes, once its frontmatter is known. */
export const countCosts: Stage<Pick<ReadDirectory, 'directory' | 'read'>, object> = {
  name: 'modules',
  run({ directory: { dir }, read: { units } }) {
    countTokens(dir, units)
    return {}
  },
}

/** The directories of a project, of which all skill files are read. */
export interface ReadDirectories {
  parts: readonly ProjectPart[]
  project: Project
}

/** Resolves the cascades of all directories together. */
export const resolveAll: Stage<ReadDirectories, { cascades: LocatedCascades[] }> = {
  name: 'resolve',
  when: ({ parts, project }) =>
    hasCascades(
      parts.map(({ linked }) => linked),
      () => libraryBelow(project),
    ),
  idle: ({ parts }) => ({ cascades: parts.map(() => ({ records: new Map(), findings: new Map() })) }),
  async run({ parts, project }) {
    const { projectCascades } = await import('./project-cascades.js')
    return { cascades: await projectCascades(parts, libraryBelow(project), project) }
  },
}

/** Folds the directives of all contents, as far as that is possible without running the project's own. */
export const foldAll: Stage<ReadDirectories, { contents: LocatedContents[] }> = {
  name: 'contents',
  when: ({ parts }) => parts.some(({ linked }) => linked.units.some(hasDirectives)),
  idle: ({ parts }) => ({ contents: parts.map(() => ({ records: new Map(), findings: new Map() })) }),
  async run({ parts, project }) {
    const { projectContents } = await import('../2-resolve/contents/project-contents.js')
    const contents = await projectContents(parts, libraryBelow(project), project, false)
    addDirectiveReferences(parts, contents)
    return { contents }
  },
}

/** Adds the references in the directives of contents to the references of a project's tools. */
function addDirectiveReferences(parts: readonly LinkedPart[], contents: readonly LocatedContents[]): void {
  for (const [number, { records }] of contents.entries()) {
    for (const [name, record] of records) {
      const tool = parts[number]?.linked.names.get(name)?.tool
      if (tool && record)
        tool.references = inOrder([...tool.references, ...directiveReferences(record.parts)])
    }
  }
}

/** A linked directory as the input of stages that take all directories together. */
export function projectPart({
  directory,
  walked: { skills, units },
  linked,
}: Pick<ReadDirectory, 'directory' | 'linked'> & { walked: Walk }): ProjectPart {
  return { directory, linked, skills, units, parseTool: toolParser(skills) }
}
