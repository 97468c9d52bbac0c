import { disk } from '#disk'
import type { FileDigest } from '../../src/index/index-format.js'
import type { ListColumns } from '../../src/index/list-columns.js'
import { IndexRefused } from '../../src/index/read-index.js'
import { listIn } from '../../src/index/read-list.js'
import { pinnedDigest } from '../../src/release/pin.js'
import { releaseHeaderIn, releaseRecordIn, releaseShardIn } from '../../src/release/read-release.js'
import {
  filePath,
  headerPath,
  partPath,
  RELEASE_LIMITS,
  type ReleaseHeader,
  type ReleaseRecord,
  releaseShardOf,
} from '../../src/release/release-format.js'
import { type RemoteEntry, releaseUrl } from '../../src/release/remote-entry.js'
import { SearchFile } from '../../src/search/search-file.js'
import type { FileCache } from '../host/disk-seam.js'
import { fetchBytes } from './fetch-bytes.js'
import { differs, foreignFormat, tooLarge } from './remote-faults.js'

/** A parsed JSON text takes about so many times its bytes. */
const PARSED = 4
/** A search file up to this size is fetched as a whole, at once. */
const SMALL_SEARCH = 64 * 1024
/** Once so many bytes of a search file were read, what was read is forgotten. */
const SEARCH_KEPT = 32 * 1024 * 1024

/** One release on a server. Whatever it gives is compared with the digest that leads to it, from the pin on. */
export class RemoteRelease {
  readonly url: string
  readonly #loading = new Map<string, Promise<unknown>>()
  #folder: Promise<FileCache> | undefined
  #search: { file: Promise<SearchFile>; read: number } | undefined

  constructor(
    readonly entry: RemoteEntry,
    private readonly memory: ByteCache,
  ) {
    this.url = releaseUrl(entry)
  }

  header(): Promise<ReleaseHeader> {
    const digest = pinnedDigest(this.entry.integrity) as string
    const path = headerPath(digest)
    return this.#parsed('header', path, digest, text => {
      const header = releaseHeaderIn(text)
      if (header === null) throw this.#foreign(path, 'is not the header of a release')
      if ('otherFormat' in header)
        throw this.#foreign(path, `has the format ${header.otherFormat}, which this runtime does not read`)
      const { namespace } = this.entry
      if (namespace !== undefined && namespace !== header.namespace) {
        const published =
          header.namespace === undefined ? 'no namespace' : `the namespace "${header.namespace}"`
        throw this.#foreign(path, `was published with ${published}, and the path entry has "${namespace}"`)
      }
      return header
    })
  }

  /** The tool that a name leads to, with its own name; null if there is none. */
  async find(name: string): Promise<{ name: string; record: ReleaseRecord } | null> {
    const { shards } = await this.header()
    const digest = shards[releaseShardOf(name, shards.length)] as string
    const path = partPath(digest)
    const shard = await this.#parsed('shard', path, digest, text => {
      const read = releaseShardIn(text)
      if (read === null) throw this.#foreign(path, 'is not a shard of a release')
      return read
    })
    const found = releaseRecordIn(shard, name)
    if (found === undefined)
      throw this.#foreign(path, `has a record of "${name}" that is not one of a release`)
    return found
  }

  /** The list of its tools. */
  async list(): Promise<ListColumns> {
    const { list, skills } = await this.header()
    const path = partPath(list)
    return this.#parsed('list', path, list, text => {
      try {
        const columns = listIn(text)
        if (columns.names.length === skills) return columns
      } catch (error) {
        if (!(error instanceof IndexRefused)) throw error
      }
      throw this.#foreign(path, 'is not the list of a release')
    })
  }

  /** The bytes of a published file. */
  async file({ sha256, size }: FileDigest): Promise<Uint8Array> {
    const path = filePath(sha256)
    const key = `file ${path}`
    return this.#kept(key, async () => {
      const bytes = await this.#fetched(path, sha256, size)
      this.memory.set(key, bytes, size)
      return bytes
    })
  }

  /**
   * Does work with the search file.
   *
   * @throws INTEGRITY_FAILED where it is not what was published
   */
  async withSearch<Answer>(work: (file: SearchFile) => Promise<Answer>): Promise<Answer> {
    const { search, skills } = await this.header()
    try {
      const file = await this.#openSearch(search)
      // More rows than tools would only take memory.
      if (file.rows > skills) throw new IndexRefused('its search file has other rows')
      return await work(file)
    } catch (error) {
      this.#search = undefined
      throw error instanceof IndexRefused ? differs(this.url + partPath(search.digest)) : error
    }
  }

  #openSearch({ digest, size }: ReleaseHeader['search']): Promise<SearchFile> {
    if (!this.#search || this.#search.read > SEARCH_KEPT) {
      const search = { read: 0, file: undefined as unknown as Promise<SearchFile> }
      const read = async (start: number, end: number): Promise<Uint8Array> => {
        search.read += end - start
        return this.#range(partPath(digest), size, start, end)
      }
      search.file = SearchFile.open(read, size, digest, disk.digestOf)
      this.#search = search
    }
    return this.#search.file
  }

  /** A range of a search file, not compared yet: each of its blocks has a digest. */
  async #range(path: string, size: number, start: number, end: number): Promise<Uint8Array> {
    const key = `search ${path}`
    const known = this.memory.get(key) as Uint8Array | undefined
    if (known) return known.subarray(start, end)
    const isSmall = size <= SMALL_SEARCH
    if (end - start > RELEASE_LIMITS.search) throw tooLarge(this.url + path, RELEASE_LIMITS.search)
    const most = Math.min(size, RELEASE_LIMITS.search)
    const { bytes, isRange } = await fetchBytes(this.entry, path, most, isSmall ? undefined : [start, end])
    if (isRange) return bytes.length === end - start ? bytes : this.#differs(path)
    if (size > most) throw tooLarge(this.url + path, most)
    if (bytes.length !== size) return this.#differs(path)
    this.memory.set(key, bytes, size)
    return bytes.subarray(start, end)
  }

  /** Parses a file once for each kind: a header may give one digest to files of several kinds. */
  #parsed<Value>(
    kind: 'header' | 'shard' | 'list',
    path: string,
    digest: string,
    parse: (text: string) => Value,
  ): Promise<Value> {
    const key = `${kind} ${path}`
    return this.#kept(key, async () => {
      const bytes = await this.#fetched(path, digest, RELEASE_LIMITS[kind])
      const value = parse(new TextDecoder().decode(bytes))
      this.memory.set(key, value, PARSED * bytes.length)
      return value
    })
  }

  /** Takes a file from memory, waits for it, or loads it. A failure is not kept. */
  #kept<Value>(key: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.memory.get(key)
    if (known !== undefined) return Promise.resolve(known as Value)
    const loading = this.#loading.get(key) ?? load().finally(() => this.#loading.delete(key))
    this.#loading.set(key, loading)
    return loading as Promise<Value>
  }

  /** The bytes of a file, compared with its digest: from the folder of the entry, or else from the server. */
  async #fetched(path: string, digest: string, most: number): Promise<Uint8Array> {
    const cache = await this.#cache()
    const name = path.replace('/', '-')
    const known = await cache?.read(name, most)
    if (known && (await sha256(known)).startsWith(digest)) return known
    const { bytes } = await fetchBytes(this.entry, path, most)
    if (!(await sha256(bytes)).startsWith(digest)) return this.#differs(path)
    await cache?.write(name, bytes)
    return bytes
  }

  #cache(): Promise<FileCache> | undefined {
    const { cacheDirectory } = this.entry
    if (cacheDirectory !== undefined)
      this.#folder ??= disk.fileCache?.(disk.resolve(disk.cwd(), cacheDirectory))
    return this.#folder
  }

  #differs(path: string): never {
    throw differs(this.url + path)
  }

  #foreign(path: string, what: string): Error {
    return foreignFormat(this.url + path, what)
  }
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Keeps what was last used, up to a number of bytes. */
export class ByteCache {
  readonly #kept = new Map<string, { value: unknown; bytes: number }>()
  #bytes = 0

  constructor(private readonly most: number) {}

  get(key: string): unknown {
    const found = this.#kept.get(key)
    if (!found) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.value
  }

  /** @param bytes the memory that the value takes, about */
  set(key: string, value: unknown, bytes: number): void {
    this.#bytes += bytes - (this.#kept.get(key)?.bytes ?? 0)
    this.#kept.delete(key)
    this.#kept.set(key, { value, bytes })
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.most) return
      this.#kept.delete(oldest)
      this.#bytes -= bytes
    }
  }
}
