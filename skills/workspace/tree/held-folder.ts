import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'

/**
 * The folder in which the host has the descriptors of this process as files, by which directories are held;
 * null if there is none. `/proc/self` is a link, which each of many thousand look-ups would follow.
 */
const DESCRIPTORS =
  process.platform === 'linux' && existsSync('/proc/self/fd')
    ? `/proc/${readlinkSync('/proc/self')}/fd`
    : null
const O_PATH = 0o10000000

/** A folder of a tree that is walked. What is in it is reached through it, whatever happens above it. */
export class HeldFolder {
  private constructor(
    readonly at: string,
    private readonly descriptor: number | null,
  ) {}

  /** Opens a folder through no link at its end; null where it is gone, is none, or may not be opened. */
  static open(path: string): HeldFolder | null {
    try {
      if (DESCRIPTORS === null) return lstatSync(path).isDirectory() ? new HeldFolder(path, null) : null
      const descriptor = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
      return new HeldFolder(`${DESCRIPTORS}/${descriptor}`, descriptor)
    } catch (error) {
      return passed(error)
    }
  }

  folder(name: string): HeldFolder | null {
    return HeldFolder.open(`${this.at}/${name}`)
  }

  /** Its entries; empty if it may not be listed. */
  items(): Dirent[] {
    try {
      const items = readdirSync(this.at, { withFileTypes: true })
      // Without a descriptor, what was listed may be behind a link that came meanwhile.
      return this.descriptor !== null || lstatSync(this.at).isDirectory() ? items : []
    } catch (error) {
      return passed(error) ?? []
    }
  }

  /** The status of an item, which may be a link; null where it is gone. */
  stat(name: string): Stats | null {
    try {
      return lstatSync(`${this.at}/${name}`)
    } catch (error) {
      return passed(error)
    }
  }

  /** All bytes of a regular file of at most so many; null for anything else. */
  read(name: string, most: number): Buffer | null {
    const stat = this.stat(name)
    if (!stat?.isFile() || stat.size > most) return null
    return this.#open(name, descriptor => readFileSync(descriptor))
  }

  /** The first bytes of a regular file; null for anything else. */
  start(name: string, count: number): Buffer | null {
    if (!this.stat(name)?.isFile()) return null
    const bytes = Buffer.alloc(count)
    return this.#open(name, descriptor => bytes.subarray(0, readSync(descriptor, bytes, 0, count, 0)))
  }

  #open<Result>(name: string, work: (descriptor: number) => Result): Result | null {
    try {
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
      const descriptor = openSync(`${this.at}/${name}`, flags)
      try {
        return work(descriptor)
      } finally {
        closeSync(descriptor)
      }
    } catch (error) {
      return passed(error)
    }
  }

  close(): void {
    if (this.descriptor !== null) closeSync(this.descriptor)
  }
}

/** Passes over what went away, was swapped or is not for this user; other failures are thrown. */
function passed(error: unknown): null {
  const { code = '' } = error as NodeJS.ErrnoException
  if (PASSED.has(code)) return null
  throw error
}

const PASSED = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO', 'ENODEV', 'EINVAL'])
