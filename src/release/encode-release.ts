import { byCodePoint } from '../base/code-point-order.js'
import type { ToolRecord } from '../index/index-format.js'
import { encodeList } from '../index/list-columns.js'
import { encodeSearch, type KeptSearch } from '../search/search-file.js'
import type { SortedIndex } from '../search/term-store.js'
import {
  headerPath,
  PART_DIGITS,
  partPath,
  RELEASE_FORMAT,
  RELEASE_LIMITS,
  type ReleaseHeader,
  type ReleaseNames,
  type ReleaseRecord,
  releaseShardOf,
  releaseShards,
} from './release-format.js'

/** The parts of a release in the order in which they are written, and its pin. */
export interface EncodedRelease {
  parts: ReleasePart[]
  header: ReleasePart
  /** `sha256-` and the digest of the header. */
  pin: string
}

/** A file of a release, and the most bytes that a reader takes of it. */
export interface ReleasePart {
  path: string
  bytes: Uint8Array
  most: number
}

/** The words of the tools of a release: terms that were made anew, and those of the index's search file. */
export interface ReleaseTerms {
  /** In the order of names. */
  terms: SortedIndex
  kept: KeptSearch | null
}

/**
 * Writes a release; the counterpart of the functions in `read-release.ts`.
 *
 * @param tools in ascending order of name
 * @param names what bare names stand for that no tool has
 */
export function encodeRelease(
  tools: ReadonlyMap<string, ReleaseRecord>,
  names: ReadonlyMap<string, ReleaseNames>,
  { terms, kept }: ReleaseTerms,
  namespace: string | undefined,
  digestOf: (bytes: Uint8Array) => string,
): EncodedRelease {
  const parts = new Map<string, ReleasePart>()
  const addPart = (text: string, most: number): string => {
    const bytes = new TextEncoder().encode(text)
    const digest = digestOf(bytes).slice(0, PART_DIGITS)
    const path = partPath(digest)
    parts.set(path, { path, bytes, most })
    return digest
  }
  const shards = shardTexts(tools, names).map(text => addPart(text, RELEASE_LIMITS.shard))
  // Lists do not show more tools.
  const isListed = tools.size <= RELEASE_LIMITS.listed
  const list = addPart(
    encodeList(isListed ? listed(tools) : [], () => []),
    RELEASE_LIMITS.list,
  )
  const rows = [...tools.keys()].map(name => ({ name, isBroken: false }))
  const search = encodeSearch(rows, terms, kept, digestOf)
  const searchPath = partPath(search.digest)
  // It is read in parts.
  parts.set(searchPath, { path: searchPath, bytes: search.bytes, most: search.bytes.length })
  const header: ReleaseHeader = {
    format: RELEASE_FORMAT,
    ...(namespace !== undefined && { namespace }),
    skills: tools.size,
    list,
    search: { digest: search.digest, size: search.bytes.length },
    shards,
  }
  const bytes = new TextEncoder().encode(`${JSON.stringify(header)}\n`)
  const digest = digestOf(bytes)
  return {
    parts: [...parts.values()],
    header: { path: headerPath(digest), bytes, most: RELEASE_LIMITS.header },
    pin: `sha256-${digest}`,
  }
}

/** The text of each shard, with its names in order. */
function shardTexts(
  tools: ReadonlyMap<string, ReleaseRecord>,
  names: ReadonlyMap<string, ReleaseNames>,
): string[] {
  const shards = Array.from({ length: releaseShards(tools.size) }, (): string[] => [])
  for (const [name, record] of [...tools, ...names].sort(([a], [b]) => byCodePoint(a, b)))
    shards[releaseShardOf(name, shards.length)]?.push(`${JSON.stringify(name)}:${JSON.stringify(record)}`)
  return shards.map(lines => `{\n${lines.join(',\n')}\n}\n`)
}

/** The tools as records of an index, which a list is made of. */
function* listed(tools: ReadonlyMap<string, ReleaseRecord>): Generator<[string, ToolRecord]> {
  for (const [name, { kind, file, fragment, frontmatter, size, content }] of tools)
    yield [
      name,
      {
        kind,
        file,
        frontmatter,
        size,
        ...(fragment !== undefined && { fragment }),
        ...(content && { content }),
      },
    ]
}
