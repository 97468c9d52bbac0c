import type { ContentRecord } from '../../src/index/content-record.js'
import {
  emptyLines,
  encodeCascade,
  encodeContent,
  encodeDetails,
  encodeFile,
  encodeName,
  encodeNamesakes,
} from '../../src/index/encode-index.js'
import type { CascadeRecord, FileDigest, Section } from '../../src/index/index-format.js'
import { brokenDiagnostic } from '../diagnostics/diagnostics.js'
import type { KeptLines, LineStore, StoredLine, StoredLines } from '../index/line-store.js'
import { fileRecord, type LinkedDirectory } from '../records/linked-directory.js'

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
