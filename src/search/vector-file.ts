/**
 * The vectors of an index, `.agent-apps/vectors-<digest>.bin`, which the embedder of a configuration made of its tools.
 *
 *     a line of JSON, `{"model":"…","length":384,"tools":[["name","0123456789abcdef0123456789abcdef"],…]}`: the tools in ascending
 *     order, each with the first 32 hexadecimal digits of the SHA-256 of its text
 *     for each tool a vector, `length` signed bytes
 *
 * The digest in the file's name is that of the file. A text's digest shows that its vector holds, so that no text is embedded twice:
 * an embedder costs time, and may give other numbers the next time.
 */
import { isJsonObject } from '../base/json.js'
import type { EncodedPart } from '../index/encode-index.js'
import { INDEX_DIRECTORY } from '../index/index-format.js'
import { IndexRefused, isShardDigest } from '../index/read-index.js'

/** The vector of a tool, and the digest of the text that it was made of. */
export interface ToolVector {
  text: string
  vector: Int8Array
}

/** Vectors by the tools' names, in ascending order. */
export type ToolVectors = ReadonlyMap<string, ToolVector>

/** A text's name in a vector file: the first 32 hexadecimal digits of its digest. */
export function textDigest(text: string, digestOf: (bytes: Uint8Array) => string): string {
  return digestOf(new TextEncoder().encode(text)).slice(0, 32)
}

/** Writes a vector file; the counterpart of `decodeVectors`. */
export function encodeVectors(
  model: string,
  vectors: ToolVectors,
  digestOf: (bytes: Uint8Array) => string,
): EncodedPart {
  const tools = [...vectors].map(([name, { text }]) => [name, text])
  const [first] = vectors.values()
  const length = first?.vector.length ?? 0
  const head = new TextEncoder().encode(`${JSON.stringify({ model, length, tools })}\n`)
  const bytes = new Uint8Array(head.length + tools.length * length)
  bytes.set(head)
  let at = head.length
  for (const { vector } of vectors.values()) {
    bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, length), at)
    at += length
  }
  const digest = digestOf(bytes).slice(0, 32)
  return { file: vectorFile(digest), digest, bytes }
}

/**
 * Reads a vector file.
 *
 * @throws IndexRefused where the file is not as it was written
 */
export function decodeVectors(
  bytes: Uint8Array,
  digest: string,
  digestOf: (bytes: Uint8Array) => string,
): ToolVectors {
  if (!digestOf(bytes).startsWith(digest)) throw changed()
  const end = bytes.indexOf(10)
  const { length, tools } = headOf(new TextDecoder().decode(bytes.subarray(0, end)))
  if (bytes.length !== end + 1 + tools.length * length) throw changed()
  return new Map(
    tools.map(([name, text], row) => {
      const vector = new Int8Array(bytes.buffer, bytes.byteOffset + end + 1 + row * length, length)
      return [name, { text, vector }]
    }),
  )
}

function headOf(line: string): { length: number; tools: [name: string, text: string][] } {
  const { length, tools } = parsed(line)
  if (!Number.isInteger(length) || (length as number) < 0 || !Array.isArray(tools) || !tools.every(isEntry))
    throw changed()
  return { length: length as number, tools }
}

function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

function isEntry(entry: unknown): entry is [string, string] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && isShardDigest(entry[1])
}

function changed(): IndexRefused {
  return new IndexRefused('its vector file was changed')
}

/** The path of a vector file, relative to the directory. */
export function vectorFile(digest: string): string {
  return `${INDEX_DIRECTORY}/vectors-${digest}.bin`
}
