/** The place of the first of some texts in ascending order that is not less than `text`; their number if all are. */
export function firstFrom(sorted: readonly string[], text: string): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] as string) < text) from = middle + 1
    else to = middle
  }
  return from
}
