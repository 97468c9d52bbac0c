/** Adds an item to the group of a key. */
export function addToGroup<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key)
  if (group) group.push(item)
  else groups.set(key, [item])
}
