import { realpathSync } from 'node:fs'
import { join, posix } from 'node:path'
import { containsPrivateKey, KEY_BYTES } from '../../../src/skill/secrets.js'
import { inFolderOf, notFile, openFile } from '../../../workspace/wall/open-place.js'
import { type Place, within } from '../../../workspace/wall/place.js'
import type { Workspace } from '../../../workspace/wall/workspace.js'
import { HeldFolder } from '../tree/held-folder.js'
import type { PathPattern } from '../tree/path-pattern.js'
import { isFolder } from '../tree/start-folder.js'
import type { Found, Search } from './found-lines.js'
import { ripgrepFor, runRipgrep } from './ripgrep.js'
import { scanFile, scanFolder } from './scan-files.js'

/** The result of a search. */
interface SearchedPlace {
  found: Found
  engine: 'ripgrep' | 'scan'
  /** The prefix of shown paths. */
  prefix: string
}

interface SearchOptions {
  /** Throws to cancel. */
  check: () => void
  signal: AbortSignal | undefined
  usesRipgrep: boolean
}

/** Searches a folder, or one file, with ripgrep if the host has it. */
export async function searchPlace(
  place: Place,
  workspace: Workspace,
  search: Search,
  names: { written: string; pattern: PathPattern } | null,
  { check, signal, usesRipgrep }: SearchOptions,
): Promise<SearchedPlace> {
  if (!(await isFolder(place))) {
    // Another program is not worth it for one file.
    const bytes = await bytesOf(place)
    const found = await scanFile(posix.basename(place.path), bytes, search, check)
    return { found, engine: 'scan', prefix: prefixOf(posix.dirname(place.path)) }
  }
  const prefix = prefixOf(place.path)
  const program = usesRipgrep ? await ripgrepFor(workspace) : null
  check()
  if (program === null) {
    const found = await scanFolder(place, workspace, search, names?.pattern ?? null, check)
    return { found, engine: 'scan', prefix }
  }
  const found = await runRipgrep({
    ...search,
    program,
    folder: place.real,
    target: '.',
    names: names === null || names.written.includes('/') ? null : names.written,
    signal,
    counts: path => (names === null || names.pattern.matches(path)) && mayBeShown(path, place, workspace),
  })
  return { found, engine: 'ripgrep', prefix }
}

function prefixOf(path: string): string {
  return path === '.' ? '' : `${path}/`
}

/** The most bytes of a single searched file, enough for the whole output of a command. */
const FILE_MAX = 128 * 1024 * 1024

async function bytesOf(place: Place): Promise<Buffer> {
  const { handle, stat } = await inFolderOf(place, item => openFile(item, place))
  try {
    if (stat.size > FILE_MAX)
      throw notFile(
        place,
        `has more than ${FILE_MAX} bytes, and is not searched`,
        'Use `read` with an `offset`.',
      )
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Checks a file that another program has searched as our own tools would. */
function mayBeShown(path: string, { base, segments, real }: Place, { protected: files }: Workspace): boolean {
  const way = [...segments, ...path.split('/')]
  if (files.reading({ segments: way, written: null }) !== null) return false
  try {
    if (realpathSync(join(real, path)) !== join(base, ...way) || within(base, real) === null) return false
  } catch {
    // It is gone.
    return false
  }
  const folder = HeldFolder.open(join(real, posix.dirname(path)))
  try {
    const start = folder?.start(posix.basename(path), KEY_BYTES) ?? null
    return start !== null && !containsPrivateKey(start)
  } finally {
    folder?.close()
  }
}
