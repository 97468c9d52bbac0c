import type { CascadeRecord } from '../../src/index/index-format.js'
import { locateProblems, type PlaceIn, placesInFiles } from '../1-read/locate-problems.js'
import { resolveProject } from '../2-resolve/cascade/resolve-cascades.js'
import type { Finding } from '../diagnostics/diagnostics.js'
import type { LibraryTools } from '../project/library.js'
import type { Project, ProjectPart } from '../project/project.js'

/** The resolved cascades of one directory. */
export interface LocatedCascades {
  /** Keyed by name. */
  records: Map<string, CascadeRecord>
  /** The faults, by file, each at its key. */
  findings: Map<string, Finding[]>
}

/** Resolves the cascades of all of a project's directories together. */
export async function projectCascades(
  parts: readonly ProjectPart[],
  library: LibraryTools | null,
  { others }: Project,
): Promise<LocatedCascades[]> {
  const directories = parts.map(({ directory: { dir }, linked, units }) => ({ dir, linked, units }))
  const elsewhere = others.map(({ dir }) => dir)
  const { records, problems, paths } = await resolveProject(directories, library, elsewhere)
  const placeIn = placesInFiles()
  await placeRecords(records, paths, parts, placeIn)
  return Promise.all(
    parts.map(async ({ linked, skills }, number) => ({
      records: records[number] ?? new Map(),
      findings: await locateProblems(problems[number] ?? [], linked, skills, placeIn),
    })),
  )
}

/** Adds the place of each problem to its record, for a runtime that has no reader of skill files. */
async function placeRecords(
  records: readonly Map<string, CascadeRecord>[],
  paths: ReadonlyMap<CascadeRecord, (string | number)[]>,
  parts: readonly ProjectPart[],
  placeIn: PlaceIn,
): Promise<void> {
  const walked = parts.map(({ skills }) => new Map(skills.map(skill => [skill.path, skill])))
  for (const [number, named] of records.entries()) {
    for (const [name, record] of named) {
      const path = paths.get(record)
      const [directory, owner] = record.sources?.[0] ?? [number, name]
      if (!record.problem || !path || directory === 'library') continue
      const at = parts[directory]?.linked.names.get(owner)
      const skill = at && walked[directory]?.get(at.unit.path)
      if (at && skill) record.problem.position = await placeIn(skill, owner, path)
    }
  }
}
