import { join } from 'node:path'
import { beginsWith } from '../../files/known-file.js'
import { readRegularFile, unlessGone } from '../../files/regular-file.js'
import { MARK } from '../parts/bundle-parts.js'
import type { BundlePlace } from '../parts/bundle-place.js'
import { readList } from './bundle-list.js'

/** True where the source map at a place is the bundle's own: its list has it, or, where that was lost, its entry names it. */
export function isMapOwn({ folder, name, chunks }: BundlePlace): boolean {
  const { entry, map } = readList(join(folder, chunks))
  if (entry === name && map) return true
  const file = join(folder, name)
  if (!beginsWith(file, MARK)) return false
  const text = unlessGone(() => readRegularFile(file).toString()) ?? ''
  return text.trimEnd().endsWith(`\n//# sourceMappingURL=${name}.map`)
}
