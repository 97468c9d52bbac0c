import { disk } from '#disk'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import { isBroken } from '../../src/index/index-format.js'
import type { Globals } from '../state/context.js'
import type { Found } from '../state/directory-state.js'
import { addDiagnostic } from '../state/globals.js'
import { directoryStates } from './look-up.js'

export function noteBroken({ state, record }: Found, globals: Globals): void {
  if (isBroken(record))
    addDiagnostic(globals, { ...record.broken, file: disk.resolve(state.dir, record.broken.file) })
}

/**
 * Makes the file of a diagnostic relative to its path entry; null outside all entries.
 */
export function diagnosticInEntry(diagnostic: Diagnostic, globals: Globals): Diagnostic | null {
  for (const { dir } of directoryStates(globals)) {
    const file = disk.inside(dir, diagnostic.file)
    if (file !== null) return { ...diagnostic, file }
  }
  return null
}
