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
 * The folder with the descriptors of this process, by which directories are held; null if the host has none. `/proc/self` is
 * resolved once, since many thousand look-ups would follow the link.
 */
const DESCRIPTORS =
  process.platform === 'linux' && existsSync('/proc/self/fd')
    ? `/proc/${readlinkSync('/proc/self')}/fd`
    : null
const O_PATH = 0o10000000

/** A folder of a walked tree. Its items are accessed through it, whatever happens above it. */
export class HeldFolder {
  private constructor(
    readonly at: string,
    private readonly descriptor: number | null,
  ) {}

  /** Opens a folder that is not a link; null if it is gone, is not a folder, or cannot be opened. */
  static open(path: string): HeldFolder | null {
    try {
      if (DESCRIPTORS === null) return lstatSync(path).isDirectory() ? new HeldFolder(path, null) : null
      const descriptor = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
      return new HeldFolder(`${DESCRIPTORS}/${descriptor}`, descriptor)
    } catch (error) {
      return skipped(error)
    }
  }

  folder(name: string): HeldFolder | null {
    return HeldFolder.open(`${this.at}/${name}`)
  }

  /** Its entries; empty if it cannot be listed. */
  items(): Dirent[] {
    try {
      const items = readdirSync(this.at, { withFileTypes: true })
      // Without a descriptor, a link may have replaced it meanwhile.
      return this.descriptor !== null || lstatSync(this.at).isDirectory() ? items : []
    } catch (error) {
      return skipped(error) ?? []
    }
  }

  /** The status of an item, which may be a link; null if it is gone. */
  stat(name: string): Stats | null {
    try {
      return lstatSync(`${this.at}/${name}`)
    } catch (error) {
      return skipped(error)
    }
  }

  /** The bytes of a regular file of limited size; null for anything else. */
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
      return skipped(error)
    }
  }

  close(): void {
    if (this.descriptor !== null) closeSync(this.descriptor)
  }
}

/** Null for items that are gone, swapped or inaccessible; throws other errors. */
function skipped(error: unknown): null {
  const { code = '' } = error as NodeJS.ErrnoException
  if (SKIPPED.has(code)) return null
  throw error
}

const SKIPPED = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO', 'ENODEV', 'EINVAL'])
