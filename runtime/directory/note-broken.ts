import { disk } from '#disk'
import { isBroken } from '../../src/index/index-format.js'
import type { Globals } from '../state/context.js'
import type { Found } from '../state/directory-state.js'
import { addDiagnostic } from '../state/globals.js'

/** Keeps the fault of a file that should have given a tool. */
export function noteBroken({ state, record }: Found, globals: Globals): void {
  if (isBroken(record))
    addDiagnostic(globals, { ...record.broken, file: disk.resolve(state.dir, record.broken.file) })
}
