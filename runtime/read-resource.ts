import { lazy } from './host/later.js'
import type { Globals } from './state/context.js'
import { defaultGlobals } from './state/globals.js'

export const details = lazy(() => import('./find/read-details.js'))

/**
 * The bytes of one of a folder skill's files, by its path inside the skill's folder.
 *
 * @throws TOOL_NOT_FOUND, TOOL_BROKEN; RESOURCE_NOT_FOUND for what is not listed among the skill's resources,
 *   is gone, or leads out of the skill's folder; RESOURCE_UNREADABLE for what the system refuses to read
 */
export async function readResource(
  ref: string,
  path: string,
  globals: Globals = defaultGlobals(),
): Promise<Uint8Array> {
  return (await details()).resourceBytes(ref, path, globals)
}
