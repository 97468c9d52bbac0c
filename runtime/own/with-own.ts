import { declaredBy } from '../../src/own/declared.js'
import type { OwnParts } from '../../src/own/own-parts.js'
import { isFailure } from '../../src/skill/tool-result.js'
import { checkLimits } from '../options/check-limits.js'
import { openSlot, type Slot } from '../session/slots.js'
import type { Chain } from '../state/chain.js'
import type { CallContext, Globals, InvokeOptions } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { bareParts, declaresOwn } from './bare-parts.js'
import { withTimeout } from './timeout-step.js'
import { configOf } from './tool-config.js'
import { environmentOf } from './tool-environment.js'

/** A call whose tools get what is their own. */
export interface OwnCall extends CallContext {
  readonly tool: ToolDef
  readonly globals: Globals
  readonly options: InvokeOptions | undefined
  abort: AbortSignal | undefined
  /** The own parts of each tool of the call: the tool that is called, and the middlewares around it. */
  owns: ReadonlyMap<ToolDef, OwnParts> | undefined
}

/**
 * Runs a call with what its tools have of their own: configuration, variables of the environment, state. What
 * is left in the state is kept, also where the call fails.
 *
 * @throws TOOL_CONFIG, STATE_INVALID, STATE_CONFLICT, and what `run` throws
 */
export async function withOwn(
  ctx: OwnCall,
  chain: Chain,
  run: (chain: Chain) => Promise<unknown>,
): Promise<unknown> {
  const { globals } = ctx
  checkLimits(globals)
  const slots: Slot[] = []
  let result: unknown
  try {
    ctx.owns = await partsOf(ctx, chain, slots)
    const around = await withTimeout(ctx.tool, chain, ctx.options?.timeoutMs, globals)
    ctx.mustGoOn()
    result = await run(around)
  } catch (error) {
    // Why the call failed says more than why its state was not kept.
    await closeAll(slots).catch(() => {})
    throw globals.redact ? globals.redact(error) : error
  }
  await closeAll(slots)
  return globals.redact && isFailure(result) ? globals.redact(result) : result
}

async function partsOf(ctx: OwnCall, chain: Chain, slots: Slot[]): Promise<Map<ToolDef, OwnParts>> {
  const { globals, tool } = ctx
  const parts = new Map<ToolDef, OwnParts>()
  for (const one of new Set([tool, ...chain.steps.map(({ def }) => def)])) {
    const isConfigured = globals.toolConfig?.[one.name] !== undefined
    if (!isConfigured && !declaresOwn(one)) continue
    const config = await configOf(one, globals)
    const { state } = declaredBy(one.frontmatter.metadata)
    const slot = state && (await openSlot(one, state, ctx.envelope.sessionId, globals))
    if (slot) slots.push(slot)
    parts.set(one, {
      ...bareParts(one, ctx, () => ctx.abort),
      config,
      env: environmentOf(one, globals),
      get state() {
        return slot?.value
      },
      set state(value) {
        if (!slot) throw new TypeError(`The tool "${one.name}" declares no state.`)
        slot.value = value as Slot['value']
      },
    })
  }
  return parts
}

/** Closes all slots, and then throws what the first that failed threw. */
async function closeAll(slots: readonly Slot[]): Promise<void> {
  const closed = await Promise.allSettled(slots.map(slot => slot.close()))
  const failed = closed.find(one => one.status === 'rejected')
  if (failed) throw failed.reason
}
