import { parseReference } from '../../src/skill/reference.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { Resolution } from '../state/tool-def.js'
import { makeInlineTool } from './inline-tools.js'
import { loadPath } from './read-path.js'

/** Resolves a name in the directories that it is searched in. */
export type ResolveName = (
  name: string,
  isSearched: (state: DirectoryState) => boolean,
  globals: Globals,
) => Promise<Resolution>

/** Resolves a reference that is not a name: `layer://`, a path, `file://` or `inline://`. */
export async function resolveReference(
  text: string,
  globals: Globals,
  resolveName: ResolveName,
): Promise<Resolution> {
  const reference = parseReference(text)
  switch (reference.kind) {
    case 'layer':
      return resolveName(reference.name, ({ layer }) => layer === reference.layer, globals)
    case 'path':
    case 'file-url':
      return loadPath(reference, globals)
    case 'uri':
      return /^inline:\/\/[a-z0-9]+,/.test(text) ? makeInlineTool(text, globals) : null
    default:
      return null
  }
}
