import { editDistance } from '../../../src/base/nearest.js'
import { CORE_METADATA_KEYS } from '../../../src/skill/metadata-keys.js'
import { memoize } from '../../files/memoize.js'
import type { ProjectTools } from './cascade-tools.js'
import type { Slip } from './slip.js'

/** Shorter keys are near to too many names. */
const KEY_LENGTH_MIN = 5

/**
 * Finds keys that are one edit from the name of a middleware, the project's or the library's, and name no
 * tool themselves.
 */
export function nearMiddleware({ directories, shipped, firstNamed }: ProjectTools): Slip[] {
  const known = [...directories.flat(), ...shipped.values()].flatMap(({ name, role }) =>
    role === 'middleware' ? [name] : [],
  )
  const nearName = memoize(key => known.find(name => editDistance(key, name, 1) === 1) ?? null)
  return directories.flat().flatMap(({ id, metadata }) =>
    Object.keys(metadata).flatMap(key => {
      if (key.length < KEY_LENGTH_MIN || key.startsWith('$') || CORE_METADATA_KEYS.includes(key)) return []
      const near = nearName(key)
      if (near === null || firstNamed(key) || shipped.has(key)) return []
      return [{ code: 'metadata-near-key' as const, tool: id, path: [key], found: [key, near] }]
    }),
  )
}
