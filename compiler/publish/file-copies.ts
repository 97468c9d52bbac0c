import { hash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { AgentAppsError } from '../../src/base/error.js'
import type { FileDigest } from '../../src/index/index-format.js'
import { filePath, RELEASE_LIMITS } from '../../src/release/release-format.js'
import { readRealFile, systemReason } from '../files/regular-file.js'
import type { ReleaseFolder } from './release-folder.js'

/** How many files are written at once. Most of the time is spent waiting for the disk. */
const AT_ONCE = 32

/** Copies files of a directory to a release, each compared with the index. */
export class FileCopies {
  readonly #real: string
  readonly #copied = new Set<string>()
  readonly #writing = new Set<Promise<void>>()

  constructor(
    private readonly dir: string,
    private readonly folder: ReleaseFolder,
  ) {
    this.#real = realpathSync(dir)
  }

  /**
   * Publishes a file, and returns its bytes.
   *
   * @throws PUBLISH_REFUSED for a file that is not as it was compiled
   */
  async copy(path: string, digest: FileDigest | null): Promise<Uint8Array> {
    const bytes = this.#read(path, digest)
    await this.#put((digest as FileDigest).sha256, bytes)
    return bytes
  }

  /** Publishes a text that is not a file of the directory. */
  async addText(text: string): Promise<FileDigest> {
    const bytes = Buffer.from(text)
    const sha256 = hash('sha256', bytes)
    await this.#put(sha256, bytes)
    return { size: bytes.length, sha256 }
  }

  /** Resolves when all is written. */
  async finish(): Promise<void> {
    await Promise.all(this.#writing)
  }

  async #put(sha256: string, bytes: Uint8Array): Promise<void> {
    if (this.#copied.has(sha256)) return
    this.#copied.add(sha256)
    const writing = this.folder.put(filePath(sha256), bytes)
    this.#writing.add(writing)
    // A failed one stays, so that `finish` fails.
    writing.then(
      () => this.#writing.delete(writing),
      () => {},
    )
    if (this.#writing.size >= AT_ONCE) await Promise.race(this.#writing)
  }

  #read(path: string, digest: FileDigest | null): Uint8Array {
    const file = join(this.dir, path)
    if (!digest || digest.sha256 === '') throw refused(file, 'has no digest in the index')
    if (digest.size > RELEASE_LIMITS.file)
      throw refused(
        file,
        `has more than ${RELEASE_LIMITS.file / 1024 / 1024} MiB`,
        'Make it smaller, or leave it out.',
      )
    const bytes = this.#bytesOf(file)
    if (bytes.length !== digest.size || hash('sha256', bytes) !== digest.sha256)
      throw refused(file, 'is not what was compiled')
    return bytes
  }

  #bytesOf(file: string): Uint8Array {
    try {
      const real = realpathSync(file)
      if (!real.startsWith(this.#real + sep)) throw new Error('a link leads out of the directory')
      return readRealFile(real, RELEASE_LIMITS.file + 1)
    } catch (error) {
      throw refused(file, `cannot be read: ${systemReason(error)}`)
    }
  }
}

function refused(
  file: string,
  why: string,
  hint = 'Run `agent-apps compile`, and publish again.',
): AgentAppsError {
  return new AgentAppsError('PUBLISH_REFUSED', `${file} ${why}, and is not published.`, { hint, file })
}
