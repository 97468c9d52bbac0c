import { disk } from '#disk'
import { cascadeKeyText } from '../../src/index/index-format.js'
import { currentIndex, directoryStates } from '../directory/look-up.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import { isOwn } from '../state/directory-state.js'

/**
 * The `cascadeKey` that a directory's index must have for its cascades to hold; null where a directory has no
 * index.
 */
export function cascadeKey(state: DirectoryState, globals: Globals): string | null {
  const states = directoryStates(globals)
  const library = states.find(one => one.library)
  const inputOf = (one: DirectoryState) => currentIndex(one, globals)?.header.cascadeInput ?? null
  const shipped = library ? inputOf(library) : null
  const inputs = state.library ? [] : (state.external ? [state] : states.filter(isOwn)).map(inputOf)
  if (inputs.includes(null)) return null
  const text = cascadeKeyText(inputs as string[], shipped)
  if (globals.cascadeKey?.text !== text) globals.cascadeKey = { text, digest: disk.digestText(text) }
  return globals.cascadeKey.digest
}
