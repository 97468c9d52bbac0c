/** Starts to count how long (ms) this process computes, whatever else the machine does; gives what says how long it was. */
export function processorTime(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
}
