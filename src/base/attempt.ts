/** Returns the result of `work`; if it throws, that of `otherwise`, which gets the error's message, or undefined. */
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

/** Returns a thrown value's message, even if reading it throws. */
export function thrownText(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return 'something that cannot be shown'
  }
}
