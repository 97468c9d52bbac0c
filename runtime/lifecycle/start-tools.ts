import { disk } from '#disk'
import { thrownText } from '../../src/base/attempt.js'
import { runtimeClosed } from '../../src/base/error.js'
import { clearAllCaches } from '../directory/caches.js'
import { mayBeEvaluated } from '../directory/not-evaluated.js'
import { everyTool } from '../find/all-tools.js'
import { resolve } from '../find/find-tool.js'
import { requireTool } from '../find/require-tool.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { agentView } from '../trust/agent-view.js'
import { initFailed, noteInitFails } from './lifecycle-faults.js'
import { releaseContext } from './running-calls.js'
import { hasHooks, lifecycleOf, type RuntimeLifecycle } from './runtime-lifecycle.js'
import type { ToolInstance } from './tool-instance.js'

/**
 * Initialises all tools with hooks. One that fails is left out, and a diagnostic reports it. Those of an untrusted
 * project wait for their first call.
 */
export async function start(own: Globals): Promise<void> {
  const { globals } = await agentView(own)
  const listed = (await everyTool(globals)).filter(tool => mayBeEvaluated(tool, globals))
  const { inactive } = lifecycleOf(globals)
  await Promise.all(
    listed.map(async tool => {
      if (inactive.has(tool.name) || tool.frontmatter.metadata.enabled === false) return
      const complete = await completed(tool, globals)
      if (complete && hasHooks(complete)) await startOne(complete, globals)
    }),
  )
}

/** Makes a tool available again, and initialises it even if that failed before. */
export async function activate(globals: Globals, ref: string): Promise<void> {
  const tool = await requireTool(ref, globals)
  const lifecycle = lifecycleOf(globals)
  const instance = await lifecycle.instanceOf(tool)
  lifecycle.inactive.delete(tool.name)
  await instance?.activate()
}

/** Refuses new calls of a tool. If it has hooks, waits for its running calls. */
export async function deactivate(globals: Globals, ref: string): Promise<void> {
  const lifecycle = lifecycleOf(globals)
  const finding = requireTool(ref, globals).then(tool => {
    lifecycle.inactive.add(tool.name)
    return tool
  })
  lifecycle.deactivating.add(finding)
  const tool = await finding.finally(() => lifecycle.deactivating.delete(finding))
  releaseContext(lifecycle.calls)
  await lifecycle.known(tool)?.deactivate()
}

/** Completes a tool whose metadata is only in its code. */
async function completed(tool: ToolDef, globals: Globals): Promise<ToolDef | null> {
  if (!sourceOf(tool)?.record.dynamic || globals.config.evaluate === false) return tool
  return (await resolve(tool.name, globals))?.tool ?? null
}

async function startOne(tool: ToolDef, globals: Globals): Promise<void> {
  try {
    const instance = await lifecycleOf(globals).instanceOf(tool)
    await (instance?.state === 'failed' ? instance.activate() : instance?.initialised())
  } catch (error) {
    if (globals.closed || lifecycleOf(globals).known(tool)?.problem === error) return
    // Its code cannot be imported.
    const { origin, name } = tool
    noteInitFails(
      disk.resolve(origin.entry, origin.file),
      initFailed(name, thrownText(error), error),
      globals,
    )
  }
}

/**
 * Looks at all indexes and files again, between turns. Tools with hooks whose code changed are initialised before
 * this ends, and the old ones are disposed of once their calls have ended.
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
  // Under `check`, each look-up compares its files anyway.
  if (globals.config.freshness === 'trust') clearAllCaches(globals)
  await Promise.all(lifecycle.instances().map(one => renew(one, lifecycle)))
}

async function renew(old: ToolInstance, lifecycle: RuntimeLifecycle): Promise<void> {
  const { tool: before, state } = old
  // An edited tool of a trusted project waits for its next call, which asks about it.
  const { globals } = await agentView(lifecycle.globals)
  const after = (await resolve(before.name, globals).catch(() => null))?.tool
  // A tool that was found by its layer is looked up again at its next call.
  const isShadowed = after && after.origin.layer !== before.origin.layer
  const instance = after && !isShadowed ? await lifecycle.instanceOf(after).catch(() => null) : null
  if (instance !== old) lifecycle.retire(old)
  if (!instance || !after) return
  instance.tool = after
  if (state === 'idle' || lifecycle.inactive.has(after.name)) return
  // A failure becomes a diagnostic.
  await (instance.state === 'failed' ? instance.activate() : instance.initialised()).catch(() => {})
}
