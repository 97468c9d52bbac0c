/**
 * Registers tools one after the other, all of them or none.
 *
 * @param register registers one, and returns what undoes that
 * @returns what undoes all of it
 */
export function registerAll<Tool>(tools: Iterable<Tool>, register: (tool: Tool) => () => void): () => void {
  const registered: (() => void)[] = []
  const undo = (): void => {
    for (const one of registered.splice(0)) one()
  }
  try {
    for (const tool of tools) registered.push(register(tool))
  } catch (error) {
    undo()
    throw error
  }
  return undo
}
