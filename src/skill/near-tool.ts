import { byCodePoint } from '../base/code-point-order.js'
import { nearest } from '../base/nearest.js'
import { labelOf } from './names.js'
import { parseReference } from './reference.js'

/** Returns the name that a reference most likely means; the order of the names does not matter. */
export function nearTool(ref: string, names: Iterable<string>): string | null {
  const reference = parseReference(ref)
  return reference.kind === 'name' ? nearest(reference.name, withLabels(names)) : null
}

/** Names in code-point order, with the bare names of qualified ones. */
export function withLabels(names: Iterable<string>): string[] {
  const all = [...names].sort(byCodePoint)
  return [...new Set([...all, ...all.map(labelOf)])]
}
