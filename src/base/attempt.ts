/** What work gives, or where it throws what `otherwise` makes of the words for what was thrown. */
export function attempt<Result>(work: () => Result, otherwise: (message: string) => Result): Result {
  try {
    return work()
  } catch (error) {
    return otherwise(thrownText(error))
  }
}

/** The words of what was thrown, which may itself throw when it is looked at. */
export function thrownText(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return 'something that cannot be shown'
  }
}
