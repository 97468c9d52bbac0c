import { emptyGlobals, invoke, isAgentAppsError, type JsonObject, registerTool } from 'agent-apps'

/** The result of work, or the coded error that it throws. */
export async function outcome(work: () => Promise<unknown>) {
  try {
    return { result: await work() }
  } catch (error) {
    if (isAgentAppsError(error)) return { error }
    throw error
  }
}

/** Calls a tool with these `params` that gives back its arguments. */
export function call(params: JsonObject | undefined, args: unknown) {
  const globals = emptyGlobals()
  registerTool(globals, { name: 'tool', ...(params && { params }), fn: (_ctx, given) => given })
  return outcome(() => invoke('tool', args, globals))
}
