import { hash } from 'node:crypto'
import type { ResourceRecord } from '../../src/index-format.js'
import type { CachedFile, CompileCache } from '../compile-cache.js'
import { FILE_START, type Finding, finding } from '../diagnostics.js'
import { type FileStat, isSettled, sameStat } from '../file-stat.js'
import type { SkillUnit } from '../skill-unit.js'
import { digestFile, readSkillFile } from './digest.js'
import { fallbackName, type ParsedFile, parseFile } from './parse-file.js'
import { systemReason, type WalkedFile, type WalkedSkill } from './walk.js'

export interface ReadSkills {
  units: SkillUnit[]
  /** What the next compile may rely on. */
  files: Map<string, CachedFile>
  /** Files that were parsed, rather than known from before. */
  parsed: number
}

export interface ReadOptions {
  /** Milliseconds since the epoch at which the walk began. */
  walkedAt: number
  onFile?: () => void
}

/** Reads a directory's skill files, those that the cache vouches for excepted. */
export function readSkills(
  skills: readonly WalkedSkill[],
  cache: CompileCache | null,
  options: ReadOptions,
): ReadSkills {
  const files = new Map<string, CachedFile>()
  let parsed = 0
  const units = skills.map(skill => {
    const known = cache === null ? null : knownUnit(skill, cache, files, options)
    if (known === null) parsed++
    const unit = known ?? readUnit(skill, cache, files, options)
    options.onFile?.()
    return unit
  })
  return { units, files, parsed }
}

/** The unit of the last compile, where neither the skill's file nor any of its resources changed since. */
function knownUnit(
  skill: WalkedSkill,
  cache: CompileCache,
  files: Map<string, CachedFile>,
  { walkedAt }: ReadOptions,
): SkillUnit | null {
  const unit = cache.units.get(skill.path)
  if (unit === undefined || unit.shape !== shapeOf(skill)) return null
  const known: [string, CachedFile][] = []
  for (const file of [skill, ...skill.resources.map(resource => inEntry(skill, resource))]) {
    const cached = cache.files.get(file.path)
    if (cached === undefined) return null
    if (!sameStat(file, cached.stat) && digestIfReadable(file) !== cached.sha256) return null
    known.push([file.path, remember(file, cached.sha256, walkedAt)])
  }
  for (const [path, cached] of known) files.set(path, cached)
  return unit
}

function readUnit(
  skill: WalkedSkill,
  cache: CompileCache | null,
  files: Map<string, CachedFile>,
  { walkedAt }: ReadOptions,
): SkillUnit {
  const parsed = parseSkill(skill)
  const { sha256, size } = parsed
  files.set(skill.path, remember({ ...skill, size }, sha256, walkedAt))
  const { resources, unreadable } = digestResources(skill, cache, (file, digest) =>
    files.set(file.path, remember(file, digest, walkedAt)),
  )
  return {
    path: skill.path,
    shape: shapeOf(skill),
    size,
    sha256,
    tools: parsed.tools.map(({ name, place, record, verbatim }) => ({
      name,
      place,
      fresh: { record, details: { verbatim, resources } },
    })),
    broken: parsed.broken,
    findings: [...parsed.findings, ...unreadable],
  }
}

/** The digests of a skill's resources: those that the cache knows, and those of the files themselves. */
export function digestResources(
  skill: WalkedSkill,
  cache: CompileCache | null = null,
  onDigest: (file: WalkedFile, digest: string) => void = () => {},
): { resources: ResourceRecord[]; unreadable: Finding[] } {
  const resources: ResourceRecord[] = []
  const unreadable: Finding[] = []
  for (const resource of skill.resources) {
    const file = inEntry(skill, resource)
    const cached = cache?.files.get(file.path)
    try {
      const sha256 = cached && sameStat(cached.stat, resource) ? cached.sha256 : digestFile(resource.absolute)
      resources.push({ path: resource.path, size: resource.size, sha256 })
      onDigest(file, sha256)
    } catch (error) {
      unreadable.push(finding('resource-unreadable', FILE_START, resource.path, systemReason(error)))
    }
  }
  return { resources, unreadable }
}

/**
 * Makes the records of units that were known from before, by reading their files after all. False where a file
 * no longer gives what it gave.
 */
export function makeRecords(units: readonly SkillUnit[], skills: readonly WalkedSkill[]): boolean {
  if (units.length === 0) return true
  const walked = new Map(skills.map(skill => [skill.path, skill]))
  return units.every(unit => {
    const skill = walked.get(unit.path)
    const read = skill && readUnit(skill, null, new Map(), { walkedAt: 0 })
    if (read?.sha256 !== unit.sha256) return false
    for (const [index, tool] of unit.tools.entries()) {
      const fresh = read.tools[index]?.fresh
      if (fresh) tool.fresh = fresh
    }
    return true
  })
}

/** Reads and parses one walked skill, with what the walk itself found wrong. */
export function parseSkill(skill: WalkedSkill): ParsedFile {
  let parsed: ParsedFile
  try {
    parsed = parseFile(readSkillFile(skill.absolute), skill)
  } catch (error) {
    const unreadable = finding('file-unreadable', FILE_START, systemReason(error))
    const name = fallbackName(skill)
    const broken = name === null ? [] : [{ name, finding: unreadable }]
    return { sha256: '', size: skill.size, tools: [], broken, findings: [unreadable], fixes: [] }
  }
  return { ...parsed, findings: [...skill.findings, ...parsed.findings] }
}

/** What a skill is besides the bytes of its files: its place, which resources it has, what the walk said of it. */
function shapeOf({ kind, folderName, atRoot, resources, findings }: WalkedSkill): string {
  const shape = [kind, folderName, atRoot, resources.map(({ path }) => path), findings]
  return hash('sha256', JSON.stringify(shape)).slice(0, 16)
}

function inEntry({ path, kind }: WalkedSkill, resource: WalkedFile): WalkedFile {
  const folder = kind === 'folder' ? path.slice(0, path.lastIndexOf('/') + 1) : ''
  return { ...resource, path: folder + resource.path }
}

/** A file's stat and digest for the next compile; a stat that proves nothing is stored as one that matches none. */
function remember({ size, mtimeMs, ctimeMs, ino }: FileStat, sha256: string, walkedAt: number): CachedFile {
  const stat = { size, mtimeMs, ctimeMs, ino }
  return { stat: isSettled(stat, walkedAt) ? stat : { ...stat, ino: -1 }, sha256 }
}

function digestIfReadable({ absolute }: WalkedFile): string | null {
  try {
    return digestFile(absolute)
  } catch {
    // The full read that follows reports it.
    return null
  }
}
