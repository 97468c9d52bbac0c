/** The id of the conversation that a call belongs to, as LangGraph's configuration has it. */
export function threadOf(configurable: Record<string, unknown> | undefined): string | undefined {
  const { thread_id: id } = configurable ?? {}
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

/**
 * The id of a call whose answer is kept: that of the model, and the thread, as some models number their calls from the
 * start in each.
 */
export function callIdIn(session: string | undefined, id: string): string {
  return session === undefined ? id : `${session}:${id}`
}
