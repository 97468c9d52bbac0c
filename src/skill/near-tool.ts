import { byCodePoint } from '../base/code-point-order.js'
import { nearest } from '../base/nearest.js'
import { parseReference } from './reference.js'

/** Of tools' names, in whatever order, the one that a reference by name most likely meant. */
export function nearTool(ref: string, names: Iterable<string>): string | null {
  const reference = parseReference(ref)
  return reference.kind === 'name' ? nearest(reference.name, [...names].sort(byCodePoint)) : null
}
