/** True for two lists with the same items in the same order. One list is compared with itself at no cost. */
export function haveSameItems<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one === other || (one.length === other.length && one.every((item, at) => item === other[at]))
}
