/**
 * Returns the result of `work`. If it throws, returns the result of `otherwise`, which gets the error's text.
 */
export function attempt<Result>(work: () => Result, otherwise: (message: string) => Result): Result {
  try {
    return work()
  } catch (error) {
    return otherwise(thrownText(error))
  }
}

/** Returns the text of what was thrown, even if that throws when it is read. */
export function thrownText(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return 'something that cannot be shown'
  }
}
