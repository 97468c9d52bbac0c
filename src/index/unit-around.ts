/** The unit that a file of an entry is in: the deepest of those around it. */
export function unitAround<One extends { path: string }>(
  units: readonly One[],
  file: string,
): One | undefined {
  let deepest: One | undefined
  for (const unit of units)
    if (isBelow(file, unit.path) && !(deepest && deepest.path.length >= unit.path.length)) deepest = unit
  return deepest
}

/** True for a path of an entry that is a folder of it or lies in it. */
export function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** The folder that references in a file may not leave: its unit's. */
export function boundAt(
  file: string,
  { units = [] }: { units?: readonly { path: string }[] | undefined },
): string {
  return unitAround(units, file)?.path ?? ''
}

/** The namespaces of an entry: a configured one, or its units'. */
interface Namespaces {
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
