import { AgentAppsError, ctxDecision, ctxRuntime, isAgentAppsError, type PreviewContext } from 'agent-apps'
import { pathKey } from './path-key.js'
import { type Place, placeOf } from './place.js'
import { workspaceOf } from './workspace.js'

/**
 * Refuses an agent's call whose written path differs from the real one, through a link or from outside, if the rules allow
 * less for the real path: the policy has checked only the written one.
 *
 * @param argument the name of the argument with the path
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
    { hint: `Call it with the path ${JSON.stringify(path)} if you mean that file.`, tool: name },
  )
}

/**
 * The preview of a call for the person who is asked about it. An error ends the call only if the agent could learn it by
 * `read` without approval; else the preview shows it, since a refusal must not leak anything.
 *
 * @param look returns the preview of a call that works
 * @param otherwise the preview of a call that fails
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

/** True if the agent may read a path's target without approval. */
async function mayRead(ctx: PreviewContext, path: string): Promise<boolean> {
  if (!(await isAllowed(ctx, path))) return false
  const workspace = await workspaceOf(ctx)
  const place = await placeOf(path, workspace).catch(() => null)
  // `read` would report the same error.
  if (place === null) return true
  if (workspace.protected.reading(place) !== null) return false
  return pathKey(path) === place.path || isAllowed(ctx, place.path)
}

async function isAllowed(ctx: PreviewContext, path: string): Promise<boolean> {
  return (await ctxDecision(ctx, 'read', { path }))?.decision === 'allow'
}
