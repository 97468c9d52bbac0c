/**
 * A lazily created value that all copies of a module in this process share. Modules from disk are copied into each skill
 * file that imports them, and `edit` must know what `read` has read.
 */
export function processWide<Value extends object>(name: string, make: () => Value): () => Value {
  const values = globalThis as { [key: symbol]: unknown }
  const key = Symbol.for(`agent-apps.workspace.${name}`)
  return () => {
    values[key] ??= make()
    return values[key] as Value
  }
}
