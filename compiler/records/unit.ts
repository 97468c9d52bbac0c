import type { UnitRecord } from '../../src/index/index-format.js'

/**
 * A folder of an entry that is self-contained: a plugin, a conventional directory, or a plain entry as a
 * whole. Includes, links, delegates and code imports do not leave it, and its main skills count inside it.
 */
export interface Unit {
  /** Relative to the entry, `/`-separated; empty for the entry itself. */
  path: string
  /** The namespace of its skills, if any. */
  namespace?: string
  /** The places below it where skills are looked for, in search order. */
  places: UnitFolder[]
  /** Its manifest, relative to the entry. */
  manifest?: string
}

/** A place of a unit where skills are looked for. */
export interface UnitFolder {
  /** Relative to the entry, `/`-separated. */
  path: string
  /**
   * `tree`: every skill in and below the folder, whose own SKILL.md describes them all. `folder`: the folder
   * itself as a skill, with the skills in it; the entry's own folder without.
   */
  kind: 'tree' | 'folder'
}

/** The one unit of a plain entry without plugins. */
export const WHOLE: Unit = { path: '', places: [{ path: '', kind: 'tree' }] }

/** The units of a directory as its index has them; nothing where it is one unit as a whole. */
export function unitRecords({ units }: { units: readonly Unit[] }): { units?: UnitRecord[] } {
  const isWhole = units.length === 1 && units[0]?.path === '' && units[0].namespace === undefined
  if (isWhole || units.length === 0) return {}
  return {
    units: units.map(({ path, namespace, manifest }) => ({
      path,
      ...(namespace !== undefined && { namespace }),
      ...(manifest !== undefined && { manifest }),
    })),
  }
}
