import { join } from 'node:path'
import { addToGroup } from '../../src/base/add-to-group.js'
import { inCodePointOrder } from '../../src/base/code-point-order.js'
import { AgentAppsError } from '../../src/base/error.js'
import type { JsonObject } from '../../src/base/json.js'
import { directiveForms } from '../../src/content/directive.js'
import { expectCascade } from '../../src/index/cascade-record.js'
import type { ContentRecord } from '../../src/index/content-record.js'
import {
  type CascadeRecord,
  type FileDigest,
  INDEX_FILE,
  isBroken,
  type ToolDetails,
  type ToolRecord,
} from '../../src/index/index-format.js'
import { IndexRefused, type OpenIndex, openIndex, otherEntry, readParts } from '../../src/index/read-index.js'
import type { WholeSearch } from '../../src/search/search-file.js'
import type { SearchDirectory } from '../../src/skill/path-entry.js'
import { indexFiles, readSearch } from '../index/index-files.js'

/** The part of an index that a release is made of. */
export interface ReleaseSource {
  index: OpenIndex
  /** In order of name. */
  tools: Map<string, IndexedTool>
  /** The published tools that a bare name stands for, by that name. */
  names: Map<string, string[]>
  leftOut: LeftOut[]
  /** The directory's search file; null without one. */
  search: WholeSearch | null
}

export interface IndexedTool {
  record: ToolRecord
  details: ToolDetails
  cascade: CascadeRecord | undefined
  content: ContentRecord | undefined
  /** Its file; null if the index does not have it. */
  file: FileDigest | null
}

/** A tool that is not published. */
export interface LeftOut {
  tool: string
  /** The end of a sentence. */
  reason: string
}

/**
 * Reads all of an index that is published, whole and compared with its digests.
 *
 * @throws PUBLISH_REFUSED where there is no index that can be used
 */
export function readReleaseSource(directory: SearchDirectory): ReleaseSource {
  try {
    const index = openIndex(indexFiles, directory.dir, true)
    if (index === null) throw new IndexRefused('there is none')
    const other = otherEntry(index.header, directory)
    if (other !== null) throw new IndexRefused(`it ${other}`)
    if (index.header.cut) throw new IndexRefused('the search for skills stopped at a limit')
    return sourceOf(directory.dir, index)
  } catch (error) {
    if (!(error instanceof IndexRefused)) throw error
    throw new AgentAppsError(
      'PUBLISH_REFUSED',
      `The index of ${directory.dir} cannot be published: ${error.message}.`,
      { hint: 'Run `agent-apps compile` first.', file: join(directory.dir, INDEX_FILE), cause: error },
    )
  }
}

function sourceOf(dir: string, index: OpenIndex): ReleaseSource {
  const found = new Map<string, Omit<IndexedTool, 'file'>>()
  const files = new Map<string, FileDigest>()
  const bare = new Map<string, string[]>()
  const leftOut: LeftOut[] = []
  for (const part of readParts(indexFiles, dir, index)) {
    for (const [path, file] of part.files.all()) files.set(path, file)
    const details = part.details.all()
    const contents = part.contents.all()
    const cascades = part.cascades.all()
    for (const [name, record] of part.tools.all()) {
      if ('names' in record) {
        for (const one of record.names) addToGroup(bare, name, one)
        continue
      }
      const reason = isBroken(record) ? 'is broken' : whyGoverning(record)
      if (isBroken(record) || reason !== null) {
        leftOut.push({ tool: name, reason: reason ?? '' })
        continue
      }
      const cascade = cascades.get(name)
      if (cascade) expectCascade(name, cascade)
      found.set(name, { record, details: details.get(name) ?? EMPTY, cascade, content: contents.get(name) })
    }
  }
  const tools = new Map<string, IndexedTool>()
  for (const name of inCodePointOrder(found.keys())) {
    const tool = found.get(name) as Omit<IndexedTool, 'file'>
    tools.set(name, { ...tool, file: files.get(tool.record.file) ?? null })
  }
  const names = new Map<string, string[]>()
  for (const [name, all] of bare) {
    const there = all.filter(one => tools.has(one))
    if (there.length > 0) names.set(name, there)
  }
  const search = index.header.search === undefined ? null : readSearch(dir, index.header)
  return { index, tools, names, leftOut, search }
}

const EMPTY: ToolDetails = { verbatim: {}, resources: [] }

/** Why a tool is nothing to read, since it governs others, as the end of a sentence; null otherwise. */
function whyGoverning({ frontmatter: { role, tags } }: ToolRecord): string | null {
  if (role === 'main') return 'is a main skill'
  if (role === 'middleware') return 'is a middleware'
  return directiveForms(tags).length > 0 ? 'is a directive' : null
}

/** The metadata of a tool with what it inherits, as the index has it. */
export function effectiveMetadata({ record, cascade }: IndexedTool): JsonObject {
  const effective = { ...record.frontmatter.metadata, ...cascade?.metadata }
  return Object.fromEntries(Object.entries(effective).filter(([, value]) => value !== null))
}
