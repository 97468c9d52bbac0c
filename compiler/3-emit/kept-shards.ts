import type { KeptShards } from '../../src/index/encode-index.js'
import {
  type FileDigest,
  type IndexHeader,
  type Section,
  shardCount,
  shardKey,
  shardOf,
} from '../../src/index/index-format.js'
import { type CompileCache, isKnown } from '../records/compile-cache.js'
import type { LinkedDirectory } from '../records/linked-directory.js'
import type { SkillUnit } from '../records/skill-unit.js'

/** The parts of an index whose names and cascades are those of the last one. */
export interface SameNames {
  linked: LinkedDirectory
  /** Keyed by name; null if the last compile's record holds. */
  contents: ReadonlyMap<string, object | null>
  otherFiles: ReadonlyMap<string, FileDigest>
}

/**
 * The shards of the last compile's index in which no record can be another one, so that they need not be read. Null where all of them must
 * be: there are none, or others, or skill files came or went.
 */
export function keptShards(
  { shards }: IndexHeader,
  cache: CompileCache,
  { linked, contents, otherFiles }: SameNames,
): KeptShards | null {
  const { units, names, namesakes, findings } = linked
  const records = names.size + namesakes.size + units.length + otherFiles.size
  if (!shards || shardCount(records) !== shards.length || !areSameFiles(units, cache)) return null
  const changed = new Set<number>()
  const note = (section: Section, key: string): void => {
    changed.add(shardOf(shardKey(section, key), shards.length))
  }
  for (const unit of units) {
    if (isKnown(unit, cache)) continue
    note('files', unit.path)
    for (const { name } of [...unit.tools, ...unit.broken]) note('tools', name)
  }
  for (const path of changedKeys(cache.found, findings)) note('files', path)
  for (const [name, record] of contents) if (record) note('contents', name)
  for (const path of changedKeys(cache.otherFiles, otherFiles)) note('files', path)
  return shards.map((digest, number) => (changed.has(number) ? null : digest))
}

function areSameFiles(units: readonly SkillUnit[], cache: CompileCache): boolean {
  return units.length === cache.units.size && units.every(({ path }) => cache.units.has(path))
}

/** The keys whose values differ, or that one of both has alone. */
function changedKeys(before: ReadonlyMap<string, object>, after: ReadonlyMap<string, object>): string[] {
  const isSame = (key: string): boolean => JSON.stringify(before.get(key)) === JSON.stringify(after.get(key))
  return [...before.keys(), ...after.keys()].filter(key => !isSame(key))
}
