import { AgentAppsError, ctxDecision, ctxRuntime, isAgentAppsError, type PreviewContext } from 'agent-apps'
import { pathKey } from './path-key.js'
import { type Place, placeOf } from './place.js'
import { workspaceOf } from './workspace.js'

/**
 * Refuses an agent's call whose path is written otherwise than its place is shown, by a link or from outside, where
 * the rules allow less for the place: they are about paths, and were asked about the written one.
 *
 * @param argument the argument of the call that holds the path
 * @throws TOOL_DENIED
 */
export async function expectSameRules(
  ctx: PreviewContext,
  { path }: Place,
  args: object,
  argument: 'path' | 'cwd' = 'path',
): Promise<void> {
  const written = String((args as Record<string, unknown>)[argument] ?? '.')
  if (pathKey(written) === path) return
  const { name } = ctxRuntime(ctx).run.tool
  const there = await ctxDecision(ctx, name, { ...args, [argument]: path })
  if (there === null || there.decision === 'allow') return
  if (there.decision === 'ask' && (await ctxDecision(ctx, name, args))?.decision === 'ask') return
  throw new AgentAppsError(
    'TOOL_DENIED',
    `"${name}" may not be called with ${JSON.stringify(written)}, which leads to ${path}: ${there.reason}.`,
    { hint: `Call it with the path ${JSON.stringify(path)}, if that is what you want.`, tool: name },
  )
}

/**
 * Looks at a path before a person is asked about a call. What is wrong there ends the call only where the agent could
 * learn it by `read` without asking; else it is the person who is shown it, as a refusal must tell nothing.
 *
 * @param look gives what is shown of a call that works
 * @param otherwise what is shown of another one
 */
export async function foreseen(
  ctx: PreviewContext,
  path: string,
  look: () => Promise<string>,
  otherwise: string,
): Promise<string> {
  try {
    return await look()
  } catch (error) {
    if (!isAgentAppsError(error) || (await mayRead(ctx, path))) throw error
    return `(This call would fail: ${error.message})\n${otherwise}`
  }
}

/** True where the agent may read what a path leads to without asking. */
async function mayRead(ctx: PreviewContext, path: string): Promise<boolean> {
  if (!(await isAllowed(ctx, path))) return false
  const workspace = await workspaceOf(ctx)
  const place = await placeOf(path, workspace).catch(() => null)
  // Of a path that leads to nothing here, `read` says the same.
  if (place === null) return true
  if (workspace.protected.reading(place) !== null) return false
  return pathKey(path) === place.path || isAllowed(ctx, place.path)
}

async function isAllowed(ctx: PreviewContext, path: string): Promise<boolean> {
  const said = await ctxDecision(ctx, 'read', { path })
  return said?.decision === 'allow'
}
