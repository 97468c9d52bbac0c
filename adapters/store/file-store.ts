import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rm, rmdir, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { AgentAppsError, type JsonValue, type Store } from 'agent-apps/runtime'
import { stateConflict } from './kept-value.js'

/**
 * A store in a directory, which several processes may use at once. The directory is created when something is first kept.
 *
 * Each key has a folder with a file for each version of its value, numbered from 1. A file gets its name by a link, which
 * only one process can make: the second one has lost the race. Files never change, so a killed process leaves nothing half
 * written.
 */
export function fileStore(directory: string): Store {
  const root = resolve(directory)
  const folderOf = (key: string): string =>
    join(root, createHash('sha256').update(JSON.stringify(key)).digest('hex'))
  return {
    get: async key => {
      const kept = await read(folderOf(key), key)
      return kept && { value: kept.value, version: versionOf(kept) }
    },
    set: (key, value, version) => write(folderOf(key), key, value, version),
    delete: key => remove(folderOf(key)),
  }
}

/** The content of a file. The key is for people, and to check that the file is in the right folder. */
interface Kept {
  key: string
  /** The ids of this version and the ones before it, newest first. */
  ids: string[]
  value: JsonValue
}

/** The versions that a file lists: more than other processes can write between a link and the check after it. */
const IDS_MAX = 50

/** The attempts at something that other processes keep changing. */
const TRIES_MAX = 100

async function read(folder: string, key: string): Promise<(Kept & { number: number }) | null> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    // A listing during a replacement may lack both files.
    const number = (await newest(folder)) || (await newest(folder))
    if (number === 0) return null
    const kept = await keptIn(folder, number, key)
    // If null, it was replaced or deleted meanwhile.
    if (kept) return { ...kept, number }
  }
  throw stateConflict(key)
}

async function write(folder: string, key: string, value: JsonValue, version: string | null): Promise<string> {
  const before = version === null ? 0 : Number.parseInt(version, 10)
  const base = before > 0 ? await keptIn(folder, before, key) : null
  const isBase = version === null || (base && version === versionOf({ ...base, number: before }))
  if (!isBase || (await newest(folder)) !== before) throw stateConflict(key)
  const id = randomUUID().slice(-12)
  const kept: Kept = { key, ids: [id, ...(base?.ids ?? [])].slice(0, IDS_MAX), value }
  if (!(await linked(folder, JSON.stringify(kept), fileOf(folder, before + 1)))) throw stateConflict(key)
  await confirm(folder, key, before, id)
  return `${before + 1}-${id}`
}

/**
 * Confirms a link: its number may have been free only because later versions exist, or because everything was deleted.
 *
 * @throws STATE_CONFLICT
 */
async function confirm(folder: string, key: string, before: number, id: string): Promise<void> {
  const numbers = await numbersIn(folder)
  const last = Math.max(0, ...numbers)
  if (last > before + 1) {
    if ((await read(folder, key))?.ids.includes(id)) return
  } else if (before === 0 || numbers.includes(before)) {
    for (const number of numbers) if (number <= before) await rm(fileOf(folder, number), { force: true })
    return
  }
  await rm(fileOf(folder, before + 1), { force: true })
  throw stateConflict(key)
}

/** Removes a folder, although another process may be adding to it. */
async function remove(folder: string): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    for (const name of await namesIn(folder)) await rm(join(folder, name), { force: true })
    if (await gone(rmdir(folder))) return
  }
}

/** Creates a file with this content and name. Returns false if the name is taken. */
async function linked(folder: string, text: string, name: string): Promise<boolean> {
  const temporary = join(folder, `${randomUUID()}.tmp`)
  for (let tries = 0; ; tries++) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    try {
      const file = await open(temporary, 'wx', 0o600)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await link(temporary, name)
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      // The folder was deleted meanwhile.
      if (codeOf(error) !== 'ENOENT' || tries === TRIES_MAX) throw error
    } finally {
      await unlink(temporary).catch(onlyMissing)
    }
  }
}

async function keptIn(folder: string, number: number, key: string): Promise<Kept | null> {
  const file = fileOf(folder, number)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
  try {
    const kept = JSON.parse(text) as Kept
    if (kept.key === key && Array.isArray(kept.ids) && 'value' in kept) return kept
  } catch {
    // Damaged, which is reported below.
  }
  throw new AgentAppsError('STATE_INVALID', `The stored value of ${JSON.stringify(key)} is damaged.`, {
    hint: 'Delete the file, or restore it.',
    file,
  })
}

async function newest(folder: string): Promise<number> {
  return Math.max(0, ...(await numbersIn(folder)))
}

async function numbersIn(folder: string): Promise<number[]> {
  return (await namesIn(folder)).flatMap(name => {
    const [, number] = /^(\d+)\.json$/.exec(name) ?? []
    return number === undefined ? [] : [Number(number)]
  })
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    onlyMissing(error)
    return []
  }
}

/** True once a folder is gone; false if it is not empty. */
async function gone(removing: Promise<void>): Promise<boolean> {
  try {
    await removing
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false
    onlyMissing(error)
    return true
  }
}

function fileOf(folder: string, number: number): string {
  return join(folder, `${number}.json`)
}

function versionOf({ number, ids: [id] }: Kept & { number: number }): string {
  return `${number}-${id}`
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}

/** Rethrows any error but ENOENT. */
function onlyMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error
}
