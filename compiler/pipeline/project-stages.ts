import { hash } from 'node:crypto'
import { cascadeKeyText } from '../../src/index/digested-texts.js'
import type { CascadeRecord } from '../../src/index/index-format.js'
import { isSameFile } from '../1-read/read-skills.js'
import { cascadeInputDigest, hasCascades } from '../2-resolve/cascade/cascade-tools.js'
import type { ContentsPart, LocatedContents } from '../2-resolve/contents/project-contents.js'
import type { Finding } from '../diagnostics/diagnostics.js'
import { isLibrary, libraryBelow } from '../project/library.js'
import type { Project } from '../project/project.js'
import type { Job, Stage } from '../project/stage.js'
import { hasDirectives, isReadAnew, type UnitTool } from '../records/skill-unit.js'
import type { PreparedDirectory } from './directory-stages.js'
import { projectPart } from './read-stages.js'

/** The directories of a project, each read, on their way into indexes. */
export interface PreparedProject {
  prepared: readonly PreparedDirectory[]
  project: Project
  job: Job
}

/** A directory's part of the project's cascades. */
export interface DirectoryCascades {
  /** The digest of everything in this directory that cascades are made of. */
  input: string
  /** The digest of everything that they are made of. */
  key: string
  /** The key without the library; absent where there is a cascade, or no library. */
  ownKey?: string
  /** Keyed by name; null if the last compile's are still valid. */
  records: Map<string, CascadeRecord> | null
  /** Keyed by file. */
  findings: Map<string, Finding[]>
  /** The directories of other people that the project searches, in which a base may lie. */
  elsewhere: string[]
}

/** Digests everything that the cascades of all directories are made of. */
export const digestCascades: Stage<PreparedProject, { digests: CascadeDigests }> = {
  name: 'resolve',
  run({ prepared, project }) {
    const inputs = prepared.map(({ linked }) => cascadeInputDigest(linked))
    // The library's own cascades depend on nothing else.
    if (isLibrary(project.directories))
      return { digests: { inputs, key: hash('sha256', cascadeKeyText([], inputs[0] ?? null)) } }
    const own = hash('sha256', cascadeKeyText(inputs, null))
    const library = libraryBelow(project)
    if (!library) return { digests: { inputs, key: own } }
    const key = hash('sha256', cascadeKeyText(inputs, library.cascadeInput))
    return { digests: { inputs, key, ownKey: own } }
  },
}

export interface CascadeDigests {
  /** One for each directory. */
  inputs: string[]
  key: string
  /** The key without the library; absent where there is none. */
  ownKey?: string
}

/** Resolves the cascades of all directories together. */
export const resolveChanged: Stage<
  PreparedProject & { digests: CascadeDigests },
  { cascades: DirectoryCascades[] }
> = {
  name: 'resolve',
  when: input =>
    !areStillResolved(input) &&
    hasCascades(
      input.prepared.map(({ linked }) => linked),
      () => libraryBelow(input.project),
    ),
  idle(input) {
    const areKept = areStillResolved(input)
    const idle = ({ previous }: PreparedDirectory): Pick<DirectoryCascades, 'records' | 'findings'> =>
      areKept && previous
        ? { records: null, findings: previous.cache.cascadeFindings }
        : { records: new Map(), findings: new Map() }
    return { cascades: withDigests(input, input.prepared.map(idle)) }
  },
  async run(input) {
    const { prepared, project } = input
    const { projectCascades } = await import('./project-cascades.js')
    const resolved = await projectCascades(prepared.map(projectPart), libraryBelow(project), project)
    return { cascades: withDigests(input, resolved) }
  },
}

function withDigests(
  { prepared, project, digests: { inputs, key, ownKey } }: PreparedProject & { digests: CascadeDigests },
  resolved: readonly Pick<DirectoryCascades, 'records' | 'findings'>[],
): DirectoryCascades[] {
  const elsewhere = project.others.map(({ dir }) => dir)
  const isOwn = resolved.every(({ records }, number) =>
    records === null
      ? prepared[number]?.previous?.written.header.ownCascadeKey === ownKey
      : records.size === 0,
  )
  const keys = isOwn && ownKey !== undefined ? { key, ownKey } : { key }
  return resolved.map((one, number) => ({ input: inputs[number] ?? '', ...keys, ...one, elsewhere }))
}

function areStillResolved({
  prepared,
  project,
  digests: { key },
}: PreparedProject & { digests: CascadeDigests }): boolean {
  const elsewhere = project.others.map(({ dir }) => dir)
  return prepared.every(one => isStillResolved(one, key, elsewhere))
}

/**
 * True if no input of the last compile's cascades changed, and no file with a fault of theirs was read again.
 */
function isStillResolved(
  { previous, linked }: PreparedDirectory,
  key: string,
  elsewhere: readonly string[],
): boolean {
  if (previous?.written.header.cascadeKey !== key) return false
  const { cascadeFindings } = previous.cache
  if (previous.cache.elsewhere.join('\0') !== elsewhere.join('\0')) return false
  return linked.units.every(({ path, tools }) => !cascadeFindings.has(path) || !tools.some(isReadAnew))
}

/**
 * Folds the directives in the contents of all directories, except where the last compile's results still
 * hold.
 */
export const foldChanged: Stage<
  PreparedProject & { cascades: readonly DirectoryCascades[] },
  { contents: LocatedContents[] }
> = {
  name: 'contents',
  when: ({ prepared }) => prepared.some(({ linked }) => linked.units.some(hasDirectives)),
  idle: ({ prepared }) => ({ contents: prepared.map(() => ({ records: new Map(), findings: new Map() })) }),
  async run({ prepared, cascades, project, job }) {
    const parts = prepared.map((one, number) => contentsPart(one, cascades[number]?.key))
    const { projectContents } = await import('../2-resolve/contents/project-contents.js')
    return { contents: await projectContents(parts, libraryBelow(project), project, job.check !== true) }
  },
}

/** @param key the digest of everything that the project's cascades are made of */
function contentsPart(prepared: PreparedDirectory, key: string | undefined): ContentsPart {
  const { directory, before, previous, recorded } = prepared
  return {
    ...projectPart(prepared),
    recorded: before?.header.cascadeKey === key ? recorded : null,
    keptFindings(unit) {
      if (previous === null || previous.written.header.cascadeKey !== key) return null
      const { cache } = previous
      const isSame = (tool: UnitTool): boolean =>
        !isReadAnew(tool) && (tool.included ?? []).every(file => isSameFile(directory.dir, file, cache))
      const findings = cache.contentFindings.get(unit.path) ?? []
      // The cause of any other fault may be in another file.
      const isSound = findings.every(({ rule }) => rule === 'directive-unknown' || rule === 'directive-idle')
      return isSound && unit.tools.every(isSame) ? [...findings] : null
    },
  }
}
