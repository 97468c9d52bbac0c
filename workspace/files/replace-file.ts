import { constants, type Stats } from 'node:fs'
import { access, link, open, rename, unlink } from 'node:fs/promises'
import { AgentAppsError } from 'agent-apps'
import { inFolderOf, statItem } from '../wall/open-place.js'
import { type Place, refused } from '../wall/place.js'

/** The prefix of files that are being written. Nothing of a workspace is shown or written under it. */
export const UNFINISHED = '.agent-apps-unfinished-'

/**
 * Puts a file in the place of another one, or where there was none: whoever reads it finds the old or the
 * new one, whole.
 *
 * @param before the file as it was read; null where there was none
 * @param check called last, before the file appears; throws where that is no longer wanted
 * @throws FILE_CHANGED where it is not as it was
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
      // Others' files stay theirs. Only root writes such files, and may give them away.
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

/** Gives a new file its name, unless there is one by now. */
async function appear(unfinished: string, item: string): Promise<void> {
  try {
    await link(unfinished, item)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Some file systems have no links: then somebody else's new file could be lost between two steps.
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
    hint: 'Read it again, and decide anew.',
    file: path,
  })
}
