/**
 * A release: a directory of skills as files that any static server can give. `agent-apps publish` writes it, and a
 * runtime with a remote path entry reads it. Each file is named by its digest, but `latest.json`:
 *
 *     h/<sha256>.json   the header; its digest is the pin of the release
 *     s/<32 hex>        shards and the list, in JSON, and the search file
 *     f/<sha256>        skill files, resources, and texts with their includes put in
 *     latest.json       names the last header, for people and CI; a runtime never reads it
 */

import type { JsonObject } from '../base/json.js'
import type { FileDigest, HostPlaceholder, ResourceRecord } from '../index/index-format.js'
import { shardOf } from '../index/index-format.js'
import type { ToolFrontmatter, ToolKind } from '../skill/frontmatter.js'
import { labelOf } from '../skill/names.js'
import type { ToolReference } from '../skill/reference.js'

/** The version of the format, which a reader compares before it believes anything else. */
export const RELEASE_FORMAT = 1

export const LATEST_FILE = 'latest.json'

export interface ReleaseHeader {
  format: typeof RELEASE_FORMAT
  /** The namespace of the directory, or `folder`, where it is configured. */
  namespace?: string
  /** The number of tools. */
  skills: number
  /** The digests of the shards; their number is a power of two. */
  shards: string[]
  /** The digest of the list, whose columns are those of an index's list. */
  list: string
  search: { digest: string; size: number }
}

/** A tool of a release. */
export interface ReleaseRecord {
  kind: ToolKind
  /** Its file in the directory that was published, which no reader opens. */
  file: string
  /** Set where the file holds several tools: the name that picks this one. */
  fragment?: string
  frontmatter: ToolFrontmatter
  /** The author's frontmatter. */
  verbatim: JsonObject
  /** Bytes in its file. */
  size: number
  /** SHA-256 of its file. Empty for code, which is not published. */
  sha256: string
  /** The range of its text in the file. Absent for code. */
  content?: [start: number, end: number]
  /** Its text with what it includes, as a file of its own. Absent if it includes nothing. */
  text?: FileDigest
  /** Why it is not only a text, as the end of a sentence. A call of it is refused. */
  code?: string
  /** The other files of a folder skill. */
  resources: ResourceRecord[]
  references?: ToolReference[]
  placeholders?: HostPlaceholder[]
}

/** Under a bare name that no tool has: the qualified names that it stands for, in search order. */
export interface ReleaseNames {
  names: string[]
}

export type ReleaseShard = Record<string, ReleaseRecord | ReleaseNames>

/** The most bytes of each kind of file, after decompression. */
export const RELEASE_LIMITS = {
  header: 8 * 1024 * 1024,
  shard: 4 * 1024 * 1024,
  list: 16 * 1024 * 1024,
  file: 64 * 1024 * 1024,
  /** The most bytes of a search file that are read at once: a block, or all of it where a server gives no ranges. */
  search: 8 * 1024 * 1024,
  /** The most tools of a release, of each of which a search holds some bytes. */
  tools: 2 ** 21,
  /** The most tools of a release that lists and catalogs show. */
  listed: 10_000,
} as const

/** Tools for each shard, about: few, since a search reads one for each hit. */
const SHARD_TOOLS = 64

export function releaseShards(tools: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(tools / SHARD_TOOLS)))
}

/** The number of the shard that has a name: that of its bare name, so that a bare name and what it stands for are in one. */
export function releaseShardOf(name: string, shards: number): number {
  return shardOf(labelOf(name), shards)
}

export function headerPath(digest: string): string {
  return `h/${digest}.json`
}

/** The path of a shard, a list or a search file. */
export function partPath(digest: string): string {
  return `s/${digest}`
}

export function filePath(digest: string): string {
  return `f/${digest}`
}

/** The number of digits of a digest that name a part. */
export const PART_DIGITS = 32
