import { hash } from 'node:crypto'
import { encodeIndex, type HeaderFields } from '../../src/index/encode-index.js'
import type { CascadeRecord, FileDigest } from '../../src/index/index-format.js'
import { isInside } from '../../src/index/inside-path.js'
import { type ReadSkills, rememberFiles } from '../1-read/read-skills.js'
import type { LocatedContents } from '../2-resolve/contents/project-contents.js'
import type { UnitModules } from '../2-resolve/modules/unit-modules.js'
import { withDirectoryLock } from '../3-emit/directory-lock.js'
import { recordLines } from '../3-emit/record-lines.js'
import { outdatedFiles, saveCache, writeIndex } from '../3-emit/write-index.js'
import type { Finding } from '../diagnostics/diagnostics.js'
import { changedNames } from '../index/changed-names.js'
import { indexFiles } from '../index/index-files.js'
import type { KeptLines } from '../index/line-store.js'
import { readWritten, shardFiles, storeLines } from '../index/read-written.js'
import { type Job, throwIfAborted, timed } from '../project/job.js'
import { type ProjectDirectory, shownPath } from '../project/project.js'
import { encodeCache } from '../records/compile-cache.js'
import { type LinkedDirectory, withFindings } from '../records/linked-directory.js'
import type { Walk } from '../records/walked.js'
import {
  leftOut,
  listingDigest,
  type PreparedDirectory,
  rememberInputs,
  unseenDigest,
} from './prepare-directory.js'

/** A directory's part of the project's cascades. */
export interface DirectoryCascades {
  /** The digest of what this directory gives to cascades. */
  input: string
  /** The digest of everything that they are made of. */
  key: string
  /** By name; null where those of the last compile hold. */
  records: Map<string, CascadeRecord> | null
  /** By file. */
  findings: Map<string, Finding[]>
  /** The directories of others that the project searches, in which a base may lie. */
  elsewhere: string[]
}

export interface CompiledDirectory {
  directory: ProjectDirectory
  linked: LinkedDirectory
  skipped: Walk['skipped']
  reused: number
  /** Contents with directives that were compiled anew. */
  rendered: number
  outdated: string[]
  stale: string[]
}

/** Writes a directory's index, where it is not there as it should be. Overtaken where another compile wrote one meanwhile. */
export async function emitDirectory(
  prepared: PreparedDirectory,
  cascades: DirectoryCascades,
  contents: LocatedContents,
  job: Job,
): Promise<CompiledDirectory | 'overtaken'> {
  const { directory, walked, read, modules, before, previous, store } = prepared
  const { dir } = directory
  const linked = withFindings(withFindings(prepared.linked, cascades.findings), contents.findings)
  const reused = read.units.length - read.parsed
  const rendered = [...contents.records.values()].filter(record => record !== null).length
  const compiled = { directory, linked, skipped: walked.skipped, reused, rendered, outdated: [], stale: [] }
  // Of a directory that may not be listed nothing is known that could take its index's place.
  if (walked.isRefused || (prepared.isUnchanged && cascades.records === null && rendered === 0))
    return compiled

  const kept = keptLines(prepared)
  if (kept === 'overtaken') return kept
  const included = rememberIncluded(prepared)
  const fields = headerFields(prepared, linked, cascades)
  const otherFiles = new Map([...otherInputs(read, modules, included), ...modules.made])
  const { encoded, stale } = await timed(job, 'emit', () => {
    const lines = recordLines(linked, kept, cascades.records, contents.records, otherFiles, store)
    const encoded = encodeIndex(lines, fields, line => store.bytes(line), indexFiles)
    return { encoded, stale: job.check ? changedNames(dir, before, lines, store) : [] }
  })
  const sound = new Set(previous && kept ? shardFiles(previous.written) : null)
  const outdated = outdatedFiles(dir, encoded, modules, sound)
  if (job.check) return { ...compiled, outdated, stale }
  throwIfAborted(job)
  const header = hash('sha256', encoded.header)
  const cache = encodeCache({
    header,
    external: directory.externalPackages,
    files: read.files,
    linked,
    unseen: unseenDigest(walked),
    modules,
    cascadeFindings: cascades.findings,
    contentFindings: contents.findings,
    elsewhere: cascades.elsewhere,
  })
  if (outdated.length === 0) {
    if (!previous) saveCache(dir, cache)
    return compiled
  }
  const written = await timed(job, 'emit', () =>
    withDirectoryLock(dir, () =>
      readWritten(dir)?.text === before?.text ? writeIndex(dir, encoded, modules, cache, sound) : null,
    ),
  )
  for (const file of written ?? []) job.written.add(shownPath(directory, file))
  return written === null ? 'overtaken' : compiled
}

/** The last compile's lines. Where only cascades changed, they were not needed before now. */
function keptLines({
  directory: { dir },
  read,
  walked,
  modules,
  previous,
  isUnchanged,
  lines,
  store,
}: PreparedDirectory): KeptLines | null | 'overtaken' {
  if (!isUnchanged || previous === null) return lines
  rememberInputs(dir, modules, read, walked)
  return storeLines(dir, previous.written, store) ?? 'overtaken'
}

/** Keeps the state of the files that are in contents for the next compile, and gives their paths. */
function rememberIncluded({ directory, linked, read, walked }: PreparedDirectory): string[] {
  const included = [
    ...new Set(linked.units.flatMap(({ tools }) => tools.flatMap(({ included: files = [] }) => files))),
  ]
  rememberFiles(directory.dir, included, read.files, walked.walkedAt)
  return included
}

function headerFields(
  { directory: { ignore }, walked, modules }: PreparedDirectory,
  { units, given }: LinkedDirectory,
  { input, key }: DirectoryCascades,
): HeaderFields {
  const skipped = units.filter(({ path }) => !given.has(path)).length + leftOut(walked)
  const files = units.length + leftOut(walked)
  return {
    ignore,
    listing: listingDigest(walked),
    counts: { files, found: files - skipped, skipped },
    cascadeInput: input,
    cascadeKey: key,
    modules: modules.files,
  }
}

/** Files inside the directory that are part of modules or contents and no skills of their own: a reader looks at them too. */
function otherInputs(
  { units, files }: ReadSkills,
  { modules }: UnitModules,
  included: readonly string[],
): Map<string, FileDigest> {
  const skills = new Set(units.map(({ path }) => path))
  const inputs = [...[...modules.values()].flatMap(module => module.inputs), ...included].filter(
    path => isInside(path) && !skills.has(path),
  )
  return new Map(
    inputs.flatMap(path => {
      const file = files.get(path)
      return file ? [[path, { size: file.stat.size, sha256: file.sha256 }] as const] : []
    }),
  )
}
