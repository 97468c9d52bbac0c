import { AgentAppsError, type AgentRuntime, ctxRuntime, type ToolContext } from 'agent-apps'
import { pathKey } from './path-key.js'
import type { Place } from './place.js'

/**
 * Refuses an agent's call whose path is written otherwise than its place is shown, by a link or from outside, where
 * the rules allow less for the place: they are about paths, and were asked about the written one.
 *
 * @param argument the argument of the call that holds the path
 * @throws TOOL_DENIED
 */
export async function expectSameRules(
  ctx: ToolContext,
  { path }: Place,
  args: object,
  argument: 'path' | 'cwd' = 'path',
): Promise<void> {
  const written = String((args as Record<string, unknown>)[argument] ?? '.')
  const { envelope, run, globals } = ctxRuntime(ctx)
  if (envelope.as !== 'agent' || pathKey(written) === path) return
  const { name } = run.tool
  // It is one below this call, for which all limits of this call's agent hold as well.
  const agent = ctx.spawn({}) as AgentRuntime
  const { decision, reason } = await agent.authorize(name, { ...args, [argument]: path })
  if (decision === 'allow') return
  // What a skill that was opened allows is known to the agent of this call alone.
  const mayBeSame = decision === 'ask' && globals.config.policy?.readAllowedTools !== 'pre-approve'
  if (mayBeSame && (await agent.authorize(name, args)).decision === 'ask') return
  throw new AgentAppsError(
    'TOOL_DENIED',
    `"${name}" may not be called with ${JSON.stringify(written)}, which leads to ${path}: ${reason}.`,
    { hint: `Call it with the path ${JSON.stringify(path)}, if that is what you want.`, tool: name },
  )
}
