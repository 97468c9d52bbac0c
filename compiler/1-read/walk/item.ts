import type { Unit, UnitFolder } from '../../records/unit.js'
import type { WalkedSkill } from '../../records/walked.js'

/** A file, folder or link that the walk comes to. */
export interface Item {
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
  area: Area
  /** How many folders it is below the walked directory, if it is a folder itself. */
  depth: number
}

/** A folder skill whose folder is being walked. */
export interface Scope {
  skill: WalkedSkill
  /** The folder's path as walked, with a slash at the end; empty for the entry's root. */
  prefix: string
  absolute: string
  real: string
}

/** The place of a unit that the walk is in. */
export interface Area {
  unit: Unit
  place: UnitFolder
  /** The real path that links lead out of. */
  real: string
}

/** True for a folder of skills, which a SKILL.md in it describes as a whole, and for the entry itself. */
export function isTop({ path, area: { place } }: Item): boolean {
  return path === '' || (place.kind === 'tree' && path === place.path)
}

/** True if a whole repository is one skill, and contains files that are not part of it. */
export function isAlone({ place }: Area): boolean {
  return place.kind === 'folder' && place.path === ''
}
