import { hash, randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AgentAppsError } from '../../src/base/error.js'
import { latestDigestIn, releaseHeaderIn, releaseShardIn } from '../../src/release/read-release.js'
import { headerPath, LATEST_FILE, partPath, type ReleaseShard } from '../../src/release/release-format.js'

/** The folder that releases are published to. Nothing in it is ever removed. */
export class ReleaseFolder {
  /** How many files were written, or would be. */
  written = 0

  /** @throws PUBLISH_REFUSED for a folder that is a link, or has one in the place of its own folders */
  constructor(
    readonly dir: string,
    private readonly isDryRun: boolean,
  ) {
    for (const folder of [dir, ...FOLDERS.map(name => join(dir, name))]) {
      const stat = lstatSync(folder, { throwIfNoEntry: false })
      if (stat && !stat.isDirectory()) throw placeRefused(folder, 'it is not a folder')
      if (!isDryRun) this.#asking(() => mkdirSync(folder, { recursive: true }))
    }
  }

  /** Writes a file that is named by its digest, unless it is there undamaged. */
  async put(path: string, bytes: Uint8Array): Promise<void> {
    if (!this.#holds(path, bytes)) await this.#write(path, bytes)
  }

  /** Names a release in `latest.json`. */
  async putLatest(pin: string): Promise<void> {
    const text = `${JSON.stringify({ format: 1, header: pin })}\n`
    await this.put(LATEST_FILE, Buffer.from(text))
  }

  /** The shards of the release that `latest.json` names; null if there is none, or a part of it is damaged. */
  latestShards(): ReleaseShard[] | null {
    const latest = this.#read(LATEST_FILE)
    const digest = latest && latestDigestIn(latest.toString())
    const header = digest && this.#verified(headerPath(digest), digest)
    const read = header ? releaseHeaderIn(header.toString()) : null
    if (!read || !('shards' in read)) return null
    const shards = read.shards.map(one => {
      const bytes = this.#verified(partPath(one), one)
      return bytes && releaseShardIn(bytes.toString())
    })
    return shards.every(shard => shard !== null) ? shards : null
  }

  #verified(path: string, digest: string): Buffer | null {
    const bytes = this.#read(path)
    return bytes && hash('sha256', bytes).startsWith(digest) ? bytes : null
  }

  #read(path: string): Buffer | null {
    return this.#asking(() => {
      const file = join(this.dir, path)
      return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file) : null
    })
  }

  #holds(path: string, bytes: Uint8Array): boolean {
    return this.#asking(() => {
      const file = join(this.dir, path)
      const stat = lstatSync(file, { throwIfNoEntry: false })
      return stat?.isFile() === true && stat.size === bytes.length && readFileSync(file).equals(bytes)
    })
  }

  /** Writes a file under a name of its own, waits for the disk, and gives it its name. */
  async #write(path: string, bytes: Uint8Array): Promise<void> {
    this.written++
    if (this.isDryRun) return
    const file = join(this.dir, path)
    const temporary = join(dirname(file), `.${randomUUID()}.tmp`)
    try {
      const handle = await open(temporary, 'wx', 0o644)
      try {
        await handle.writeFile(bytes)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(temporary, file)
    } catch (error) {
      await rm(temporary, { force: true })
      throw placeRefused(file, (error as Error).message, error)
    }
  }

  #asking<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw placeRefused(this.dir, (error as Error).message, error)
    }
  }
}

const FOLDERS = ['f', 's', 'h']

function placeRefused(file: string, why: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('PUBLISH_REFUSED', `Nothing can be published to ${file}: ${why}.`, {
    hint: 'Correct that, or publish to another folder with `--to DIR`.',
    file,
    cause,
  })
}
