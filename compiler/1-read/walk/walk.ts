import {
  type Dirent,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { byCodePoint } from '../../../src/base/code-point-order.js'
import { isRefusal } from '../../../src/base/refusal.js'
import { INDEX_DIRECTORY, INDEX_FILE } from '../../../src/index/index-format.js'
import { isInside } from '../../../src/index/inside-path.js'
import type { ToolKind } from '../../../src/skill/frontmatter.js'
import { looksSecret } from '../../../src/skill/secrets.js'
import { FILE_START, type Finding, finding, toDiagnostic } from '../../diagnostics/diagnostics.js'
import { type FileStat, pickStat } from '../../files/file-stat.js'
import { limits } from '../../files/limits.js'
import { readRegularFile, systemReason } from '../../files/regular-file.js'
import { fallbackName, inside, type Skipped, type Walk, type WalkedSkill } from '../../records/walked.js'

export interface WalkOptions {
  /** True for a path, relative and `/`-separated, that the configuration excludes. */
  isIgnored?: (path: string) => boolean
  /** True for a SKILL.md at the entry's root that describes the entry instead of being its one skill. */
  describesEntry?: (file: string) => boolean
  /** Called with each directory, absolute, before it is listed. */
  onDirectory?: ((path: string) => void) | undefined
}

/** Folders of a folder skill that hold its resources and no further folder skills. */
const OWN_FOLDERS = new Set(['assets', 'references', 'scripts', 'templates', 'examples', 'fixtures'])
const SKILL_FILE = /^skill\.md$/i
const SINGLE_FILE = /.\.skill\.(?:md|ts|js|mts|mjs)$/
/** What is almost the name of a skill's file: `SKILLS.md`, `review.skills.md`. */
const NEAR_FILE = /^(?:(.+)\.)?skills?\.(?:md|markdown)$/i

/** A folder skill's folder, while what lies below it is looked at. */
interface Scope {
  skill: WalkedSkill
  /** The folder's path as walked, with a slash at the end, or empty for the entry's root. */
  prefix: string
  absolute: string
  real: string
}

interface Directory {
  path: string
  absolute: string
  real: string
  /** The last part of its real path. */
  realName: string
  scope: Scope | null
  /** True inside one of the scope's own folders. */
  own: boolean
  depth: number
}

/**
 * Finds the skills of a directory: one `readdir` for each folder, in code-point order of path. Follows links
 * to skills, once each; refuses links out of a skill; does not enter `node_modules` and dot directories.
 *
 * @throws the system's error where the directory itself cannot be read, unless the system refuses it
 */
export function walk(
  root: string,
  { isIgnored = () => false, describesEntry = () => false, onDirectory }: WalkOptions = {},
): Walk {
  const skills: WalkedSkill[] = []
  const skipped: Skipped[] = []
  const realRoot = realPath(root)
  const visited = new Set([realRoot])
  const topLevel: string[] = []
  let items = 0
  let refused: Pick<Walk, 'isRefused'> = {}
  visit({
    path: '',
    absolute: root,
    real: realRoot,
    realName: basename(realRoot),
    scope: null,
    own: false,
    depth: 0,
  })
  skills.sort((a, b) => byCodePoint(a.path, b.path))
  return { skills, skipped, listing: topLevel, ...refused }

  function visit(directory: Directory): void {
    const listing = list(directory)
    if (listing === null) return
    if (directory.path === '') topLevel.push(...listing.map(item => item.name))
    const scope = openScope(directory, listing) ?? directory.scope
    const isOwner = scope !== directory.scope
    for (const item of listing) {
      if (++items > limits.walkItems) {
        if (items === limits.walkItems + 1)
          skip(directory.path, finding('walk-limit', FILE_START, `${limits.walkItems} files`))
        return
      }
      const path = below(directory.path, item.name)
      if (isIgnored(path)) continue
      const inOwn = isOwner ? OWN_FOLDERS.has(item.name) : directory.own
      const child = {
        path,
        absolute: inside(directory.absolute, item.name),
        real: inside(directory.real, item.name),
        realName: item.name,
        scope,
        own: inOwn,
      }
      if (item.isSymbolicLink()) visitLink(child, directory.depth, item.name)
      else if (item.isDirectory()) visitFolder({ ...child, depth: directory.depth + 1 }, item.name)
      else visitFile(child, item.name, item.isFile())
    }
  }

  function list({ path, absolute, realName, own }: Directory): Dirent[] | null {
    onDirectory?.(absolute)
    try {
      return readdirSync(absolute, { withFileTypes: true }).sort((a, b) => byCodePoint(a.name, b.name))
    } catch (error) {
      if (path === '') {
        if (!isRefusal(error)) throw error
        refused = { isRefused: true }
        // What describes the whole directory may be in it.
        addSkill('SKILL.md', NO_STAT, 'folder', realName, true).unseen = systemReason(error)
        return null
      }
      const why = finding('file-unreadable', FILE_START, systemReason(error))
      skip(path, why, false, own ? [] : namesOf('folder', path, realName))
      return null
    }
  }

  /** The scope that a folder's own SKILL.md opens; null where it has none, or lies in another skill's own folder. */
  function openScope(
    { path, absolute, real, realName, own, scope }: Directory,
    listing: Dirent[],
  ): Scope | null {
    // A folder of that name is none, and stands where one should be.
    const item = skillFileOf(listing) ?? listing.find(({ name }) => name === 'SKILL.md')
    if (item === undefined || isIgnored(below(path, item.name))) return null
    const { name } = item
    const file = below(path, name)
    if (own && scope) {
      skip(file, finding('skill-is-resource', FILE_START, scope.skill.path), true)
      return null
    }
    const stat = item.isSymbolicLink()
      ? statInside(inside(absolute, name), real)
      : statFile(inside(absolute, name))
    const atRoot = path === ''
    if ('rule' in stat) {
      if (atRoot) addSkill(file, NO_STAT, 'folder', realName, atRoot).unseen = whyUnseen(stat)
      else skip(file, stat, true, namesOf('folder', file, realName))
      return null
    }
    const skill = addSkill(file, stat, 'folder', realName, atRoot)
    if (atRoot && describesEntry(inside(absolute, name))) return null
    if (name !== 'SKILL.md') skill.findings.push(finding('file-name-case', FILE_START, name))
    return { skill, prefix: path === '' ? '' : `${path}/`, absolute, real }
  }

  function visitFolder(directory: Directory, name: string): void {
    if (name.startsWith('.')) {
      if (directory.depth <= limits.walkDepth) surveyDotDirectory(directory, name)
      return
    }
    if (name === 'node_modules') return
    if (directory.depth > limits.walkDepth) {
      skip(directory.path, finding('walk-limit', FILE_START, `${limits.walkDepth} folders deep`))
      return
    }
    if (SINGLE_FILE.test(name) && skillFileOf(readListing(directory.absolute)) === undefined)
      skip(directory.path, notRegular(), true, namesOf(kindOf(name), directory.path))
    if (visited.has(directory.real)) return
    visited.add(directory.real)
    visit(directory)
  }

  function visitLink(child: Omit<Directory, 'depth'>, depth: number, name: string): void {
    const target = resolveLink(child.absolute)
    if (target === null) {
      // One called SKILL.md was reported when its folder was opened.
      if (!name.startsWith('.') && !SKILL_FILE.test(name))
        skipLink(child, name, finding('link-broken', FILE_START), targetName(child.absolute))
      return
    }
    const { scope } = child
    if (scope && !isWithin(target.real, scope.real)) {
      const isSkill = target.stat.isDirectory() && skillFileOf(readListing(target.real)) !== undefined
      const folderName = isSkill ? basename(target.real) : undefined
      skipLink(child, name, finding('link-escapes', FILE_START), folderName)
      return
    }
    const outside = !scope && target.stat.isDirectory() && !isWithin(target.real, realRoot)
    if (outside && skillFileOf(readListing(target.real)) === undefined) {
      if (!name.startsWith('.')) skipLink(child, name, finding('link-not-followed', FILE_START))
      return
    }
    const linked = { ...child, real: target.real, realName: basename(target.real) }
    if (target.stat.isDirectory()) visitFolder({ ...linked, depth: depth + 1 }, name)
    else if (scope || SINGLE_FILE.test(name)) visitFile(linked, name, target.stat.isFile())
  }

  /** @param folderName that of the folder skill it may lead to */
  function skipLink(
    { path, own }: Omit<Directory, 'depth'>,
    name: string,
    why: Finding,
    folderName?: string,
  ): void {
    if (SINGLE_FILE.test(name)) skip(path, why, true, namesOf(kindOf(name), path))
    else if (own || folderName === undefined || name === 'node_modules') skip(path, why)
    else skip(path, why, false, namesOf('folder', path, name, folderName))
  }

  function visitFile(
    { path, absolute, real, realName, scope }: Omit<Directory, 'depth'>,
    name: string,
    regular: boolean,
  ): void {
    if (name === INDEX_FILE || name === '.DS_Store' || path === scope?.skill.path) return
    if (SINGLE_FILE.test(name)) {
      if (visited.has(real)) return
      visited.add(real)
      const stat = regular ? statFile(absolute) : notRegular()
      if ('rule' in stat) skip(path, stat, true, namesOf(kindOf(name), path))
      else addSkill(path, stat, kindOf(name), basename(dirname(real)), false)
      return
    }
    if (!scope && regular && isNearSkill(name, absolute)) {
      const stem = NEAR_FILE.exec(name)?.[1]
      const meant = stem === undefined ? 'SKILL.md' : `${stem}.skill.md`
      skip(path, finding('file-name-near', FILE_START, name, meant), true)
    }
    if (!scope || !regular) return
    const inSkill = path.slice(scope.prefix.length)
    if (looksSecret(name) || looksSecret(realName)) {
      scope.skill.findings.push(finding('secret-file', FILE_START, inSkill))
      return
    }
    const stat = statFile(absolute)
    if ('rule' in stat) skip(path, stat)
    else if (isInside(inSkill)) scope.skill.resources.push({ path: inSkill, root: scope.absolute, ...stat })
    else skip(path, finding('path-unportable', FILE_START))
  }

  /** `.claude/skills` and its like are not searched below an entry; what lies there is named, so that it is not missed unnoticed. */
  function surveyDotDirectory({ path, absolute, real }: Directory, name: string): void {
    if (name === INDEX_DIRECTORY) return
    const folder = join(absolute, 'skills')
    // A link could lead anywhere, to the root of the file system as well.
    if (!isOwnDirectory(folder)) return
    const seen = new Set<string>()
    const survey = (directory: string, at: string, realDirectory: string, depth: number): void => {
      if (seen.has(realDirectory) || visited.has(realDirectory) || depth > limits.walkDepth) return
      seen.add(realDirectory)
      for (const item of readListing(directory)) {
        if (++items > limits.walkItems) return
        const here = join(directory, item.name)
        if (item.isDirectory() && item.name !== 'node_modules') {
          survey(here, below(at, item.name), join(realDirectory, item.name), depth + 1)
        } else if (item.isFile() && isSkillName(item.name)) {
          skip(
            below(at, item.name),
            finding('skill-in-dot-directory', FILE_START, below(path, 'skills')),
            true,
          )
        }
      }
    }
    survey(folder, below(path, 'skills'), join(real, 'skills'), 0)
  }

  function addSkill(
    path: string,
    stat: FileStat,
    kind: WalkedSkill['kind'],
    folderName: string,
    atRoot: boolean,
  ): WalkedSkill {
    const skill = { path, root, kind, folderName, atRoot, resources: [], findings: [], ...stat }
    if (isInside(path)) skills.push(skill)
    else skip(path, finding('path-unportable', FILE_START), true)
    return skill
  }

  function skip(path: string, why: Finding, counts = false, names: string[] = []): void {
    skipped.push({ path, finding: why, counts, ...(names.length > 0 && isInside(path) && { names }) })
  }
}

/** The names that a skill seems to give which cannot be looked at: that of its file, or those its folder may have. */
function namesOf(kind: ToolKind, path: string, ...folderNames: string[]): string[] {
  const names = (kind === 'folder' ? folderNames : ['']).flatMap(
    folderName => fallbackName({ path, kind, folderName }) ?? [],
  )
  return [...new Set(names)]
}

function kindOf(name: string): 'file' | 'code' {
  return name.endsWith('.md') ? 'file' : 'code'
}

/** The file that makes a folder a folder skill: SKILL.md, or else the first that differs from it in case only. */
function skillFileOf(listing: readonly Dirent[]): Dirent | undefined {
  const candidates = listing.filter(item => SKILL_FILE.test(item.name) && !item.isDirectory())
  return candidates.find(item => item.name === 'SKILL.md') ?? candidates[0]
}

/** True for a file that begins as a skill does, under what is almost the name of one. */
function isNearSkill(name: string, file: string): boolean {
  if (!NEAR_FILE.test(name) || SKILL_FILE.test(name)) return false
  try {
    return readRegularFile(file, 3).toString() === '---'
  } catch {
    // What cannot be read and is called so is nobody's skill.
    return false
  }
}

function isSkillName(name: string): boolean {
  return SKILL_FILE.test(name) || SINGLE_FILE.test(name)
}

/** The real path of a directory; the path itself where the system does not let anybody look there. */
function realPath(directory: string): string {
  try {
    return realpathSync.native(directory)
  } catch (error) {
    if (isRefusal(error)) return directory
    throw error
  }
}

function readListing(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => byCodePoint(a.name, b.name))
  } catch {
    // Only a survey of what is not searched: a folder that cannot be read holds nothing to point at.
    return []
  }
}

/** True for a folder that is one itself, not by a link. */
function isOwnDirectory(path: string): boolean {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return false
  }
}

function statFile(file: string): FileStat | Finding {
  try {
    const stat = statSync(file)
    if (!stat.isFile()) return notRegular()
    return pickStat(stat)
  } catch (error) {
    return finding('file-unreadable', FILE_START, systemReason(error))
  }
}

function notRegular(): Finding {
  return finding('file-unreadable', FILE_START, 'not a regular file')
}

/** The stat of what cannot be looked at. */
const NO_STAT: FileStat = { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 }

/** What is wrong with a file that cannot be looked at, as part of a sentence. */
function whyUnseen(fault: Finding): string {
  if (fault.rule === 'file-unreadable') return fault.found.join()
  const { reason } = toDiagnostic('', fault)
  return reason.charAt(0).toLowerCase() + reason.slice(1)
}

/** The stat of a SKILL.md, which may be a link only to a file of the same real folder. */
function statInside(file: string, realFolder: string): FileStat | Finding {
  const real = resolveLink(file)
  if (real === null) return finding('link-broken', FILE_START)
  if (!isWithin(real.real, realFolder)) return finding('link-escapes', FILE_START)
  return statFile(file)
}

function resolveLink(link: string): { real: string; stat: Stats } | null {
  try {
    const real = realpathSync.native(link)
    return { real, stat: statSync(real) }
  } catch {
    // A dangling link and one that leads round in a circle are the same to the caller: nothing is there.
    return null
  }
}

/** The name of what a link leads to that leads nowhere: that of the folder, were it there. */
function targetName(link: string): string {
  try {
    return basename(readlinkSync(link))
  } catch {
    return basename(link)
  }
}

function isWithin(real: string, folder: string): boolean {
  return real === folder || real.startsWith(folder.endsWith('/') ? folder : join(folder, '/'))
}

function below(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`
}
