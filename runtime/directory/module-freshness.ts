import type { ModuleRecord } from '../../src/index/index-format.js'
import type { Globals } from '../state/context.js'
import type { ToolSource } from '../state/tool-source.js'
import { isStillFresh } from './file-freshness.js'

/** True where a compiled module may be used: under `check`, where all that is bundled in it is as it was. */
export function isModuleFresh(
  { inputs, outside }: ModuleRecord,
  { state, names }: ToolSource,
  { config }: Globals,
): boolean {
  // The library's index was made with its code, and of more than is shipped beside it.
  if (config.freshness === 'trust' || state.library) return true
  // Of files outside of the directory, an index does not know what they were.
  return !outside && inputs.every(input => isStillFresh(state, names, input))
}
