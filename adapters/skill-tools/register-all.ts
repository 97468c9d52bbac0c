/**
 * Registers all of the tools or none.
 *
 * @param register registers one, and returns a function that undoes it
 * @returns a function that undoes all of it
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
