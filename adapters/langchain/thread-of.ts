/** The id of the conversation that a call belongs to, as LangGraph's configuration has it. */
export function threadOf(configurable: Record<string, unknown> | undefined): string | undefined {
  const { thread_id: id } = configurable ?? {}
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}
