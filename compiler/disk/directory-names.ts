/** A directory's names as its files are: walked, read and linked, save for files that are as they were. */

import { byCodePoint } from '../../src/base/code-point-order.js'
import type { EarlierNames } from '../../src/content/disk-parser.js'
import { type DirectoryNames, holderOf, unitsText } from '../../src/index/directory-names.js'
import {
  type FileRecord,
  isBroken,
  type NameRecord,
  type ToolDetails,
  type ToolRecord,
} from '../../src/index/index-format.js'
import type { WalkedEntry } from '../1-read/discover/walk-entry.js'
import { addDelegates, digestResources, parseSkill, shapeOf, unitOf } from '../1-read/read-skills.js'
import { link } from '../2-resolve/link/link.js'
import { brokenDiagnostic, FILE_START } from '../diagnostics/diagnostics.js'
import { runStages } from '../project/stage.js'
import { fileRecord, type LinkedDirectory } from '../records/linked-directory.js'
import { emptyUnit, type SkillUnit } from '../records/skill-unit.js'
import { unitRecords } from '../records/unit.js'
import type { Walk, WalkedSkill } from '../records/walked.js'

/** A directory's walk, with the folders that it came to, absolute. */
type Walked = Walk & Partial<WalkedEntry> & { folders?: readonly string[] }

export async function directoryNames(
  directory: string,
  walked: Walked,
  madeAt: number,
  before?: EarlierNames,
): Promise<DirectoryNames> {
  const kept = before ? keptUnits(walked, before) : new Map<string, SkillUnit>()
  const { read, linked } = await runStages(DISK, { directory, walked, kept })
  if (before) keepUnseen(linked, walked, before.names)
  const holders = before ? holdersOf(linked, kept, before) : new Map<string, DirectoryNames>()
  const { names, namesakes } = linked
  const skills = new Map(walked.skills.map(skill => [skill.path, skill]))
  const files = new Map<string, FileRecord>()
  for (const unit of read.units) {
    const was = holders.get(unit.path)?.file(unit.path)
    const now = fileRecord(unit, linked)
    files.set(unit.path, was?.tools.length === now.tools.length ? was : now)
  }
  for (const { path, size, sha256 } of walked.manifests ?? [])
    files.set(path, { size, sha256, diagnostics: [], tools: [] })
  const made: DirectoryNames = {
    via: 'disk',
    madeAt,
    listing: walked.listing,
    ...unitRecords(walked),
    plugins: walked.plugins,
    manifests: walked.manifests,
    ...(walked.listed && { listed: walked.listed }),
    ...(walked.folders && { folders: walked.folders }),
    tool: (name, isExact) =>
      nameRecord(name) ?? (isExact ? undefined : nameRecord(namesakes.get(name)?.[0] ?? '')),
    details: name => toolDetails(name),
    file: path => files.get(path),
    names: () => [...names.keys()].sort(byCodePoint),
    paths: () => [...files.keys()].sort(byCodePoint),
    heldBy: path => holders.get(path) ?? made,
    timeOf: path => skills.get(path)?.mtimeMs,
  }
  madeUnits.set(made, new Map(read.units.map(unit => [unit.path, unit])))
  return made

  function nameRecord(name: string): NameRecord | undefined {
    const named = names.get(name)
    if (!named) return undefined
    if (named.broken)
      return { broken: brokenDiagnostic(named.unit.path, named.broken), file: named.unit.path }
    const was = holders.get(named.unit.path)?.tool(name, true)
    return was && isSound(was, named.unit.path) ? was : named.tool?.fresh?.record
  }

  /** Made only on request, since it digests the tool's resources. */
  function toolDetails(name: string): ToolDetails | undefined {
    const named = names.get(name)
    const details = named?.tool?.fresh?.details
    const skill = named && skills.get(named.unit.path)
    return details && skill && { ...details, resources: digestResources(skill).resources }
  }
}

function isSound(record: NameRecord, path: string): record is ToolRecord {
  return !isBroken(record) && record.file === path
}

/** The earlier names that have the records of files already: of those that are as they were, and give no other names. */
function holdersOf(
  { given }: LinkedDirectory,
  kept: ReadonlyMap<string, SkillUnit>,
  { names, isSame }: EarlierNames,
): Map<string, DirectoryNames> {
  const holders = new Map<string, DirectoryNames>()
  for (const [path, tools] of given) {
    const holder = holderOf(names, path)
    const isKept = kept.has(path) || (!madeUnits.has(holder) && isSame(path))
    const gave = isKept ? (holder.file(path)?.tools ?? []) : []
    if (tools.every(name => gave.includes(name))) holders.set(path, holder)
  }
  return holders
}

/** The pipeline that reads a directory for the runtime, once it was walked. */
const DISK = [
  {
    name: 'read',
    run: async ({ directory, walked: { skills }, kept }: WalkedDirectory) => ({
      read: {
        units: await Promise.all(skills.map(skill => kept.get(skill.path) ?? readUnit(directory, skill))),
      },
    }),
  },
  link,
] as const

interface WalkedDirectory {
  /** Absolute. */
  directory: string
  walked: Walk
  kept: ReadonlyMap<string, SkillUnit>
}

async function readUnit(directory: string, skill: WalkedSkill): Promise<SkillUnit> {
  const unit = unitOf(skill, await parseSkill(skill), [])
  addDelegates(directory, unit)
  for (const { fresh } of unit.tools) {
    const dynamic = fresh?.code?.dynamic ?? []
    if (!fresh || dynamic.length === 0) continue
    fresh.record.dynamic = true
    const hides = (part: RegExp): boolean => dynamic.some(({ found: [path = ''] }) => part.test(path))
    if (hides(HIDES_PERMISSIONS)) fresh.record.permissionsUnknown = true
    if (hides(HIDES_PARAMS)) fresh.record.frontmatter.paramsUnknown = true
  }
  return unit
}

/** The paths in a frontmatter below which permissions may lie, and arguments. */
const HIDES_PERMISSIONS = /^(?:frontmatter|metadata|metadata\.permissions.*)$/
const HIDES_PARAMS = /^(?:frontmatter|metadata|metadata\.params.*)$/

/** The files that names were made of in this process. */
const madeUnits = new WeakMap<DirectoryNames, ReadonlyMap<string, SkillUnit>>()

/** The files that need not be read again. */
function keptUnits(walked: Walked, { names, isSame }: EarlierNames): Map<string, SkillUnit> {
  const kept = new Map<string, SkillUnit>()
  if (unitsText(names) !== unitsText(unitRecords(walked))) return kept
  for (const skill of walked.skills) {
    if (skill.unseen !== undefined || !isSame(skill.path)) continue
    const holder = holderOf(names, skill.path)
    const made = madeUnits.get(holder)
    const unit = made ? made.get(skill.path) : compiledUnit(skill.path, holder)
    if (unit && (!made || unit.shape === shapeOf(skill))) kept.set(skill.path, unit)
  }
  return kept
}

/**
 * A file as an index has it; null where it may have names that the index does not say are its: those that others
 * had before it, and those of tools that do not load.
 */
function compiledUnit(path: string, index: DirectoryNames): SkillUnit | null {
  const file = index.file(path)
  const tools = (file?.tools ?? []).map(name => index.tool(name, true))
  const isWhole = file?.diagnostics.every(({ fatal, rule }) => !fatal && !rule.startsWith('duplicate-'))
  if (!file || !isWhole || tools.length === 0) return null
  const unit: SkillUnit = { ...emptyUnit(path), size: file.size, sha256: file.sha256 }
  for (const record of tools) {
    if (!record || !isSound(record, path)) return null
    const { name, role } = record.frontmatter
    const facts = { place: FILE_START, references: [], directives: [], written: true }
    unit.tools.push({ ...facts, name, cascade: role && { role } })
  }
  return unit
}

/** Keeps the names of files in a folder that may not be looked at any more: their tools are not gone. */
function keepUnseen({ names }: LinkedDirectory, { skipped }: Walk, before: DirectoryNames): void {
  const unseen = skipped.filter(({ finding }) => finding.rule === 'file-unreadable')
  if (unseen.length === 0) return
  for (const name of before.names()) {
    const { file = '' } = before.tool(name, true) ?? {}
    const around = unseen.find(({ path }) => file.startsWith(`${path}/`))
    if (around && !names.has(name)) names.set(name, { unit: emptyUnit(around.path), broken: around.finding })
  }
}
