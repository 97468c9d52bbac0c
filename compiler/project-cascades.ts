import type { CascadeRecord } from '../src/index-format.js'
import { locateProblems } from './1-read/locate-problems.js'
import type { WalkedSkill } from './1-read/walk.js'
import { resolveProject } from './2-resolve/resolve-cascades.js'
import type { Finding } from './diagnostics.js'
import type { LibraryTools } from './library.js'
import type { LinkedDirectory } from './linked-directory.js'
import type { Project, ProjectDirectory } from './project.js'

/** What the cascades of one directory come to. */
export interface LocatedCascades {
  /** By name. */
  records: Map<string, CascadeRecord>
  /** What is wrong, by file, each at the key at fault. */
  findings: Map<string, Finding[]>
}

/** Resolves the cascades of all of a project's directories together. */
export async function projectCascades(
  parts: readonly { directory: ProjectDirectory; linked: LinkedDirectory; skills: readonly WalkedSkill[] }[],
  library: LibraryTools | null,
  { others }: Project,
): Promise<LocatedCascades[]> {
  const directories = parts.map(({ directory: { dir }, linked }) => ({ dir, linked }))
  const elsewhere = others.map(({ dir }) => dir)
  const { records, problems } = await resolveProject(directories, library, elsewhere)
  return Promise.all(
    parts.map(async ({ linked, skills }, number) => ({
      records: records[number] ?? new Map(),
      findings: await locateProblems(problems[number] ?? [], linked, skills),
    })),
  )
}
