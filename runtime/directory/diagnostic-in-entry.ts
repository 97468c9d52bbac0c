import { disk } from '#disk'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import type { Globals } from '../state/context.js'
import { directoryStates } from './look-up.js'

/**
 * A diagnostic whose file is absolute, with that as it stands in its path entry; null outside of all entries.
 */
export function diagnosticInEntry(diagnostic: Diagnostic, globals: Globals): Diagnostic | null {
  for (const { dir } of directoryStates(globals)) {
    const file = disk.inside(dir, diagnostic.file)
    if (file !== null) return { ...diagnostic, file }
  }
  return null
}
