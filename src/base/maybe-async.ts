/** Uses answers that may be promises: others at once, so that thousands in memory never wait. */
export class MaybeAsync {
  readonly #waiting: Promise<void>[] = []

  take<Value>(answer: Value | Promise<Value>, use: (value: Value) => void): void {
    if (!(answer instanceof Promise)) {
      use(answer)
      return
    }
    const used = answer.then(use)
    // If a later question throws, this promise is never awaited, and its rejection must not end the
    // process.
    used.catch(() => {})
    this.#waiting.push(used)
  }

  /** Resolves once every answer was used; undefined if they all were. */
  get pending(): Promise<unknown> | undefined {
    return this.#waiting.length > 0 ? Promise.all(this.#waiting) : undefined
  }
}
