import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { AgentAppsError } from 'agent-apps'
import { inFolderOf, openFile } from '../wall/open-place.js'
import type { Place } from '../wall/place.js'
import type { KnownFile, Session } from '../wall/workspace.js'
import { changed } from './replace-file.js'

/** A file that its session knows, as it is now. */
export interface KnownContents {
  stat: Stats
  /** Null for a file that is not text in UTF-8. A byte order mark is its first character. */
  text: string | null
}

/**
 * Reads a file that the session must have read before, and that must be as it was then.
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
    // A file that was only touched holds what was read.
    if (digestOf(bytes) !== known.digest) throw changed(place)
    return { stat, text: textOf(bytes) }
  } finally {
    await handle.close()
  }
}

/** All bytes of a file of a known size, read into one place; more where it has grown. */
async function bytesOf(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size + 1)
  let end = 0
  for (;;) {
    const { bytesRead } = await handle.read(bytes, end, bytes.length - end, end)
    end += bytesRead
    if (bytesRead === 0 || end === bytes.length) return bytes.subarray(0, end)
  }
}

/** What a session knows of a file that it has written. */
export function knownAs(bytes: Uint8Array, stat: Stats): KnownFile {
  return { size: bytes.length, time: stat.mtimeMs, digest: digestOf(bytes) }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function textOf(bytes: Buffer): string | null {
  return bytes.includes(0) || !isUtf8(bytes) ? null : bytes.toString()
}
