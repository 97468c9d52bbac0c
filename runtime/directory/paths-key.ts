import type { PathEntry } from '../../src/skill/path-entry.js'
import type { Globals } from '../state/context.js'

/** A text that is the same for the same path entries; the second half of cache keys. */
export function pathsKey(globals: Globals): string {
  const { paths, cwd } = globals.config
  const last = globals.pathsKey
  if (last && last.cwd === cwd && isSame(last.entries, paths)) return last.key
  const key = JSON.stringify([cwd, ...paths])
  globals.pathsKey = { entries: [...paths], cwd, key }
  return key
}

function isSame(a: readonly PathEntry[], b: readonly PathEntry[]): boolean {
  return a.length === b.length && a.every((entry, index) => entry === b[index])
}
