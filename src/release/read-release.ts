import { isJsonObject, isStringArray, type JsonObject } from '../base/json.js'
import { isPlaceholders } from '../content/host-placeholders.js'
import { isInside } from '../index/inside-path.js'
import { isShardDigest } from '../index/read-index.js'
import {
  arrayOf,
  type Check,
  hasFields,
  isFrontmatter,
  isRange,
  isSkillFile,
  isString,
  optional,
} from '../index/record-fault.js'
import { isName, isQualifiedName, labelOf } from '../skill/names.js'
import { isReferences } from '../skill/reference.js'
import { pinnedDigest } from './pin.js'
import {
  RELEASE_FORMAT,
  RELEASE_LIMITS,
  type ReleaseHeader,
  type ReleaseNames,
  type ReleaseRecord,
  type ReleaseShard,
} from './release-format.js'

/** The header in a text. `otherFormat` is set for one that another version of the format has; null for no header. */
export function releaseHeaderIn(text: string): ReleaseHeader | { otherFormat: string } | null {
  const value = jsonIn(text)
  if (!isJsonObject(value)) return null
  if (value.format !== RELEASE_FORMAT) return { otherFormat: JSON.stringify(value.format) ?? 'none' }
  return isHeader(value) ? (value as unknown as ReleaseHeader) : null
}

/** The digest of the header that the text of `latest.json` names, or null. */
export function latestDigestIn(text: string): string | null {
  const value = jsonIn(text)
  return isJsonObject(value) ? pinnedDigest(value.header) : null
}

/** The shard in a text; null for anything else. Its records are looked at by `releaseRecordIn`. */
export function releaseShardIn(text: string): ReleaseShard | null {
  const value = jsonIn(text)
  return isJsonObject(value) ? (value as unknown as ReleaseShard) : null
}

/**
 * The tool that a name leads to in a shard: its own, or the first that a bare name stands for.
 *
 * @returns null if there is none; undefined for a record that no `publish` wrote
 */
export function releaseRecordIn(
  shard: ReleaseShard,
  name: string,
): { name: string; record: ReleaseRecord } | null | undefined {
  const found = ownRecord(shard, name)
  if (found === null) return null
  if (!isNames(name, found)) return isRecord(name, found) ? { name, record: found } : undefined
  const [first = ''] = found.names
  const meant = ownRecord(shard, first)
  return meant !== null && isRecord(first, meant) ? { name: first, record: meant } : undefined
}

function ownRecord(shard: ReleaseShard, name: string): unknown {
  return Object.hasOwn(shard, name) ? shard[name] : null
}

function isNames(name: string, value: unknown): value is ReleaseNames {
  return (
    isJsonObject(value) &&
    isStringArray(value.names) &&
    value.names.length > 0 &&
    value.names.every(one => isQualifiedName(one) && labelOf(one) === name)
  )
}

const SHA256 = /^[0-9a-f]{64}$/
const isDigest: Check = value => isString(value) && SHA256.test(value)
const isSize: Check = value => Number.isInteger(value) && (value as number) >= 0
const isPublishedSize: Check = value => isSize(value) && (value as number) <= RELEASE_LIMITS.file

const isHeader = hasFields({
  namespace: optional(isString),
  skills: value => isSize(value) && (value as number) <= RELEASE_LIMITS.tools,
  shards: value =>
    Array.isArray(value) &&
    value.length > 0 &&
    Number.isInteger(Math.log2(value.length)) &&
    value.every(isShardDigest),
  list: isShardDigest,
  search: hasFields({ digest: isShardDigest, size: isSize }),
})

const hasRecordFields = hasFields({
  fragment: optional(isString),
  frontmatter: isFrontmatter,
  verbatim: isJsonObject,
  size: isPublishedSize,
  text: optional(hasFields({ size: isPublishedSize, sha256: isDigest })),
  code: optional(isString),
  resources: arrayOf(hasFields({ path: isInside, size: isPublishedSize, sha256: isDigest })),
  references: optional(isReferences),
  placeholders: optional(isPlaceholders),
})

function isRecord(name: string, value: unknown): value is ReleaseRecord {
  if (!isName(name) || !isJsonObject(value) || !hasRecordFields(value)) return false
  const { kind, file, frontmatter, content, size, sha256 } = value
  if (!isInside(file) || !isSkillFile(kind, file) || (frontmatter as JsonObject).name !== name) return false
  if (kind === 'code') return content === undefined && sha256 === ''
  return (
    isDigest(sha256) &&
    Array.isArray(content) &&
    content.length === 2 &&
    isRange(content[0], content[1], size)
  )
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
