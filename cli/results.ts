const write = process.stdout.write.bind(process.stdout)

/** Writes to standard output. */
export function writeResult(text: string): void {
  write(text)
}

/**
 * Reserves standard output for results: everything that the command's code writes there, including
 * `console.log`, goes to stderr.
 */
export function keepForResults(): void {
  process.stdout.write = ((...words: Parameters<typeof write>) => {
    process.stderr.write(...words)
    // A writer that pipes into standard output waits for this stream to drain, which never fills.
    return true
  }) as typeof write
}
