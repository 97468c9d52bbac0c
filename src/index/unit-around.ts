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

/** The folder of an entry that what is written in a file of it does not leave: that of the file's unit. */
export function boundAt(
  file: string,
  { units = [] }: { units?: readonly { path: string }[] | undefined },
): string {
  return unitAround(units, file)?.path ?? ''
}
