/**
 * Collects answers that may be promises. One that is none is used at once, so that work over thousands of tools
 * that are all in memory never waits; the others are waited for together.
 */
export class MaybeAsync {
  readonly #waiting: Promise<void>[] = []

  take<Value>(answer: Value | Promise<Value>, use: (value: Value) => void): void {
    if (!(answer instanceof Promise)) {
      use(answer)
      return
    }
    const used = answer.then(use)
    // Where a later question throws, nobody waits for this one any more, and its failure may not end the process.
    used.catch(() => {})
    this.#waiting.push(used)
  }

  /** Resolves once every answer was used; undefined where they all were. */
  get pending(): Promise<unknown> | undefined {
    return this.#waiting.length > 0 ? Promise.all(this.#waiting) : undefined
  }
}
