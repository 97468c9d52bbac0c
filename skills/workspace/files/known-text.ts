import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { AgentAppsError } from 'agent-apps'
import { bytesOf, textOf } from '../../../workspace/files/file-bytes.js'
import { changed } from '../../../workspace/files/replace-file.js'
import { inFolderOf, openFile } from '../../../workspace/wall/open-place.js'
import type { Place } from '../../../workspace/wall/place.js'
import type { KnownFile, Session } from '../../../workspace/wall/workspace.js'

/** The current contents of a file that its session knows. */
export interface KnownContents {
  stat: Stats
  /** Null unless the file is UTF-8 text. Its first character may be a byte order mark. */
  text: string | null
}

/**
 * Reads a file that the session must have read before, and that must be unchanged since.
 *
 * @throws FILE_NOT_READ, FILE_CHANGED
 */
export async function knownContents(place: Place, { read }: Session): Promise<KnownContents> {
  const known = read.get(place.real)
  if (known === undefined) {
    throw new AgentAppsError('FILE_NOT_READ', `${place.path} exists, and was not read in this session.`, {
      hint: 'Read it with `read` first.',
      file: place.path,
    })
  }
  const { handle, stat } = await inFolderOf(place, item => openFile(item, place))
  try {
    if (stat.size !== known.size) throw changed(place)
    const bytes = await bytesOf(handle, stat.size)
    // A file that was only touched is unchanged.
    if (digestOf(bytes) !== known.digest) throw changed(place)
    return { stat, text: textOf(bytes) }
  } finally {
    await handle.close()
  }
}

/** The size in bytes of a file that the session knows; 0 for any other. */
export function knownSize({ place, session }: { place: Place; session: Session }): number {
  return session.read.get(place.real)?.size ?? 0
}

/** The session's record of a file that it has read or written. */
export function knownAs(bytes: Uint8Array, stat: Stats): KnownFile {
  return { size: bytes.length, time: stat.mtimeMs, digest: digestOf(bytes) }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
