import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isOwnName } from './index/own-names.js'
import type { WatchSink } from './project/job.js'

/** One directory that the system watches. */
interface Watch {
  watcher: FSWatcher
  /** The names in it that count, each with the number of the last look that asked for it; null is every name. */
  wanted: Map<string | null, number>
}

/**
 * Watches the places where compiles look, one watch for a directory. Since a compile names each place before it
 * looks there, what changes afterwards is told, also in directories that are new.
 */
export class FileWatches implements WatchSink {
  private readonly watches = new Map<string, Watch>()
  /** Directories that were removed or replaced: what watched them watches nothing, or something else. */
  private readonly gone = new Set<string>()
  private look = 0

  /**
   * @param onChange something that counts changed
   * @param onFull the system watches no more directories for us
   */
  constructor(
    private readonly onChange: () => void,
    private readonly onFull: () => void,
  ) {}

  /** To be called before a compile. */
  begin(): void {
    this.look++
    if (this.gone.size === 0) return
    for (const path of [...this.watches.keys()]) if (this.isGone(path)) this.drop(path)
    this.gone.clear()
  }

  directory = (path: string): void => this.want(path, null)

  /** A file or directory of its own. Every directory above it is watched for it to go and to come. */
  path = (path: string): void => {
    const parent = dirname(path)
    if (parent === path || this.watches.get(parent)?.wanted.get(null) === this.look) return
    this.path(parent)
    this.want(parent, basename(path))
  }

  /** To be called after a compile that looked everywhere: what it did not name is watched no more. */
  end(): void {
    for (const [path, { wanted }] of this.watches) {
      for (const [name, look] of wanted) if (look < this.look) wanted.delete(name)
      if (wanted.size === 0) this.drop(path)
    }
  }

  close(): void {
    for (const path of [...this.watches.keys()]) this.drop(path)
  }

  private want(directory: string, name: string | null): void {
    const watched = this.watches.get(directory) ?? this.open(directory)
    watched?.wanted.set(name, this.look)
  }

  private open(directory: string): Watch | null {
    try {
      const watcher = watch(directory, (event, name) => this.changed(directory, event, name))
      const opened: Watch = { watcher, wanted: new Map() }
      watcher.on('error', () => this.lost(directory))
      this.watches.set(directory, opened)
      return opened
    } catch (error) {
      // What is not there comes as a change of the directory above it.
      if (isFull(error)) this.onFull()
      return null
    }
  }

  private changed(directory: string, event: string, name: string | null): void {
    const wanted = this.watches.get(directory)?.wanted
    if (!wanted || (name !== null && isOwnName(name))) return
    if (event === 'rename' && name !== null) this.gone.add(join(directory, name))
    if (name === null || wanted.has(null) || wanted.has(name)) this.onChange()
  }

  private lost(directory: string): void {
    this.gone.add(directory)
    this.onChange()
  }

  private isGone(path: string): boolean {
    return this.gone.has(path) || (dirname(path) !== path && this.isGone(dirname(path)))
  }

  private drop(path: string): void {
    this.watches.get(path)?.watcher.close()
    this.watches.delete(path)
  }
}

/** True for the errors by which systems say that a user, or a process, watches enough. */
function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '')
}
