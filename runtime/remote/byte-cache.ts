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
