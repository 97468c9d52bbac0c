/**
 * Moves those of an array's items that come first by a comparison to its beginning, without sorting them. Takes linear time,
 * except for few arrays.
 */
export function selectFirst<Item>(items: Item[], count: number, compare: (a: Item, b: Item) => number): void {
  let [from, to] = [0, items.length - 1]
  while (from < to) {
    const pivot = items[(from + to) >> 1] as Item
    let [left, right] = [from, to]
    while (left <= right) {
      while (compare(items[left] as Item, pivot) < 0) left++
      while (compare(items[right] as Item, pivot) > 0) right--
      if (left > right) break
      const item = items[left] as Item
      items[left++] = items[right] as Item
      items[right--] = item
    }
    if (count <= right) to = right
    else if (count > left) from = left
    else return
  }
}
