import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { orNull } from '../../src/base/attempt.js'
import type { JsonValue } from '../../src/base/json.js'
import type { ResourceRecord, ToolDetails } from '../../src/index/index-format.js'
import { qualifiedName } from '../../src/skill/namespaces.js'
import { isInterpolatedInline } from '../../src/skill/reference.js'
import { containsPrivateKey, KEY_BYTES } from '../../src/skill/secrets.js'
import { FILE_START, type Finding, finding } from '../diagnostics/diagnostics.js'
import {
  digestFile,
  type FileStat,
  glanceAtSkillFile,
  pickStat,
  readRegularFile,
  readSkillFile,
  sameStat,
  settledStat,
  systemReason,
} from '../files/regular-file.js'
import type { ProjectPart } from '../project/project.js'
import type { CachedFile, CompileCache } from '../records/compile-cache.js'
import type { FreshRecords, ParsedTool, SkillUnit } from '../records/skill-unit.js'
import { WHOLE } from '../records/unit.js'
import { fallbackName, fileOf, type WalkedFile, type WalkedSkill } from '../records/walked.js'
import { readDelegate } from './code/delegates.js'
import { parseCode } from './code/parse-code.js'
import { nothingParsed, type ParsedFile, parseFile } from './markdown/parse-file.js'

export interface ReadSkills {
  units: SkillUnit[]
  /** The state of the files, for the next compile. */
  files: Map<string, CachedFile>
  /** The number of files that were parsed instead of taken from the cache. */
  parsed: number
}

interface ReadOptions {
  /** Milliseconds since the epoch at which the walk began. */
  walkedAt: number
  /** Called with each unit that was parsed, and its file. */
  onUnit?: (unit: SkillUnit, file: string) => void
  onFile?: () => void
}

/** Reads a directory's skill files, except those that have not changed since they were cached. */
export async function readSkills(
  directory: string,
  skills: readonly WalkedSkill[],
  cache: CompileCache | null,
  options: ReadOptions,
): Promise<ReadSkills> {
  const files = new Map<string, CachedFile>()
  let parsed = 0
  const reading = skills.map(skill => {
    const known = cache === null ? null : knownUnit(skill, cache, files, options)
    if (known === null) parsed++
    const unit = known ?? readUnit(directory, skill, cache, files, options)
    options.onFile?.()
    return unit
  })
  // A promise for each of ten thousand units takes longer than most phases.
  const units = reading.some(unit => unit instanceof Promise) ? await Promise.all(reading) : reading
  return { units: units as SkillUnit[], files, parsed }
}

/** The unit of the last compile; null where the skill's file or one of its resources has changed since. */
function knownUnit(
  skill: WalkedSkill,
  cache: CompileCache,
  files: Map<string, CachedFile>,
  { walkedAt }: ReadOptions,
): SkillUnit | null {
  const unit = cache.units.get(skill.path)
  if (unit === undefined || unit.shape !== shapeOf(skill)) return null
  const known: [string, CachedFile][] = []
  for (const file of [skill, ...skill.resources]) {
    const path = pathInEntry(skill, file)
    const cached = cache.files.get(path)
    if (cached === undefined) return null
    const isSame = sameStat(file, cached)
    // A file of another size has changed, and need not be digested. Parsing it reports an unreadable one.
    const isChanged = (): boolean =>
      file.size !== cached.size || orNull(() => digestFile(fileOf(file))) !== cached.sha256
    if (!isSame && isChanged()) return null
    known.push([path, isSame ? cached : remember(file, cached.sha256, walkedAt)])
  }
  for (const [path, cached] of known) files.set(path, cached)
  return unit
}

/** Reads a unit: Markdown synchronously, code asynchronously. */
function readUnit(
  directory: string,
  skill: WalkedSkill,
  cache: CompileCache | null,
  files: Map<string, CachedFile>,
  { walkedAt, onUnit }: ReadOptions,
): SkillUnit | Promise<SkillUnit> {
  const { resources, unreadable } = digestResources(skill, cache, (path, file, digest) =>
    files.set(path, remember(file, digest, walkedAt)),
  )
  const finish = (parsed: ParsedFile): SkillUnit => {
    const { size, sha256 } = parsed
    files.set(skill.path, remember(skill, sha256, walkedAt, size))
    const unit = unitOf(skill, parsed, resources)
    unit.findings.push(...unreadable)
    addDelegates(directory, unit)
    onUnit?.(unit, fileOf(skill))
    return unit
  }
  const parsed = parseSkill(skill)
  return parsed instanceof Promise ? parsed.then(finish) : finish(parsed)
}

/** Makes a unit of a parsed skill file, for the phases that follow. */
export function unitOf(skill: WalkedSkill, parsed: ParsedFile, resources: ResourceRecord[]): SkillUnit {
  const unit: SkillUnit = {
    path: skill.path,
    shape: shapeOf(skill),
    size: parsed.size,
    sha256: parsed.sha256,
    tools: parsed.tools.map(tool => ({
      name: tool.name,
      place: tool.place,
      references: tool.references,
      fresh: freshRecords(tool, resources),
    })),
    broken: parsed.broken,
    findings: parsed.findings,
    sources: skill.kind === 'code' && parsed.tools.length > 0 ? [{ key: skill.path, file: skill.path }] : [],
  }
  if (parsed.ignored.length > 0) unit.ignored = parsed.ignored
  if (parsed.fixes.length > 0) unit.fixable = parsed.fixes.map(({ rule }) => rule)
  return unit
}

function freshRecords(
  { record, verbatim, references, placeholders = [], code, content, body, delegatePlace }: ParsedTool,
  resources: ResourceRecord[],
): FreshRecords {
  const details: ToolDetails = { resources, verbatim }
  if (references.length > 0) details.references = references
  if (placeholders.length > 0) details.placeholders = placeholders
  const fresh: FreshRecords = { record, details }
  if (code) fresh.code = code
  if (content !== undefined) fresh.content = content
  if (body) fresh.body = body
  if (delegatePlace) fresh.delegatePlace = delegatePlace
  return fresh
}

/** Adds the delegates of a unit's tools to it: modules, Markdown, references, or findings. */
export function addDelegates(directory: string, unit: SkillUnit): void {
  for (const tool of unit.tools) {
    const { place, fresh } = tool
    const value = fresh?.record.frontmatter.metadata.delegate
    if (fresh === undefined || value === undefined) continue
    // An interpolated delegate is refused elsewhere.
    if (typeof value === 'string' && isInterpolatedInline(value)) continue
    const { delegatePlace = place } = fresh
    const delegate =
      typeof value === 'string'
        ? readDelegate(value, directory, unit.path)
        : { problem: 'it is not a string' }
    if ('source' in delegate) {
      unit.sources.push(delegate.source)
      fresh.delegateKey = delegate.source.key
    } else if ('inline' in delegate) fresh.record.delegate = delegate.inline
    else if ('tool' in delegate) tool.delegate = { ref: delegate.tool, place: delegatePlace }
    else unit.findings.push(finding('delegate-invalid', delegatePlace, shown(value), delegate.problem))
  }
}

function shown(delegate: JsonValue): string {
  return (typeof delegate === 'string' ? delegate : JSON.stringify(delegate)).slice(0, 80)
}

/** Digests a skill's resources, except those that the cache knows. */
export function digestResources(
  skill: WalkedSkill,
  cache: CompileCache | null = null,
  onDigest: (path: string, file: WalkedFile, digest: string) => void = () => {},
): { resources: ResourceRecord[]; unreadable: Finding[] } {
  const resources: ResourceRecord[] = []
  const unreadable: Finding[] = []
  for (const resource of skill.resources) {
    const path = pathInEntry(skill, resource)
    const cached = cache?.files.get(path)
    try {
      const sha256 = cached && sameStat(cached, resource) ? cached.sha256 : digestFile(fileOf(resource))
      if (containsPrivateKey(readRegularFile(fileOf(resource), KEY_BYTES)))
        unreadable.push(finding('secret-file', FILE_START, resource.path))
      else resources.push({ path: resource.path, size: resource.size, sha256 })
      onDigest(path, resource, sha256)
    } catch (error) {
      unreadable.push(finding('resource-unreadable', FILE_START, resource.path, systemReason(error)))
    }
  }
  return { resources, unreadable }
}

/** Parses units that were taken from the cache. False where a file has changed since the walk. */
export async function rereadUnits(
  directory: string,
  units: readonly SkillUnit[],
  skills: readonly WalkedSkill[],
): Promise<boolean> {
  if (units.length === 0) return true
  const walked = new Map(skills.map(skill => [skill.path, skill]))
  const again = await Promise.all(
    units.map(async unit => {
      const skill = walked.get(unit.path)
      const read = skill && (await readUnit(directory, skill, null, new Map(), { walkedAt: 0 }))
      return read?.sha256 === unit.sha256 && Object.assign(unit, read)
    }),
  )
  return again.every(Boolean)
}

/** Adds the state of other files than skills' for the next compile, except for files that no longer exist. */
export function rememberFiles(
  directory: string,
  paths: Iterable<string>,
  files: Map<string, CachedFile>,
  walkedAt: number,
): void {
  for (const path of paths) {
    const absolute = join(directory, path)
    const stat = statSync(absolute, { throwIfNoEntry: false })
    if (!stat || files.has(path)) continue
    files.set(path, remember(pickStat(stat), digestFile(absolute), walkedAt))
  }
}

/** True for a file that has not changed since it was cached. */
export function isSameFile(directory: string, path: string, cache: CompileCache): boolean {
  const absolute = join(directory, path)
  const cached = cache.files.get(path)
  const stat = statSync(absolute, { throwIfNoEntry: false })
  if (cached === undefined || stat === undefined) return false
  return sameStat(stat, cached) || digestFile(absolute) === cached.sha256
}

/**
 * Reads and parses one walked skill, and adds the findings of the walk. The result for code is a promise. An
 * error in a parser becomes a finding of the file.
 */
export function parseSkill(skill: WalkedSkill): ParsedFile | Promise<ParsedFile> {
  const parsed = parseBare(skill)
  const namespace = skill.unit?.namespace
  if (namespace === undefined) return parsed
  return parsed instanceof Promise
    ? parsed.then(one => inNamespace(one, namespace))
    : inNamespace(parsed, namespace)
}

/** Qualifies the names of a file's tools with a namespace. */
function inNamespace(parsed: ParsedFile, namespace: string): ParsedFile {
  for (const one of [...parsed.tools, ...parsed.broken]) one.name = qualifiedName(namespace, one.name)
  for (const { name, record } of parsed.tools) record.frontmatter.name = name
  return parsed
}

/** Parses a skill file; its tools have the names that are written in it, without a namespace. */
export function parseBare(skill: WalkedSkill): ParsedFile | Promise<ParsedFile> {
  const { path, kind, folderName, atRoot } = skill
  if (skill.unseen !== undefined) return unreadable(skill, skill.unseen)
  if (kind === 'code') return parseCodeFile(skill)
  try {
    return withWalk(skill, parseFile(glanceAtSkillFile(fileOf(skill)), { path, kind, folderName, atRoot }))
  } catch (error) {
    return unreadable(skill, systemReason(error))
  }
}

async function parseCodeFile(skill: WalkedSkill): Promise<ParsedFile> {
  try {
    return withWalk(skill, await parseCode(readSkillFile(fileOf(skill)), skill.path))
  } catch (error) {
    return unreadable(skill, systemReason(error))
  }
}

/** Adds the findings of the walk to a parsed file's, before them. */
function withWalk({ findings }: WalkedSkill, parsed: ParsedFile): ParsedFile {
  if (findings.length > 0) parsed.findings = [...findings, ...parsed.findings]
  return parsed
}

function unreadable(skill: WalkedSkill, why: string): ParsedFile {
  const fault = finding('file-unreadable', FILE_START, why)
  const name = fallbackName(skill)
  const broken = name === null ? [] : [{ name, finding: fault }]
  // This may be the skill that describes the whole path entry.
  const isMain = skill.kind === 'folder' && skill.atRoot
  const findings = isMain ? [fault, finding('main-broken', FILE_START)] : [fault]
  return { ...nothingParsed('', skill.size), broken, findings }
}

/** The longest shape that is kept; a longer one is kept as its digest. */
const SHAPE_MAX = 100

/** All that a skill depends on besides the bytes of its files: location, unit, resources, the walk's findings. */
export function shapeOf(skill: WalkedSkill): string {
  const { path, kind, folderName, atRoot, resources, findings, unseen, unit } = skill
  // Most skills are alone in a folder, so that their path is enough.
  if (
    unseen === undefined &&
    unit === WHOLE &&
    resources.length + findings.length === 0 &&
    `/${path}`.endsWith(`/${folderName}/SKILL.md`)
  )
    return kind
  const paths = resources.map(({ path }) => path)
  const within = unit === WHOLE ? [] : [unit.path, unit.namespace]
  const shape = JSON.stringify([kind, folderName, atRoot, paths, findings, unseen, ...within])
  return shape.length <= SHAPE_MAX ? shape : hash('sha256', shape).slice(0, 16)
}

/** The path, in the path entry, of a skill's own file or of one of its resources. */
function pathInEntry(skill: WalkedSkill, file: WalkedFile): string {
  if (file === skill || skill.kind !== 'folder') return file.path
  return skill.path.slice(0, skill.path.lastIndexOf('/') + 1) + file.path
}

/** A file's stat and digest for the next compile, with its size as it was read. */
function remember(file: FileStat, sha256: string, walkedAt: number, size = file.size): CachedFile {
  const { mtimeMs, ctimeMs, ino } = settledStat(file, walkedAt)
  return { size, mtimeMs, ctimeMs, ino, sha256 }
}

/** Returns a function that parses a tool's file again, for data that an index does not keep. */
export function toolParser(skills: readonly WalkedSkill[]): ProjectPart['parseTool'] {
  return async (file, name) => {
    const skill = skills.find(({ path }) => path === file)
    return skill && (await parseSkill(skill)).tools.find(tool => tool.name === name)
  }
}
