/**
 * A value that all copies of a module in this process share, made when it is first asked for: what is read from disk
 * has a copy in each skill file that imports it, and `edit` is to know what `read` has read.
 */
export function processWide<Value extends object>(name: string, make: () => Value): () => Value {
  const values = globalThis as { [key: symbol]: unknown }
  const key = Symbol.for(`agent-apps.workspace.${name}`)
  return () => {
    values[key] ??= make()
    return values[key] as Value
  }
}
