import type { HookContext } from '../../src/hooks/tool-hooks.js'
import type { OwnParts } from '../../src/own/own-parts.js'
import { lazy } from '../host/later.js'
import { configOf } from '../own/tool-config.js'
import { environmentOf } from '../own/tool-environment.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

const asking = lazy(() => import('../own/ask-for-tool.js'))

/** A tool's own parts, as its hooks get them. */
export type HookParts = Pick<HookContext, 'config' | 'env'>

/**
 * Makes ready what the hooks of a tool get of its own.
 *
 * @throws TOOL_CONFIG
 */
export async function hookParts(tool: ToolDef, globals: Globals): Promise<HookParts> {
  return { config: await configOf(tool, globals), env: environmentOf(tool, globals) }
}

/** Lets a hook ask a person, of whom no call tells who they are. `around` runs while they are asked. */
export function hookAsk(
  tool: ToolDef,
  globals: Globals,
  signal: AbortSignal,
  around: <Answer>(work: () => Promise<Answer>) => Promise<Answer> = work => work(),
): OwnParts['ask'] {
  const asker = { globals, envelope: {}, mustGoOn: () => signal.throwIfAborted() }
  const ask = async (question: never): Promise<unknown> => {
    const { askFor } = await asking()
    return around(() => askFor(tool, asker, () => signal)(question))
  }
  return ask as OwnParts['ask']
}
