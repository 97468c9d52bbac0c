import { disk } from '#disk'
import type { ToolRecord } from '../../src/index/index-format.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { ToolSource } from '../state/tool-source.js'

const checks = lazy(() => import('./checked-files.js'))

/**
 * Reads the exact text after the frontmatter. A file whose size has changed is parsed again, never cut wrongly.
 */
export async function readContent(source: ToolSource, globals: Globals): Promise<string> {
  if (globals.config.verify) return (await checks()).checkedContent(source)
  const { state, record } = source
  const path = disk.resolve(state.dir, record.file)
  const bytes = await readBytes(path, record)
  if (bytes) return decode(bytes)
  return (await import('./stale-content.js')).readStale(source, path, globals)
}

/** Reads the content of a file. A SKILL.md that is a link may lead only to a file of its own folder. */
export async function readBytes(
  path: string,
  { kind, content, size }: ToolRecord,
): Promise<Uint8Array | null> {
  const isInFolder = kind !== 'folder' || (await disk.realInside(disk.resolve(path, '..'), path))
  return isInFolder && content ? disk.readRange(path, ...content, size) : null
}

/** Decodes UTF-8. A byte order mark inside content is content. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
