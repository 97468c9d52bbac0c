import type { Dirent } from 'node:fs'
import { realpathSync } from 'node:fs'
import { looksSecret } from '../../../src/skill/secrets.js'
import { UNFINISHED } from '../../../workspace/files/replace-file.js'
import { type Place, within } from '../../../workspace/wall/place.js'
import type { Workspace } from '../../../workspace/wall/workspace.js'
import { HeldFolder } from './held-folder.js'
import { IGNORE_FILES, type IgnoreRules, isIgnored, readIgnoreRules } from './ignore-rules.js'

export interface Item {
  name: string
  /** The path from the start of the walk, with `/`. */
  path: string
  kind: 'file' | 'folder' | 'link'
  folder: HeldFolder
  /** The number of folders between the start of the walk and the item. */
  depth: number
}

export interface WalkOptions {
  /** True to walk a folder. */
  enters: (item: Item) => boolean
  /** Called with each item. `false` ends the walk. */
  take: (item: Item) => boolean | undefined | Promise<boolean>
  /** Called now and then; throws to cancel. */
  check: () => void
}

/** The deepest nesting that is walked. */
const DEPTH_MAX = 256
/** The milliseconds after which the walk yields to other work. */
const TURN = 10
const IGNORE_FILE_MAX = 1024 * 1024

/**
 * Walks a folder in order of names, through no link, without ignored files, secrets and `.git`.
 *
 * @param start an existing folder
 */
export async function walkTree(start: Place, workspace: Workspace, options: WalkOptions): Promise<void> {
  const top = heldStart(start)
  if (top === null) return
  const pause = new Pause(options.check)
  const open: OpenFolder[] = []
  try {
    open.push(openFolder(top.folder, '', 0, top.rules, start.segments))
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      if (pause.isDue()) await pause.take()
      const entry = last.items[last.next++]
      if (entry === undefined) {
        open.pop()
        last.folder.close()
        continue
      }
      const item = itemOf(entry, last, start, workspace)
      if (item === null) continue
      const taken = options.take(item)
      if ((taken instanceof Promise ? await taken : taken) === false) return
      if (item.kind !== 'folder' || item.depth >= DEPTH_MAX || !options.enters(item)) continue
      const folder = last.folder.folder(entry.name)
      if (folder) open.push(openFolder(folder, `${item.path}/`, item.depth + 1, last.rules, start.segments))
    }
  } finally {
    for (const { folder } of open) folder.close()
  }
}

interface OpenFolder {
  folder: HeldFolder
  /** Its path from the start of the walk, with a trailing `/`. */
  prefix: string
  depth: number
  items: Dirent[]
  next: number
  rules: readonly IgnoreRules[]
}

/** @param above the path to the start of the walk, since rules of folders above apply to whole paths */
function openFolder(
  folder: HeldFolder,
  prefix: string,
  depth: number,
  rules: readonly IgnoreRules[],
  above: readonly string[],
): OpenFolder {
  const items = folder.items()
  // By code units, so that the order is deterministic.
  items.sort((a, b) => (a.name < b.name ? -1 : 1))
  const way = [...above.map(segment => `${segment}/`), prefix].join('')
  const own = IGNORE_FILES.filter(name => items.some(item => item.name === name)).flatMap(name =>
    rulesOf(folder, name, way),
  )
  return { folder, prefix, depth, items, next: 0, rules: own.length > 0 ? [...rules, ...own] : rules }
}

function rulesOf(folder: HeldFolder, name: string, way: string): IgnoreRules[] {
  const bytes = folder.read(name, IGNORE_FILE_MAX)
  return bytes === null ? [] : [readIgnoreRules(bytes.toString(), way)]
}

/** Enters the start of a walk, and reads the rules of the folders above it. */
function heldStart({ base, segments }: Place): { folder: HeldFolder; rules: IgnoreRules[] } | null {
  let folder = HeldFolder.open(base)
  const rules: IgnoreRules[] = []
  let way = ''
  for (const segment of segments) {
    if (folder === null) return null
    for (const name of IGNORE_FILES) rules.push(...rulesOf(folder, name, way))
    if (way === '') rules.unshift(...excludeRules(folder))
    way += `${segment}/`
    const next: HeldFolder | null = folder.folder(segment)
    folder.close()
    folder = next
  }
  if (folder && segments.length === 0) rules.push(...excludeRules(folder))
  return folder && { folder, rules }
}

/** The rules of `.git/info/exclude`. */
function excludeRules(folder: HeldFolder): IgnoreRules[] {
  const repository = folder.folder('.git')
  const info = repository?.folder('info') ?? null
  try {
    return info === null ? [] : rulesOf(info, 'exclude', '')
  } finally {
    info?.close()
    repository?.close()
  }
}

/** An item; null for one that is left out. */
function itemOf(entry: Dirent, around: OpenFolder, start: Place, workspace: Workspace): Item | null {
  const { name } = entry
  const { folder, prefix, depth, rules } = around
  if (name === '.git' || name.startsWith(UNFINISHED)) return null
  const kind = kindOf(entry, folder)
  if (kind === null) return null
  const path = prefix + name
  const whole = start.segments.length === 0 ? path : `${start.segments.join('/')}/${path}`
  if (rules.length > 0 && isIgnored(rules, whole, name, kind === 'folder')) return null
  if (looksSecret(`${workspace.root}/${whole}`)) {
    const segments = [...start.segments, ...path.split('/')]
    if (workspace.protected.reading({ segments, written: null }) !== null) return null
  }
  if (kind === 'link' && !isShownLink(`${folder.at}/${name}`, workspace)) return null
  return { name, path, kind, folder, depth }
}

function kindOf(entry: Dirent, folder: HeldFolder): Item['kind'] | null {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  if (entry.isSymbolicLink()) return 'link'
  // Some file systems list items without types.
  const isKnown = entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice()
  const stat = isKnown ? null : folder.stat(entry.name)
  if (stat === null) return null
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : null
}

/** True for a link whose target is readable and inside the wall. */
function isShownLink(path: string, { folders, protected: files }: Workspace): boolean {
  try {
    const real = realpathSync(path)
    const segments = folders.map(folder => within(folder, real)).find(way => way !== null)
    return segments !== undefined && segments !== null && files.reading({ segments, written: null }) === null
  } catch {
    // Broken, circular or inaccessible.
    return false
  }
}

/** Yields to other work now and then, and checks for cancellation. */
export class Pause {
  #since = performance.now()
  #count = 0

  constructor(readonly check: () => void) {}

  /** Checks the clock only every 64 times. */
  isDue(): boolean {
    this.#count++
    return this.#count % 64 === 0 && performance.now() - this.#since > TURN
  }

  async take(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
    this.check()
    this.#since = performance.now()
  }
}
