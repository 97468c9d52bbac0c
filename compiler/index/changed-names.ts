import { inCodePointOrder } from '../../src/base/code-point-order.js'
import { type FileRecord, SECTIONS, type Section } from '../../src/index/index-format.js'
import { type OpenIndex, readParts } from '../../src/index/read-index.js'
import { indexFiles, unlessRefused } from './index-files.js'
import { type LineStore, type StoredLine, type StoredLines, sectionLines } from './line-store.js'

/**
 * The names whose records differ between the index in a directory and one to be written, that only one of both has, or whose file
 * changed. All names, where the index cannot be read.
 */
export function changedNames(
  directory: string,
  before: OpenIndex | null,
  after: StoredLines,
  store: LineStore,
): string[] {
  const changed = new Set<string>()
  // By what they are in `after`, so that nothing of the one before is kept.
  const same = new Map(SECTIONS.map(section => [section, new Set<string | StoredLine>()]))
  const isRead = unlessRefused(() => {
    for (const part of before ? readParts(indexFiles, directory, before) : [])
      for (const section of SECTIONS)
        for (const [key, line] of sectionLines(part[section].text)) {
          const now = after[section].get(key)
          if (now !== undefined && store.bytes(now).equals(Buffer.from(line))) same.get(section)?.add(now)
          else if (section !== 'files') changed.add(key)
        }
    return true
  })
  const isSame = (section: Section, line: string | StoredLine): boolean =>
    isRead === true && same.get(section)?.has(line) === true
  for (const section of ['tools', 'details', 'cascades', 'contents'] as const)
    for (const [name, line] of after[section]) if (!isSame(section, line)) changed.add(name)
  // An edit may leave a tool's records as they are: they hold a content's place, not its text.
  for (const line of after.files.values())
    if (!isSame('files', line)) for (const name of toolsOf(store.bytes(line).toString())) changed.add(name)
  return inCodePointOrder(changed)
}

/** The names that a file gives, by its line. */
function toolsOf(line: string): string[] {
  return Object.values(JSON.parse(`{${line}}`) as Record<string, FileRecord>).flatMap(({ tools }) => tools)
}
