import type { Dirent } from 'node:fs'
import { basename, dirname } from 'node:path'
import { byCodePoint } from '../../../src/base/code-point-order.js'
import { isRefusal } from '../../../src/base/refusal.js'
import { INDEX_DIRECTORY, INDEX_FILE } from '../../../src/index/index-format.js'
import { isInside } from '../../../src/index/inside-path.js'
import { looksSecret } from '../../../src/skill/secrets.js'
import { FILE_START, type Finding, finding, toDiagnostic } from '../../diagnostics/diagnostics.js'
import type { FileStat } from '../../files/file-stat.js'
import { limits } from '../../files/limits.js'
import { systemReason } from '../../files/regular-file.js'
import { inside, type Skipped, type Walk, type WalkedSkill } from '../../records/walked.js'
import { skillsInDotDirectory } from './dot-directory.js'
import {
  below,
  isWithin,
  listDirectory,
  notRegular,
  peekDirectory,
  realPath,
  resolveLink,
  statFile,
  statLink,
  targetName,
} from './look.js'
import { isSingleFile, isSkillMd, kindOf, nameMeant, namesOf, skillFileOf } from './skill-names.js'

export interface WalkOptions {
  /** True for a path, relative and `/`-separated, that the configuration excludes. */
  isIgnored?: (path: string) => boolean
  /** True for a SKILL.md at the entry's root that describes the entry instead of being its one skill. */
  describesEntry?: (file: string) => boolean
  /** Called with the absolute path of each directory before it is listed. */
  onDirectory?: ((path: string) => void) | undefined
}

/** Subfolders of a folder skill that hold its resources; no folder skill is looked for in them. */
const OWN_FOLDERS = new Set(['assets', 'references', 'scripts', 'templates', 'examples', 'fixtures'])

/** The stat of a file that cannot be read. */
const NO_STAT: FileStat = { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 }

/** A folder skill whose folder is being walked. */
interface Scope {
  skill: WalkedSkill
  /** The folder's path as walked, with a slash at the end; empty for the entry's root. */
  prefix: string
  absolute: string
  real: string
}

/** A file, folder or link that the walk comes to. */
interface Item {
  /** Relative to the walked directory, `/`-separated. */
  path: string
  absolute: string
  real: string
  /** The last part of its real path. */
  realName: string
  /** The folder skill that it lies in. */
  scope: Scope | null
  /** True inside one of the scope's own folders. */
  inOwnFolder: boolean
}

interface Directory extends Item {
  depth: number
}

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
  private readonly realRoot: string
  /** Real paths of the folders and single files that the walk has come to. */
  private readonly visited: Set<string>
  private items = 0
  private isRefused = false

  constructor(
    private readonly root: string,
    private readonly options: WalkOptions,
  ) {
    this.realRoot = realPath(root)
    this.visited = new Set([this.realRoot])
  }

  walk(): Walk {
    const { root: absolute, realRoot: real, skills, skipped, topLevel: listing } = this
    const realName = basename(real)
    this.visit({ path: '', absolute, real, realName, scope: null, inOwnFolder: false, depth: 0 })
    skills.sort((a, b) => byCodePoint(a.path, b.path))
    return { skills, skipped, listing, ...(this.isRefused && { isRefused: true }) }
  }

  private visit(directory: Directory): void {
    const listing = this.list(directory)
    if (listing === null) return
    if (directory.path === '') this.topLevel.push(...listing.map(item => item.name))
    const scope = this.openScope(directory, listing) ?? directory.scope
    const isOwner = scope !== directory.scope
    for (const item of listing) {
      const { name } = item
      if (!this.mayLook()) {
        if (this.items === limits.walkItems + 1)
          this.skip(directory.path, finding('walk-limit', FILE_START, `${limits.walkItems} files`))
        return
      }
      const path = below(directory.path, name)
      if (this.isIgnored(path)) continue
      const child: Item = {
        path,
        absolute: inside(directory.absolute, name),
        real: inside(directory.real, name),
        realName: name,
        scope,
        inOwnFolder: isOwner ? OWN_FOLDERS.has(name) : directory.inOwnFolder,
      }
      if (item.isSymbolicLink()) this.visitLink(child, directory.depth, name)
      else if (item.isDirectory()) this.visitFolder({ ...child, depth: directory.depth + 1 }, name)
      else this.visitFile(child, name, item.isFile())
    }
  }

  /** Counts one more file or folder; false past the limit. */
  private mayLook(): boolean {
    return ++this.items <= limits.walkItems
  }

  private isIgnored(path: string): boolean {
    return this.options.isIgnored?.(path) === true
  }

  /** The entries of a directory; null where it cannot be read, which is reported. */
  private list({ path, absolute, realName, inOwnFolder }: Directory): Dirent[] | null {
    this.options.onDirectory?.(absolute)
    try {
      return listDirectory(absolute)
    } catch (error) {
      if (path === '') {
        if (!isRefusal(error)) throw error
        this.isRefused = true
        // There may be a SKILL.md in it that describes the whole directory.
        this.addSkill('SKILL.md', NO_STAT, 'folder', realName, true).unseen = systemReason(error)
        return null
      }
      const why = finding('file-unreadable', FILE_START, systemReason(error))
      this.skip(path, why, false, inOwnFolder ? [] : namesOf('folder', path, realName))
      return null
    }
  }

  /** The scope that a folder's SKILL.md opens; null without one, or in another skill's own folder. */
  private openScope(directory: Directory, listing: Dirent[]): Scope | null {
    const { path, absolute, real, realName, inOwnFolder, scope } = directory
    // A folder called SKILL.md stands in the way of the file, and is reported as an unreadable one.
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
    const atRoot = path === ''
    if ('rule' in stat) {
      if (atRoot) this.addSkill(file, NO_STAT, 'folder', realName, atRoot).unseen = whyUnseen(stat)
      else this.skip(file, stat, true, namesOf('folder', file, realName))
      return null
    }
    const skill = this.addSkill(file, stat, 'folder', realName, atRoot)
    if (atRoot && this.options.describesEntry?.(absoluteFile)) return null
    if (name !== 'SKILL.md') skill.findings.push(finding('file-name-case', FILE_START, name))
    return { skill, prefix: atRoot ? '' : `${path}/`, absolute, real }
  }

  private visitFolder(directory: Directory, name: string): void {
    const { path, absolute, real, depth } = directory
    if (name.startsWith('.')) {
      if (depth <= limits.walkDepth && name !== INDEX_DIRECTORY) this.visitDotDirectory(directory)
      return
    }
    if (name === 'node_modules') return
    if (depth > limits.walkDepth) {
      this.skip(path, finding('walk-limit', FILE_START, `${limits.walkDepth} folders deep`))
      return
    }
    if (isSingleFile(name) && skillFileOf(peekDirectory(absolute)) === undefined)
      this.skip(path, notRegular(), true, namesOf(kindOf(name), path))
    if (this.visited.has(real)) return
    this.visited.add(real)
    this.visit(directory)
  }

  private visitDotDirectory(directory: Directory): void {
    const folder = below(directory.path, 'skills')
    const files = skillsInDotDirectory(
      directory,
      real => this.visited.has(real),
      () => this.mayLook(),
    )
    for (const file of files) this.skip(file, finding('skill-in-dot-directory', FILE_START, folder), true)
  }

  private visitLink(link: Item, depth: number, name: string): void {
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
      const isSkill = isFolder && skillFileOf(peekDirectory(target.real)) !== undefined
      const folderName = isSkill ? basename(target.real) : undefined
      this.skipLink(link, name, finding('link-escapes', FILE_START), folderName)
      return
    }
    const isOutside = !scope && isFolder && !isWithin(target.real, this.realRoot)
    if (isOutside && skillFileOf(peekDirectory(target.real)) === undefined) {
      if (!name.startsWith('.')) this.skipLink(link, name, finding('link-not-followed', FILE_START))
      return
    }
    const linked = { ...link, real: target.real, realName: basename(target.real) }
    if (isFolder) this.visitFolder({ ...linked, depth: depth + 1 }, name)
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
      this.visitSingleFile(file, name, isRegular)
      return
    }
    if (!isRegular) return
    if (scope) {
      this.visitResource(file, name, scope)
      return
    }
    const meant = nameMeant(name, absolute)
    if (meant !== null) this.skip(path, finding('file-name-near', FILE_START, name, meant), true)
  }

  private visitSingleFile({ path, absolute, real }: Item, name: string, isRegular: boolean): void {
    if (this.visited.has(real)) return
    this.visited.add(real)
    const stat = isRegular ? statFile(absolute) : notRegular()
    if ('rule' in stat) this.skip(path, stat, true, namesOf(kindOf(name), path))
    else this.addSkill(path, stat, kindOf(name), basename(dirname(real)), false)
  }

  private visitResource({ path, absolute, realName }: Item, name: string, scope: Scope): void {
    const inSkill = path.slice(scope.prefix.length)
    if (looksSecret(name) || looksSecret(realName)) {
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
    atRoot: boolean,
  ): WalkedSkill {
    const { root } = this
    const skill = { path, root, kind, folderName, atRoot, resources: [], findings: [], ...stat }
    if (isInside(path)) this.skills.push(skill)
    else this.skip(path, finding('path-unportable', FILE_START), true)
    return skill
  }

  /**
   * Notes that a file or folder gives no skill.
   *
   * @param counts true where it counts as a file met
   * @param names the names that it seems to give
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
