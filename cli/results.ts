const write = process.stdout.write.bind(process.stdout)

/** Writes to standard output. */
export function writeResult(text: string): void {
  write(text)
}

/** Has standard output be the results' alone: what code that a command runs writes there, `console.log` too, goes to stderr. */
export function keepForResults(): void {
  process.stdout.write = ((...words: Parameters<typeof write>) => {
    process.stderr.write(...words)
    // Whoever pipes into standard output waits for that one to drain, which never fills.
    return true
  }) as typeof write
}
