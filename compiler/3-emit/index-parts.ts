import type { ContentRecord } from '../../src/index/content-record.js'
import {
  type EncodedPart,
  emptyLines,
  encodeCascade,
  encodeContent,
  encodeDetails,
  encodeFile,
  encodeName,
  encodeNamesakes,
  type KeptShards,
  type VectorPart,
} from '../../src/index/encode-index.js'
import {
  type CascadeRecord,
  type FileDigest,
  type IndexHeader,
  type Section,
  shardCount,
  shardKey,
  shardOf,
  type ToolRecord,
} from '../../src/index/index-format.js'
import { type Embedder, embeddedText, embedTexts } from '../../src/search/embedder.js'
import { encodeSearch, type WholeSearch } from '../../src/search/search-file.js'
import type { TermStore } from '../../src/search/term-store.js'
import { encodeVectors, type ToolVectors, textDigest } from '../../src/search/vector-file.js'
import { brokenDiagnostic } from '../diagnostics/diagnostics.js'
import { indexFiles } from '../index/index-files.js'
import type { KeptLines, LineStore, StoredLine, StoredLines } from '../index/line-store.js'
import { type CompileCache, isKnown } from '../records/compile-cache.js'
import { addTerms } from '../records/encode-tools.js'
import { fileRecord, type LinkedDirectory } from '../records/linked-directory.js'
import { isReadAnew, type SkillUnit, type UnitTool } from '../records/skill-unit.js'

/**
 * The lines of a directory's index, or of those of its shards that `isWanted` picks. Tools that were not read anew keep those of the last compile.
 * The caller makes sure that `previous` has them, in the same store. Without `cascades`, those of the last compile are kept; so are the
 * contents that are null.
 */
export function recordLines(
  linked: LinkedDirectory,
  previous: KeptLines | null,
  cascades: ReadonlyMap<string, CascadeRecord> | null,
  contents: ReadonlyMap<string, ContentRecord | null>,
  otherFiles: ReadonlyMap<string, FileDigest>,
  store: LineStore,
  isWanted: (section: Section, key: string) => boolean = () => true,
): StoredLines {
  const lines: StoredLines = emptyLines()
  for (const [name, { unit, tool, broken }] of linked.names) {
    if (!isWanted('tools', name)) continue
    if (broken) {
      lines.tools.set(
        name,
        encodeName(name, { broken: brokenDiagnostic(unit.path, broken), file: unit.path }),
      )
    } else if (tool?.fresh) {
      lines.tools.set(name, store.add(encodeName(name, tool.fresh.record)))
      lines.details.set(name, store.add(encodeDetails(name, tool.fresh.details)))
    } else {
      lines.tools.set(name, tool?.lines?.record ?? kept(previous?.tools, name))
      lines.details.set(name, tool?.lines?.details ?? kept(previous?.details, name))
    }
  }
  for (const [name, names] of linked.namesakes)
    if (isWanted('tools', name)) lines.tools.set(name, encodeNamesakes(name, names))
  if (cascades) {
    for (const [name, record] of cascades) lines.cascades.set(name, store.add(encodeCascade(name, record)))
  } else if (previous) lines.cascades = previous.cascades
  for (const [name, record] of contents) {
    if (!isWanted('contents', name)) continue
    lines.contents.set(name, record ? store.add(encodeContent(name, record)) : kept(previous?.contents, name))
  }
  for (const unit of linked.units)
    if (isWanted('files', unit.path))
      lines.files.set(unit.path, store.add(encodeFile(unit.path, fileRecord(unit, linked))))
  for (const [path, { sha256, size }] of otherFiles)
    if (isWanted('files', path))
      lines.files.set(path, store.add(encodeFile(path, { diagnostics: [], sha256, size, tools: [] })))
  return lines
}

function kept(lines: KeptLines['tools'] | undefined, name: string): string | StoredLine {
  const line = lines?.get(name)
  if (line === undefined) throw new Error(`The last compile's records of "${name}" are missing.`)
  return line
}

/** The parts of an index whose names and cascades are those of the last one. */
interface SameNames {
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

/** The search file of a directory's index. Tools that were not read anew keep their terms in that of the last compile. */
export function searchPart(
  { names }: LinkedDirectory,
  terms: TermStore,
  previous: WholeSearch | null,
): EncodedPart {
  const sorted = [...names.keys()].sort()
  const rows = sorted.map(name => ({ name, isBroken: names.get(name)?.broken !== undefined }))
  const stored = sorted.map(name => {
    const tool = names.get(name)?.tool
    if (tool?.fresh) return addTerms(tool.fresh, terms)
    return tool?.terms ?? null
  })
  const isKept = (name: string): boolean => {
    const tool = names.get(name)?.tool
    return tool !== undefined && !isReadAnew(tool)
  }
  return encodeSearch(rows, terms.index(stored), previous && { file: previous, isKept }, indexFiles.digestOf)
}

/**
 * The vectors of a directory's tools. Those of texts that have one already are kept.
 *
 * @param embedder null where none may run; then the result is null if a vector is missing
 * @param known the vectors before, of the same model; they must have the tools that were not read anew
 * @throws EMBEDDER_FAILED
 */
export async function vectorsPart(
  { names }: LinkedDirectory,
  store: LineStore,
  embedder: Embedder | null,
  model: string,
  known: ToolVectors | null,
): Promise<VectorPart | null> {
  const byText = new Map([...(known ?? [])].map(([, { text, vector }]) => [text, vector]))
  const digests = new Map<string, string>()
  const texts = new Map<string, string>()
  for (const name of [...names.keys()].sort()) {
    const tool = names.get(name)?.tool
    if (!tool) continue
    const before = isReadAnew(tool) ? undefined : known?.get(name)
    const text = before ? '' : textOf(name, tool, store)
    const digest = before?.text ?? textDigest(text, indexFiles.digestOf)
    digests.set(name, digest)
    if (!byText.has(digest)) texts.set(digest, text)
  }
  if (texts.size > 0 && !embedder) return null
  const [first] = byText.values()
  const made = embedder ? await embedTexts(embedder.embed, [...texts.values()], first?.length ?? null) : []
  for (const [at, digest] of [...texts.keys()].entries()) byText.set(digest, made[at] as Int8Array)
  const vectors = new Map(
    [...digests].map(([name, text]) => [name, { text, vector: byText.get(text) as Int8Array }]),
  )
  return { model, ...encodeVectors(model, vectors, indexFiles.digestOf) }
}

function textOf(name: string, { fresh, lines }: UnitTool, store: LineStore): string {
  if (fresh) return embeddedText(fresh.record.frontmatter)
  if (!lines) throw new Error(`The record of "${name}" is missing.`)
  const line = store.bytes(lines.record).toString()
  const record = JSON.parse(line.slice(JSON.stringify(name).length + 1)) as ToolRecord
  return embeddedText(record.frontmatter)
}
