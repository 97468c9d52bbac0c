import { disk } from '#disk'
import type { ToolRecord } from '../../src/index/index-format.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { ToolSource } from '../state/tool-source.js'

const checks = lazy(() => import('./checked-files.js'))

/**
 * The exact text after the frontmatter. A file that has another size than it should is read anew, never cut
 * wrongly.
 */
export async function readContent(source: ToolSource, globals: Globals): Promise<string> {
  if (globals.config.verify) return (await checks()).checkedContent(source)
  const { state, record } = source
  const path = disk.resolve(state.dir, record.file)
  const bytes = await readBytes(path, record)
  if (bytes) return decode(bytes)
  return (await import('./stale-content.js')).readStale(source, path, globals)
}

/** A SKILL.md that is a link may lead only to a file of its own folder, whatever an index says. */
export async function readBytes(
  path: string,
  { kind, content, size }: ToolRecord,
): Promise<Uint8Array | null> {
  const isOwn = kind !== 'folder' || (await disk.realInside(disk.resolve(path, '..'), path))
  return isOwn && content ? disk.readRange(path, ...content, size) : null
}

/** A byte order mark inside content is content. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
