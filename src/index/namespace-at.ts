import { unitAround } from './unit-around.js'

/** The source of an entry's namespaces: a configured one, or those of its units. */
export interface Namespaces {
  /** A namespace, or `folder`. */
  namespace?: string | undefined
  units?: readonly { path: string; namespace?: string }[] | undefined
}

/** The namespace of a file or folder of an entry; empty for none. */
export function namespaceAt(path: string, { namespace, units = [] }: Namespaces): string {
  if (namespace !== undefined) return namespace === 'folder' ? firstFolder(path) : namespace
  return unitAround(units, path)?.namespace ?? ''
}

/** The first folder that a skill lies in; empty where it lies at the top. A folder skill is its folder. */
function firstFolder(path: string): string {
  const skill = path.replace(/(?:^|\/)skill\.md$/i, '')
  return skill.slice(0, Math.max(0, skill.indexOf('/')))
}
