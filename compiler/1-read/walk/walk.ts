import { hash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { basename, dirname } from 'node:path'
import { byCodePoint } from '../../../src/base/code-point-order.js'
import { isRefusal } from '../../../src/base/refusal.js'
import { listingText } from '../../../src/index/digested-texts.js'
import { INDEX_DIRECTORY, INDEX_FILE } from '../../../src/index/index-format.js'
import { isInside } from '../../../src/index/inside-path.js'
import { looksSecret } from '../../../src/skill/secrets.js'
import { FILE_START, type Finding, finding, toDiagnostic } from '../../diagnostics/diagnostics.js'
import { limits } from '../../files/limits.js'
import { type FileStat, systemReason } from '../../files/regular-file.js'
import { type Unit, type UnitFolder, WHOLE } from '../../records/unit.js'
import { inside, type Skipped, type Walk, type WalkedSkill } from '../../records/walked.js'
import { isCurated, skillsInDotDirectory } from './dot-directory.js'
import { type Area, type Item, isAlone, isTop, type Scope } from './item.js'
import {
  below,
  isWithin,
  listDirectory,
  notRegular,
  realPath,
  resolveLink,
  statFile,
  statLink,
  targetName,
} from './look.js'
import {
  isSingleFile,
  isSkillFolder,
  isSkillMd,
  kindOf,
  nameMeant,
  namesOf,
  skillFileOf,
} from './skill-names.js'

export interface WalkOptions {
  /** True for a path, relative and `/`-separated, that the configuration excludes. */
  isIgnored?: (path: string) => boolean
  /** True for a SKILL.md at the entry's root that describes the entry instead of being its one skill. */
  describesEntry?: (file: string) => boolean
  /** The units of the directory to search, in their order. Default: the whole directory. */
  units?: readonly Unit[]
  /**
   * Returns the unit of a folder outside skills, the reason why nothing in it loads, or null.
   */
  unitAt?: (folder: { path: string; real: string }, listing: readonly Dirent[]) => Unit | 'closed' | null
  /** Called with the absolute path of each directory before it is listed. */
  onDirectory?: ((path: string) => void) | undefined
}

/** Subfolders of a folder skill for its resources; they are not searched for folder skills. */
const OWN_FOLDERS = new Set(['assets', 'references', 'scripts', 'templates', 'examples', 'fixtures'])

/** The stat of a file that cannot be read. */
const NO_STAT: FileStat = { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 }

/**
 * Finds the skills of a directory: one `readdir` for each folder, in code-point order of path. Follows links
 * to skills, once each; refuses links out of a skill; does not enter `node_modules` and dot directories.
 *
 * @throws the system's error where the directory itself cannot be read, unless the system refuses it
 */
export function walk(root: string, options: WalkOptions = {}): Walk {
  return new Walker(root, options).walk()
}

class Walker {
  private readonly skills: WalkedSkill[] = []
  private readonly skipped: Skipped[] = []
  private readonly topLevel: string[] = []
  private readonly units: readonly Unit[]
  /** Units that folders turned out to be. */
  private readonly nested: Unit[] = []
  /** Units and places, which are walked for themselves. */
  private readonly starts: ReadonlySet<string>
  /** Real paths of the folders and single files that the walk has come to. */
  private readonly visited = new Set<string>()
  private items = 0
  private isRefused = false

  constructor(
    private readonly root: string,
    private readonly options: WalkOptions,
  ) {
    this.units = options.units ?? [WHOLE]
    const paths = this.units.flatMap(({ path, places }) => [path, ...places.map(place => place.path)])
    this.starts = new Set(paths)
  }

  walk(): Walk {
    const { skills, skipped, topLevel } = this
    const found: WalkedSkill[] = []
    for (const unit of this.units)
      for (const place of unit.places) {
        this.visitPlace(unit, place)
        const sorted = skills.splice(0).sort((a, b) => byCodePoint(a.path, b.path))
        // One by one: a call takes about 125,000 arguments.
        for (const skill of sorted) found.push(skill)
      }
    const listing = hash('sha256', listingText(topLevel))
    const isReplaced = this.nested.some(({ path }) => path === '')
    const units = [...(isReplaced ? [] : this.units), ...this.nested]
    return { skills: found, skipped, listing, units, ...(this.isRefused && { isRefused: true }) }
  }

  private visitPlace(unit: Unit, place: UnitFolder): void {
    const { path } = place
    const absolute = path === '' ? this.root : inside(this.root, path)
    const real = realPath(absolute)
    if (!this.comesTo(real)) return
    const unitRoot = unit.path === '' ? this.root : inside(this.root, unit.path)
    const area = { unit, place, real: unit.path === path ? real : realPath(unitRoot) }
    const depth = path === '' ? 0 : path.split('/').length
    this.visit({
      path,
      absolute,
      real,
      realName: basename(real),
      scope: null,
      inOwnFolder: false,
      area,
      depth,
    })
  }

  private visit(directory: Item): void {
    const listing = this.list(directory)
    if (listing === null) return
    if (directory.path === '') for (const { name } of listing) this.topLevel.push(name)
    const area = this.areaOf(directory, listing)
    if (area === null || this.isApart(directory, listing)) return
    const inArea = area === directory.area ? directory : { ...directory, area }
    const scope = this.openScope(inArea, listing) ?? directory.scope
    const isOwner = scope !== directory.scope
    if (scope === null && isAlone(area)) return
    for (const item of listing) {
      const { name } = item
      if (!this.mayLook()) {
        if (this.items === limits.walkItems + 1)
          this.skip(directory.path, finding('walk-limit', FILE_START, `${limits.walkItems} files`))
        return
      }
      const path = below(directory.path, name)
      // Most folders have nothing but the file that made them a skill.
      if (this.isIgnored(path) || (isOwner && path === scope?.skill.path)) continue
      const absolute = inside(directory.absolute, name)
      const child: Item = {
        path,
        absolute,
        // Without a link, which saves a second copy of each path.
        real: directory.real === directory.absolute ? absolute : inside(directory.real, name),
        realName: name,
        scope,
        inOwnFolder: isOwner ? OWN_FOLDERS.has(name) : directory.inOwnFolder,
        area,
        depth: directory.depth + 1,
      }
      if (item.isSymbolicLink()) this.visitLink(child, name)
      else if (item.isDirectory()) this.visitFolder(child, name)
      else this.visitFile(child, name, item.isFile())
    }
  }

  /** The area that a folder belongs to, which may be its own unit; null if nothing in it loads. */
  private areaOf({ path, real, scope, area }: Item, listing: Dirent[]): Area | null {
    const unit = scope === null ? (this.options.unitAt?.({ path, real }, listing) ?? null) : null
    if (unit === null) return area
    if (unit === 'closed') return null
    this.nested.push(unit)
    return { unit, place: { path, kind: 'tree' }, real }
  }

  /** True for a skill inside a repository that is itself one: it is found where it is looked for, or nowhere. */
  private isApart({ path, inOwnFolder, area }: Item, listing: Dirent[]): boolean {
    return isAlone(area) && path !== '' && !inOwnFolder && skillFileOf(listing) !== undefined
  }

  /** Counts one more file or folder; false past the limit. */
  private mayLook(): boolean {
    return ++this.items <= limits.walkItems
  }

  /** Notes that the walk comes to a folder or file; false where it was there before. */
  private comesTo(real: string): boolean {
    const { size } = this.visited
    return this.visited.add(real).size > size
  }

  private isIgnored(path: string): boolean {
    return this.options.isIgnored?.(path) === true
  }

  /** The entries of a directory; null where it cannot be read, which is reported. */
  private list(directory: Item): Dirent[] | null {
    const { path, absolute, realName, inOwnFolder, area } = directory
    this.options.onDirectory?.(absolute)
    try {
      return listDirectory(absolute)
    } catch (error) {
      if (isTop(directory)) {
        if (!isRefusal(error)) throw error
        this.isRefused ||= path === ''
        // There may be a SKILL.md in it that describes the whole directory.
        const file = below(path, 'SKILL.md')
        this.addSkill(file, NO_STAT, 'folder', realName, area, true).unseen = systemReason(error)
        return null
      }
      const why = finding('file-unreadable', FILE_START, systemReason(error))
      this.skip(path, why, false, inOwnFolder ? [] : namesOf('folder', path, realName))
      return null
    }
  }

  /** The scope that a folder's SKILL.md opens; null without one, or in another skill's own folder. */
  private openScope(directory: Item, listing: Dirent[]): Scope | null {
    const { path, absolute, real, realName, inOwnFolder, scope, area } = directory
    // A folder called SKILL.md is reported as an unreadable file.
    const item = skillFileOf(listing) ?? listing.find(({ name }) => name === 'SKILL.md')
    if (item === undefined || this.isIgnored(below(path, item.name))) return null
    const { name } = item
    const file = below(path, name)
    const absoluteFile = inside(absolute, name)
    if (inOwnFolder && scope) {
      this.skip(file, finding('skill-is-resource', FILE_START, scope.skill.path), true)
      return null
    }
    const stat = item.isSymbolicLink() ? statLink(absoluteFile, real) : statFile(absoluteFile)
    const atRoot = isTop(directory)
    if ('rule' in stat) {
      if (atRoot) this.addSkill(file, NO_STAT, 'folder', realName, area, atRoot).unseen = whyUnseen(stat)
      else this.skip(file, stat, true, namesOf('folder', file, realName))
      return null
    }
    const skill = this.addSkill(file, stat, 'folder', realName, area, atRoot)
    if (atRoot && this.options.describesEntry?.(absoluteFile)) return null
    if (name !== 'SKILL.md') skill.findings.push(finding('file-name-case', FILE_START, name))
    return { skill, prefix: path === '' ? '' : `${path}/`, absolute, real }
  }

  private visitFolder(directory: Item, name: string): void {
    const { path, absolute, real, depth } = directory
    if (this.starts.has(path)) return
    if (name.startsWith('.') && !isCurated(absolute, name)) {
      if (depth <= limits.walkDepth && name !== INDEX_DIRECTORY) this.visitDotDirectory(directory)
      return
    }
    if (name === 'node_modules') return
    if (depth > limits.walkDepth) {
      this.skip(path, finding('walk-limit', FILE_START, `${limits.walkDepth} folders deep`))
      return
    }
    if (isSingleFile(name) && !isSkillFolder(absolute))
      this.skip(path, notRegular(), true, namesOf(kindOf(name), path))
    if (this.comesTo(real)) this.visit(directory)
  }

  private visitDotDirectory(directory: Item): void {
    const folder = below(directory.path, 'skills')
    const files = skillsInDotDirectory(
      directory,
      real => this.visited.has(real),
      () => this.mayLook(),
    )
    for (const file of files) this.skip(file, finding('skill-in-dot-directory', FILE_START, folder), true)
  }

  private visitLink(link: Item, name: string): void {
    const { scope } = link
    const target = resolveLink(link.absolute)
    if (target === null) {
      // A broken link called SKILL.md was reported when its folder was opened.
      if (!name.startsWith('.') && !isSkillMd(name))
        this.skipLink(link, name, finding('link-broken', FILE_START), targetName(link.absolute))
      return
    }
    const isFolder = target.stat.isDirectory()
    if (scope && !isWithin(target.real, scope.real)) {
      const isSkill = isFolder && isSkillFolder(target.real)
      const folderName = isSkill ? basename(target.real) : undefined
      this.skipLink(link, name, finding('link-escapes', FILE_START), folderName)
      return
    }
    const isOutside = !scope && isFolder && !isWithin(target.real, link.area.real)
    if (isOutside && !isSkillFolder(target.real)) {
      if (!name.startsWith('.')) this.skipLink(link, name, finding('link-not-followed', FILE_START))
      return
    }
    const linked = { ...link, real: target.real, realName: basename(target.real) }
    if (isFolder) this.visitFolder(linked, name)
    else if (scope || isSingleFile(name)) this.visitFile(linked, name, target.stat.isFile())
  }

  /** @param folderName the name of the folder skill that the link may lead to */
  private skipLink({ path, inOwnFolder }: Item, name: string, why: Finding, folderName?: string): void {
    if (isSingleFile(name)) this.skip(path, why, true, namesOf(kindOf(name), path))
    else if (inOwnFolder || folderName === undefined || name === 'node_modules') this.skip(path, why)
    else this.skip(path, why, false, namesOf('folder', path, name, folderName))
  }

  private visitFile(file: Item, name: string, isRegular: boolean): void {
    const { path, absolute, scope } = file
    if (name === INDEX_FILE || name === '.DS_Store' || path === scope?.skill.path) return
    if (isSingleFile(name)) {
      if (isAlone(file.area) && !file.inOwnFolder) return
      this.visitSingleFile(file, name, isRegular)
      return
    }
    if (!isRegular) return
    if (scope) {
      this.visitResource(file, scope)
      return
    }
    const meant = nameMeant(name, absolute)
    if (meant !== null) this.skip(path, finding('file-name-near', FILE_START, name, meant), true)
  }

  private visitSingleFile({ path, absolute, real, area }: Item, name: string, isRegular: boolean): void {
    if (!this.comesTo(real)) return
    const stat = isRegular ? statFile(absolute) : notRegular()
    if ('rule' in stat) this.skip(path, stat, true, namesOf(kindOf(name), path))
    else this.addSkill(path, stat, kindOf(name), basename(dirname(real)), area, false)
  }

  private visitResource({ path, absolute, real }: Item, scope: Scope): void {
    const inSkill = path.slice(scope.prefix.length)
    if (looksSecret(absolute) || looksSecret(real)) {
      scope.skill.findings.push(finding('secret-file', FILE_START, inSkill))
      return
    }
    const stat = statFile(absolute)
    if ('rule' in stat) this.skip(path, stat)
    else if (isInside(inSkill)) scope.skill.resources.push({ path: inSkill, root: scope.absolute, ...stat })
    else this.skip(path, finding('path-unportable', FILE_START))
  }

  private addSkill(
    path: string,
    stat: FileStat,
    kind: WalkedSkill['kind'],
    folderName: string,
    { unit }: Area,
    atRoot: boolean,
  ): WalkedSkill {
    const { root } = this
    const skill = { path, root, kind, folderName, atRoot, unit, resources: [], findings: [], ...stat }
    if (isInside(path)) this.skills.push(skill)
    else this.skip(path, finding('path-unportable', FILE_START), true)
    return skill
  }

  /**
   * Notes that a file or folder is not a skill.
   *
   * @param counts true where it counts as a file met
   * @param names the names that it seems to define
   */
  private skip(path: string, why: Finding, counts = false, names: string[] = []): void {
    this.skipped.push({ path, finding: why, counts, ...(names.length > 0 && isInside(path) && { names }) })
  }
}

/** Why a file cannot be read, as part of a sentence. */
function whyUnseen(fault: Finding): string {
  if (fault.rule === 'file-unreadable') return fault.found.join()
  const { reason } = toDiagnostic('', fault)
  return reason.charAt(0).toLowerCase() + reason.slice(1)
}
