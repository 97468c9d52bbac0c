import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isOwnName } from './index/index-directory.js'
import type { WatchSink } from './project/stage.js'

/** One directory that the system watches. */
interface Watch {
  watcher: FSWatcher
  /**
   * The names in it that count, each with the number of the last compile that asked for it; null means every
   * name.
   */
  wanted: Map<string | null, number>
}

/**
 * Watches the places on which compiles depend, with one watch for each directory. Since a compile names
 * each place before it looks there, no later change is missed, also in directories that are new.
 */
export class FileWatches implements WatchSink {
  private readonly watches = new Map<string, Watch>()
  /** Directories that were removed or replaced, so that their watches are of no use. */
  private readonly gone = new Set<string>()
  private compile = 0

  /**
   * @param onChange called with the absolute path of a relevant change; its folder's if
   *   the system reports no more
   * @param onFull called when the system watches no more directories for this process
   */
  constructor(
    private readonly onChange: (path: string) => void,
    private readonly onFull: () => void,
  ) {}

  /** Must be called before a compile. */
  begin(): void {
    this.compile++
    if (this.gone.size === 0) return
    for (const path of [...this.watches.keys()]) if (this.isGone(path)) this.drop(path)
    this.gone.clear()
  }

  directory = (path: string): void => this.want(path, null)

  /** Watches one file or directory, and every directory above it for the path to appear and disappear. */
  path = (path: string): void => {
    const parent = dirname(path)
    if (parent === path || this.watches.get(parent)?.wanted.get(null) === this.compile) return
    this.path(parent)
    this.want(parent, basename(path))
  }

  /**
   * Must be called after a compile that succeeded: ends the watches of places that the compile did not name.
   */
  end(): void {
    for (const [path, { wanted }] of this.watches) {
      for (const [name, compile] of wanted) if (compile < this.compile) wanted.delete(name)
      if (wanted.size === 0) this.drop(path)
    }
  }

  close(): void {
    for (const path of [...this.watches.keys()]) this.drop(path)
  }

  private want(directory: string, name: string | null): void {
    const watched = this.watches.get(directory) ?? this.open(directory)
    watched?.wanted.set(name, this.compile)
  }

  private open(directory: string): Watch | null {
    try {
      const watcher = watch(directory, (event, name) => this.changed(directory, event, name))
      const opened: Watch = { watcher, wanted: new Map() }
      watcher.on('error', () => this.lost(directory))
      this.watches.set(directory, opened)
      return opened
    } catch (error) {
      // When a missing directory appears, the directory above it changes.
      if (isFull(error)) this.onFull()
      return null
    }
  }

  private changed(directory: string, event: string, name: string | null): void {
    const wanted = this.watches.get(directory)?.wanted
    if (!wanted || (name !== null && isOwnName(name))) return
    if (event === 'rename' && name !== null) this.gone.add(join(directory, name))
    if (name === null || wanted.has(null) || wanted.has(name)) this.onChange(join(directory, name ?? ''))
  }

  private lost(directory: string): void {
    this.gone.add(directory)
    this.onChange(directory)
  }

  private isGone(path: string): boolean {
    return this.gone.has(path) || (dirname(path) !== path && this.isGone(dirname(path)))
  }

  private drop(path: string): void {
    this.watches.get(path)?.watcher.close()
    this.watches.delete(path)
  }
}

/** True for the errors of a system whose limit of watches for a user or a process is reached. */
function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '')
}
