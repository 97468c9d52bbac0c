/** Returns the result of `work`; if that throws, of `otherwise`, which gets the error's text, or undefined. */
export function attempt<Result>(work: () => Result): Result | undefined
export function attempt<Result>(work: () => Result, otherwise: (message: string) => Result): Result
export function attempt<Result>(
  work: () => Result,
  otherwise?: (message: string) => Result,
): Result | undefined {
  try {
    return work()
  } catch (error) {
    return otherwise?.(thrownText(error))
  }
}

/** Returns the result of `work`; null if it throws. */
export function orNull<Result>(work: () => Result): Result | null {
  return attempt<Result | null>(work, () => null)
}

/** Returns the text of what was thrown, even if that throws when it is read. */
export function thrownText(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return 'something that cannot be shown'
  }
}
