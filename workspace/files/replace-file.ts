import { constants, type Stats } from 'node:fs'
import { access, link, open, rename, unlink } from 'node:fs/promises'
import { AgentAppsError } from 'agent-apps'
import { inFolderOf, statItem } from '../wall/open-place.js'
import { type Place, refused } from '../wall/place.js'

/** The prefix of files that are being written, which tools neither show nor write. */
export const UNFINISHED = '.agent-apps-unfinished-'

/**
 * Creates or replaces a file atomically: readers see the old or the new one, whole.
 *
 * @param before the file's status when it was read; null for a new file
 * @param check called just before the file appears; throws to cancel
 * @throws FILE_CHANGED if the file has changed since
 */
export function replaceFile(
  place: Place,
  bytes: Uint8Array,
  before: Stats | null,
  check: () => void,
): Promise<Stats> {
  return inFolderOf(
    place,
    async (item, folder) => {
      const unfinished = `${folder}/${UNFINISHED}${crypto.randomUUID()}`
      try {
        if (before) await access(item, constants.W_OK)
        const stat = await writeNew(unfinished, bytes, before)
        await expectSame(item, place, before)
        check()
        if (before) await rename(unfinished, item)
        else await appear(unfinished, item)
        return stat
      } catch (error) {
        await removeUnfinished(unfinished)
        const { code } = error as NodeJS.ErrnoException
        if (error instanceof AgentAppsError || code === undefined) throw error
        throw code === 'EEXIST' ? changed(place) : refused(place.path, error)
      }
    },
    before === null,
  )
}

async function writeNew(path: string, bytes: Uint8Array, before: Stats | null): Promise<Stats> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const handle = await open(path, flags, before ? 0o600 : 0o666)
  try {
    await handle.writeFile(bytes)
    if (before) {
      await handle.chmod(before.mode & 0o777)
      // Keeps the owner. Only root can write files of others.
      if (process.getuid?.() === 0) await handle.chown(before.uid, before.gid)
    }
    await handle.datasync()
    return await handle.stat()
  } finally {
    await handle.close()
  }
}

async function expectSame(item: string, place: Place, before: Stats | null): Promise<void> {
  const now = await statItem(item, place)
  const isSame =
    now === null || before === null
      ? now === before
      : now.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs
  if (!isSame) throw changed(place)
}

/** Gives a new file its name, unless the name is taken by now. */
async function appear(unfinished: string, item: string): Promise<void> {
  try {
    await link(unfinished, item)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Some file systems have no hard links: then a file created meanwhile could be overwritten.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(code)) throw error
    await rename(unfinished, item)
    return
  }
  await unlink(unfinished)
}

async function removeUnfinished(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

export function changed({ path }: Place): AgentAppsError {
  return new AgentAppsError('FILE_CHANGED', `${path} was changed since it was read.`, {
    hint: 'Read it again, then decide.',
    file: path,
  })
}
