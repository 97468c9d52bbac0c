import { sep } from 'node:path'
import { orNull } from '../../src/base/attempt.js'
import type { ToolKind } from '../../src/skill/frontmatter.js'
import { isToolName } from '../../src/skill/names.js'
import type { Finding } from '../diagnostics/diagnostics.js'
import { digestFile, type FileStat } from '../files/regular-file.js'
import type { Unit } from './unit.js'

export interface WalkedFile extends FileStat {
  /** Relative to `root`, `/`-separated. */
  path: string
  /** The directory that it was found below, absolute: the entry's; of a resource, its skill's folder. */
  root: string
}

export function fileOf({ root, path }: WalkedFile): string {
  return inside(root, path)
}

export interface WalkedSkill extends WalkedFile {
  kind: ToolKind
  /** The name of the real folder it lies in. */
  folderName: string
  /** True for a SKILL.md at the top of the path entry, or of a folder of skills. */
  atRoot: boolean
  /** The folder skill's other files. */
  resources: WalkedFile[]
  findings: Finding[]
  unit: Unit
  /** The reason why a SKILL.md at the root cannot be read. Other unreadable files are not skills. */
  unseen?: string
}

/** A file or folder that is not a skill, with the reason. */
export interface Skipped {
  path: string
  finding: Finding
  /** True for a file that would be a skill in another place, and so counts as found. */
  counts: boolean
  /** The names that it seems to define. They are reserved, so that no other tool runs in its place without its guards. */
  names?: string[]
}

export interface Walk {
  skills: WalkedSkill[]
  skipped: Skipped[]
  /** The digest of the names at the top of the directory, or of its units. */
  listing: string
  /** The units of the entry, in search order. */
  units: Unit[]
  /** True if the system refuses to list the directory itself. */
  isRefused?: true
}

/** The tool name that a file's path implies. */
export function fallbackName({
  path,
  kind,
  folderName,
}: Pick<SkillSource, 'path' | 'folderName'> & { kind: ToolKind }): string | null {
  const name = kind === 'folder' ? folderName : (path.split('/').at(-1) ?? '').replace(/\.skill\.[a-z]+$/, '')
  return isToolName(name) ? name : null
}

/** The facts about a skill file that are known before it is read. */
export interface SkillSource {
  /** Relative to the entry, as written in records. */
  path: string
  kind: 'folder' | 'file'
  /** The name of its real folder. */
  folderName: string
  /** True at the root of a path entry, where the folder's name has no meaning. */
  atRoot: boolean
}

/** A much faster `join` for paths that are already normalized. */
export function inside(directory: string, path: string): string {
  return directory.endsWith(sep) ? directory + path : directory + sep + path
}

/** A skill file, and the digest of its bytes as read. */
export interface ReadSkillFile {
  skill: WalkedSkill | undefined
  sha256: string
}

/**
 * True for two copies of one skill: with the same bytes in all files. Resources are digested only if
 * everything else is the same.
 */
export function areCopies(first: ReadSkillFile, second: ReadSkillFile): boolean {
  if (first.sha256 === '' || first.sha256 !== second.sha256 || !first.skill || !second.skill) return false
  const others = new Map(second.skill.resources.map(file => [file.path, file]))
  return (
    first.skill.resources.length === others.size &&
    first.skill.resources.every(file => {
      const other = others.get(file.path)
      if (other === undefined || file.size !== other.size) return false
      // Reading the skill reports unreadable files.
      const digest = orNull(() => digestFile(fileOf(file)))
      return digest !== null && digest === orNull(() => digestFile(fileOf(other)))
    })
  )
}
