/** Reads single skill files by the compiler's reader. */

import { disk } from '#disk'
import type { DiskParser } from '../../src/content/disk-parser.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import { isFileFresh } from './file-freshness.js'

/**
 * Loads the compiler's reader, once. Null if it is not installed, and under `verify`, since no digest covers what it
 * reads.
 */
export function loadParser(globals: Globals): Promise<DiskParser | null> {
  if (globals.config.verify) return Promise.resolve(null)
  globals.parser ??= disk.loadParser().then(
    parser => {
      globals.stats.parser = parser ? 'loaded' : 'absent'
      return parser
    },
    error => {
      // The next call tries again.
      delete globals.parser
      throw error
    },
  )
  return globals.parser
}

/**
 * Reads one file alone, without regard to names in other files; null without a reader. The result is kept until the
 * file changes.
 */
export async function readAlone(
  state: DirectoryState,
  file: string,
  globals: Globals,
): Promise<DirectoryNames | null> {
  const known = state.alone.get(file)
  if (known && isFileFresh(state, known, file)) return known
  const parser = await loadParser(globals)
  const names = parser && (await parser.readFile(state, file))
  if (names) state.alone.set(file, names)
  return names
}
