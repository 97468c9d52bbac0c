import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import type { JsonObject } from '../../src/base/json.js'
import type { ContentRecord } from '../../src/index/content-record.js'
import { type FileDigest, type FileRecord, isBroken } from '../../src/index/index-format.js'
import type { OpenIndex } from '../../src/index/read-index.js'
import { type Finding, findingOf } from '../diagnostics/diagnostics.js'
import { digestFile } from '../files/regular-file.js'
import { unlessRefused } from './index-files.js'

/** The results of running code that an index records, for a command that does not run code. */
export interface RecordedIndex {
  /** True where a file of the directory is as it was when the index was made. */
  isSame: (path: string) => boolean
  /** True where the index names a file of this digest. */
  has: (path: string, digest: FileDigest) => boolean
  findings: (path: string) => Finding[]
  /** A tool's frontmatter as its code gave it. */
  verbatim: (name: string) => JsonObject | undefined
  /** The fault that keeps a tool from loading. */
  broken: (name: string) => Finding | null
  content: (name: string) => ContentRecord | undefined
}

/** Look-ups in an open index; null without one. */
export function recordedIndex(directory: string, index: OpenIndex | null): RecordedIndex | null {
  if (index === null) return null
  const fileOf = (path: string): FileRecord | undefined => unlessRefused(() => index.file(path)) ?? undefined
  return {
    isSame(path) {
      const file = join(directory, path)
      const stat = statSync(file, { throwIfNoEntry: false })
      const known = fileOf(path)
      return stat?.isFile() === true && stat.size === known?.size && digestFile(file) === known.sha256
    },
    has: (path, { size, sha256 }) => fileOf(path)?.size === size && fileOf(path)?.sha256 === sha256,
    findings: path =>
      (fileOf(path)?.diagnostics ?? []).map((one: Diagnostic) => findingOf(one)).filter(one => one !== null),
    verbatim: name => unlessRefused(() => index.details(name))?.verbatim,
    broken(name) {
      const record = unlessRefused(() => index.tool(name))
      return record && isBroken(record) ? findingOf(record.broken) : null
    },
    content: name => unlessRefused(() => index.content?.(name)) ?? undefined,
  }
}
