/**
 * Moves the first `count` numbers by a comparison to the front, without sorting. Takes linear time, except for a few orders.
 */
export function selectFirst(
  items: Uint32Array,
  count: number,
  compare: (a: number, b: number) => number,
): void {
  let [from, to] = [0, items.length - 1]
  while (from < to) {
    const pivot = items[(from + to) >> 1] as number
    let [left, right] = [from, to]
    while (left <= right) {
      while (compare(items[left] as number, pivot) < 0) left++
      while (compare(items[right] as number, pivot) > 0) right--
      if (left > right) break
      const item = items[left] as number
      items[left++] = items[right] as number
      items[right--] = item
    }
    if (count <= right) to = right
    else if (count > left) from = left
    else return
  }
}
