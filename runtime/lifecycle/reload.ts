import { disk } from '#disk'
import { runtimeClosed } from '../../src/base/error.js'
import { clearAllCaches } from '../directory/caches.js'
import { resolve } from '../find/find-tool.js'
import type { Globals } from '../state/context.js'
import { agentView } from '../trust/agent-view.js'
import { lifecycleOf, type RuntimeLifecycle } from './runtime-lifecycle.js'
import type { ToolInstance } from './tool-instance.js'

/**
 * Looks at all indexes and files anew, between turns. Tools with hooks whose code changed are initialised
 * before this ends, and the old ones are disposed of once their calls have ended.
 */
export async function reload(globals: Globals): Promise<{ pending: boolean }> {
  if (globals.closed) throw runtimeClosed()
  const lifecycle = lifecycleOf(globals)
  return { pending: await lifecycle.turns.betweenTurns(() => reloadNow(lifecycle)) }
}

async function reloadNow(lifecycle: RuntimeLifecycle): Promise<void> {
  const { globals } = lifecycle
  if (globals.closed) return
  disk.lookAgain()
  // Under `check` each look-up compares its files anyway, and what did not change stays as it is.
  if (globals.config.freshness === 'trust') clearAllCaches(globals)
  await Promise.all(lifecycle.instances().map(one => renew(one, lifecycle)))
}

async function renew(old: ToolInstance, lifecycle: RuntimeLifecycle): Promise<void> {
  const { tool: before, state } = old
  // What was edited of a trusted project waits for its next call, which asks about it.
  const { globals } = await agentView(lifecycle.globals)
  const after = (await resolve(before.name, globals).catch(() => null))?.tool
  // One that its layer was named for is found by that alone, and looked at again when it is called.
  const isShadowed = after && after.origin.layer !== before.origin.layer
  const instance = after && !isShadowed ? await lifecycle.instanceOf(after).catch(() => null) : null
  if (instance !== old) lifecycle.retire(old)
  if (!instance || !after) return
  instance.tool = after
  if (state === 'idle' || lifecycle.inactive.has(after.name)) return
  // It is noted where that fails.
  await (instance.state === 'failed' ? instance.activate() : instance.initialised()).catch(() => {})
}
