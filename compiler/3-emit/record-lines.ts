import type { ContentRecord } from '../../src/content.js'
import type { CascadeRecord, FileDigest } from '../../src/index-format.js'
import { toDiagnostic } from '../diagnostics.js'
import { fileRecord } from '../file-record.js'
import type { LinkedDirectory } from '../linked-directory.js'
import { type FreshRecords, forgetRecords, type UnitTool } from '../skill-unit.js'
import {
  emptyLines,
  encodeCascade,
  encodeContent,
  encodeDetails,
  encodeFile,
  encodeName,
  type Lines,
  type LinesToMake,
} from './encode-index.js'

/**
 * The lines of a directory's index. Each is to be made once, a tool's details after its record; then they have taken the
 * place of the tool's records. Tools that were not read anew keep the lines of the last compile.
 * Whoever calls has seen to it that `previous` has them. Without `cascades`, those of the last compile hold; so do the
 * contents that are null.
 */
export function recordLines(
  linked: LinkedDirectory,
  previous: Lines | null,
  cascades: ReadonlyMap<string, CascadeRecord> | null,
  contents: ReadonlyMap<string, ContentRecord | null>,
  otherFiles: ReadonlyMap<string, FileDigest>,
): LinesToMake {
  const lines: LinesToMake = emptyLines()
  for (const [name, { unit, tool, broken }] of linked.names) {
    if (broken) {
      lines.tools.set(name, encodeName(name, { broken: toDiagnostic(unit.path, broken), file: unit.path }))
    } else if (tool?.fresh) {
      lines.tools.set(name, () => encodeName(name, fresh(tool).record))
      // The last line of a tool: what the next compile is told of it is little.
      lines.details.set(name, () => {
        const { details } = fresh(tool)
        forgetRecords(tool)
        return encodeDetails(name, details)
      })
    } else {
      lines.tools.set(name, kept(previous?.tools, name))
      lines.details.set(name, kept(previous?.details, name))
    }
  }
  if (cascades) {
    for (const [name, record] of cascades) lines.cascades.set(name, () => encodeCascade(name, record))
  } else if (previous) lines.cascades = previous.cascades
  for (const [name, record] of contents)
    lines.contents.set(name, record ? () => encodeContent(name, record) : kept(previous?.contents, name))
  for (const unit of linked.units) {
    lines.files.set(unit.path, () => encodeFile(unit.path, fileRecord(unit, linked)))
  }
  for (const [path, { sha256, size }] of otherFiles) {
    lines.files.set(path, encodeFile(path, { diagnostics: [], sha256, size, tools: [] }))
  }
  return lines
}

function fresh({ name, fresh: records }: UnitTool): FreshRecords {
  if (records === undefined) throw new Error(`The records of "${name}" were written before.`)
  return records
}

function kept(lines: Map<string, string> | undefined, name: string): string {
  const line = lines?.get(name)
  if (line === undefined) throw new Error(`The last compile's records of "${name}" are missing.`)
  return line
}
