import type { ContentRecord } from '../../src/index/content-record.js'
import {
  type CascadeRecord,
  type FileRecord,
  type NameRecord,
  sealed,
  type ToolDetails,
} from '../../src/index/index-format.js'

/** A name's record as a line of an index, `"name":{…}`. The others are lines in the same way. */
export function encodeName(name: string, record: NameRecord): string {
  if ('broken' in record) return encodeRecord(name, record)
  return encodeRecord(name, { ...record, frontmatter: sortKeys(record.frontmatter) })
}

export function encodeDetails(name: string, { resources, references, ...details }: ToolDetails): string {
  return encodeRecord(name, {
    ...details,
    resources: resources.map(sortKeys),
    ...(references && { references: references.map(sortKeys) }),
  })
}

export function encodeCascade(name: string, { chain, ...record }: CascadeRecord): string {
  return encodeRecord(name, { ...record, chain: chain.map(sortKeys) })
}

export function encodeContent(name: string, record: ContentRecord): string {
  return encodeRecord(name, record)
}

export function encodeFile(path: string, record: FileRecord): string {
  return encodeRecord(path, record)
}

function encodeRecord(key: string, record: object): string {
  return sealed(`${JSON.stringify(key)}:${JSON.stringify(sortKeys(record)).slice(0, -1)}`)
}

/** Only our own keys are sorted, so this goes no deeper: an author's values keep their order. Ours are ASCII, which `sort` puts in code-point order. */
function sortKeys<Type extends object>(record: Type): Type {
  const sorted: Partial<Type> = {}
  for (const key of Object.keys(record).sort() as (keyof Type)[]) sorted[key] = record[key]
  return sorted as Type
}
