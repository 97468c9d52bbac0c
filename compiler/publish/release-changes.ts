import { canonicalText } from '../../src/base/canonical-text.js'
import { inCodePointOrder } from '../../src/base/code-point-order.js'
import type { ReleaseRecord, ReleaseShard } from '../../src/release/release-format.js'

/** The names of the tools by which a release differs from the one before. */
export interface ReleaseChanges {
  added: string[]
  changed: string[]
  removed: string[]
}

/** Compares a release with the shards of the one before; with none, all is added. */
export function releaseChanges(
  tools: ReadonlyMap<string, ReleaseRecord>,
  before: readonly ReleaseShard[],
): ReleaseChanges {
  const known = new Map<string, string>()
  for (const shard of before)
    for (const [name, record] of Object.entries(shard))
      if (!('names' in record)) known.set(name, canonicalText(record))
  const names = [...tools.keys()]
  return {
    added: names.filter(name => !known.has(name)),
    changed: names.filter(name => known.has(name) && known.get(name) !== canonicalText(tools.get(name))),
    removed: inCodePointOrder(known.keys()).filter(name => !tools.has(name)),
  }
}
